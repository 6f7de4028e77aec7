#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "support/devices.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;

namespace {

SolveOptions options_for(RealType type, const std::string& policy = "lcm",
                         NdRangeMode ndrange = NdRangeMode::shrinking) {
  SolveOptions options;
  options.method = Method::gauss;
  options.type = type;
  options.policy = parse_work_group_policy(policy);
  options.ndrange = ndrange;
  return options;
}

SolveOptions typed(SolveOptions options, RealType type) {
  options.type = type;
  return options;
}

/// Runs `body` with both methods on every device.
void with_both_methods(const std::function<void(Context&, const SolveOptions&)>& body) {
  on_every_device([&](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Method method : {Method::lu, Method::gauss}) {
      const std::string name(method_name(method));
      CAPTURE(name);
      SolveOptions options;
      options.method = method;
      body(context, options);
    }
  });
}

/// Solves a matrix of `kind` with b = row sums in every size, on every device and in every type,
/// and checks the residual.
void check_residuals(const char* kind, const std::vector<Index>& sizes) {
  on_every_device([&](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : sizes) {
      if (n > 193 && test::is_slow(context)) continue;
      Matrix a = generate_matrix(kind, n, 1000 + n);
      const System system{a, row_sums(a)};
      for (const RealType type : types_of(device.profile)) {
        const std::string label =
            std::string(kind) + " n = " + std::to_string(n) + " " + real_type_name(type);
        CAPTURE(label);
        const Solution solution = solve(context, system, options_for(type));
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.residual.scaled <= kScaledResidualBound);
      }
    }
  });
}

const std::vector<Index> kSizes{1, 2, 3, 31, 32, 33, 100, 191, 192, 193, 508, 1012, 1030};

/// Of the large ones one is enough for the kinds after the first, except with LONG=1.
std::vector<Index> sizes_of_kind() {
  if (std::getenv("LONG") != nullptr) return kSizes;
  return {1, 2, 3, 31, 32, 33, 100, 191, 192, 193, 508};
}

}  // namespace

TEST_CASE("a solution tells which rows were exchanged") {
  const System system{Matrix(3, 3, {0, 2, 1, 1, 1, 0, 4, 0, 0}), Matrix(3, 1, {1, 1, 1})};
  with_both_methods([&](Context& context, const SolveOptions& options) {
    CHECK(solve(context, system, options).pivot_rows == std::vector<Index>{2, 2, 2});
    if (options.method != Method::gauss) return;
    SolveOptions none = options;
    none.pivoting = Pivoting::none;
    const System regular{Matrix(2, 2, {1, 2, 3, 4}), Matrix(2, 1, {1, 1})};
    CHECK(solve(context, regular, none).pivot_rows == std::vector<Index>{0, 1});
  });
}

TEST_CASE("random systems are solved" * test::also_on_slow_devices) {
  check_residuals("random", kSizes);
}
TEST_CASE("integer systems are solved") { check_residuals("integer", {2, 5, 33, 193}); }
TEST_CASE("systems with a zero leading pivot are solved") {
  std::vector<Index> sizes = sizes_of_kind();
  std::erase(sizes, 1);
  check_residuals("zero-pivot", sizes);
}
TEST_CASE("graded systems are solved") { check_residuals("graded", sizes_of_kind()); }
TEST_CASE("symmetric positive definite systems are solved") {
  check_residuals("spd", sizes_of_kind());
}
TEST_CASE("Hilbert systems are solved as far as f64 goes") {
  check_residuals("hilbert", {1, 2, 3, 5, 8, 12});
}
TEST_CASE("permuted identities are solved") {
  check_residuals("permuted-identity", sizes_of_kind());
}

TEST_CASE("the 2 x 2 exchange matrix needs a row exchange and gets it") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const System system{{2, 2, {0, 1, 1, 0}}, {2, 1, {5, 7}}};
    for (const RealType type : types_of(device.profile)) {
      SolveOptions options = options_for(type);
      const Solution solution = solve(context, system, options);
      CHECK(solution.x(0, 0) == 7);
      CHECK(solution.x(1, 0) == 5);
      CHECK(solution.determinant.sign == -1);
      CHECK(solution.determinant.log10_abs == 0);
      options.pivoting = Pivoting::none;
      const Solution refused = solve(context, system, options);
      CHECK(refused.status == SolveStatus::singular);
      CHECK(refused.failed_column == Index{0});
    }
  });
}

TEST_CASE("every work-group size and both NDRange ways give the answer of the paper's algorithm" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 67;
    const Matrix a = generate_matrix("spd", n, 9);
    const System system{a, row_sums(a)};
    for (const RealType type : types_of(device.profile))
      for (const Pivoting pivoting : {Pivoting::none, Pivoting::partial})
        for (const NdRangeMode ndrange : {NdRangeMode::fixed, NdRangeMode::shrinking})
          for (const std::string policy : {"driver", "lcm", "1", "13", "64", "256"}) {
            // PoCL compiles a kernel anew for every local size (20 ms each), and a shrinking range
            // has as many remainders.
            const bool usual = policy == "lcm" || policy == "13";
            if ((ndrange == NdRangeMode::shrinking || test::is_slow(context)) && !usual) continue;
            CAPTURE(policy);
            SolveOptions options = options_for(type, policy, ndrange);
            options.pivoting = pivoting;
            const Solution solution = solve(context, system, options);
            CHECK(solution.status == SolveStatus::ok);
            for (Index i = 0; i < n; ++i)
              CHECK(std::abs(solution.x(i, 0) - 1) <= 1e4 * unit_roundoff(type));
          }
  });
}

TEST_CASE("many right-hand sides are solved at once") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index nrhs : {1, 2, 17}) {
      const Index n = 53;
      const System system{generate_matrix("random", n, 5), random_matrix(n, nrhs, 6)};
      for (const RealType type : types_of(device.profile))
        for (const NdRangeMode ndrange : {NdRangeMode::fixed, NdRangeMode::shrinking}) {
          const Solution solution = solve(context, system, options_for(type, "lcm", ndrange));
          CHECK(solution.x.cols() == nrhs);
          CHECK(solution.residual.scaled <= kScaledResidualBound);
        }
    }
  });
}

TEST_CASE("singular systems name the column") {
  with_both_methods([](Context& context, const SolveOptions& options) {
    for (const RealType type : types_of(context.profile()))
      for (const Index n : {2, 9, 64}) {
        const auto failed = [&](const char* kind) {
          const Matrix a = generate_matrix(kind, n, 11);
          const Solution solution = solve(context, {a, row_sums(a)}, typed(options, type));
          CHECK(solution.status == SolveStatus::singular);
          CHECK(solution.x.empty());
          CHECK(solution.determinant.sign == 0);
          return solution.failed_column;
        };
        CHECK(failed("singular") == n - 1);
        // LU multiplies by reciprocals, as LAPACK does: what should cancel to zero may leave a
        // rounding error.
        if (options.method == Method::gauss) CHECK(failed("rank-deficient") == (n + 1) / 2);
      }
    CHECK(solve(context, {Matrix(1, 1), Matrix(1, 1)}, options).failed_column == Index{0});
  });
}

TEST_CASE("a NaN or Inf in A is reported as a pivot that is not finite") {
  with_both_methods([](Context& context, const SolveOptions& options) {
    for (const double bad : {std::nan(""), HUGE_VAL})
      for (const Index row : {0, 4, 7}) {
        Matrix a = generate_matrix("random", 8, 3);
        a(row, 2) = bad;
        const Solution solution = solve(context, {a, Matrix(8, 1)}, options);
        CHECK(solution.status == SolveStatus::singular);
        REQUIRE(solution.failed_column.has_value());
        CHECK(*solution.failed_column <= (options.method == Method::gauss ? 2 : 7));
        CHECK_FALSE(std::isfinite(solution.failed_pivot));
      }
  });
}

TEST_CASE("a NaN in b alone is an answer that is not accurate") {
  with_both_methods([](Context& context, const SolveOptions& options) {
    const Solution solution =
        solve(context, {{2, 2, {2, 0, 0, 2}}, {2, 1, {1, std::nan("")}}}, options);
    CHECK(solution.status == SolveStatus::inaccurate);
  });
}

TEST_CASE("the growth of Wilkinson's matrix shows in the residual") {
  with_both_methods([](Context& context, const SolveOptions& options) {
    const Index n = 80;  // elements grow to 2^79, far beyond 1 / eps
    const Matrix a = generate_matrix("wilkinson", n, 1);
    for (const RealType type : types_of(context.profile())) {
      const Solution solution = solve(context, {a, random_matrix(n, 1, 2)}, typed(options, type));
      // On some devices' roundings refinement, which nothing else asks for in f64, gets over it.
      const bool refined = solution.refinement.corrections() > 0;
      CHECK((solution.status == SolveStatus::inaccurate || refined));
    }
  });
}

TEST_CASE("the determinant is that of the matrix") {
  with_both_methods([](Context& context, const SolveOptions& options) {
    const auto determinant = [&](Matrix a) {
      const Index n = a.rows();
      return solve(context, {std::move(a), Matrix(n, 1)}, options).determinant;
    };
    const Determinant d =
        determinant({3, 3, {2, 0, 1, 1, 3, 2, 1, 1, 1}});  // 2 (3 - 2) + 1 (1 - 3) = 0: singular
    CHECK((d.sign == 0 || d.log10_abs < -5));
    const Determinant e = determinant({3, 3, {2, 0, 1, 1, 3, 2, 1, 1, 4}});  // 2 (12 - 2) - 2 = 18
    CHECK(e.sign == 1);
    CHECK(e.log10_abs == doctest::Approx(std::log10(18.0)));
    const Determinant p = determinant({3, 3, {0, 1, 0, 0, 0, 1, 1, 0, 0}});  // an even permutation
    CHECK(p.sign == 1);
    CHECK(p.log10_abs == 0);
  });
}

TEST_CASE("empty systems have the empty answer") {
  with_both_methods([](Context& context, const SolveOptions& options) {
    const Solution solution = solve(context, {Matrix(0, 0), Matrix(0, 1)}, options);
    CHECK(solution.status == SolveStatus::ok);
    CHECK(solution.x.rows() == 0);
    CHECK(solution.determinant.sign == 1);
    const Solution no_rhs =
        solve(context, {generate_matrix("random", 5, 1), Matrix(5, 0)}, options);
    CHECK(no_rhs.status == SolveStatus::ok);
    CHECK(no_rhs.x.cols() == 0);
  });
}

TEST_CASE("shapes and types that do not fit are refused") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    CHECK_THROWS_AS((void)solve(context, {Matrix(2, 3), Matrix(2, 1)}), DimensionError);
    CHECK_THROWS_AS((void)solve(context, {Matrix(2, 2), Matrix(3, 1)}), DimensionError);
    CHECK_THROWS_AS((void)lu_factor(context, RealType::f32, {1, 1, {1e39}}), ValueError);
    if (!device.profile.fp64)
      CHECK_THROWS_AS(
          (void)solve(context, {Matrix(1, 1), Matrix(1, 1)}, options_for(RealType::f64)),
          DeviceLimit);
  });
}

TEST_CASE("the progress of an elimination goes up to the end") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Matrix a = generate_matrix("random", 200, 1);
    double last = 0;
    std::string what;
    const Solution solution =
        solve(context, {a, row_sums(a)}, {}, [&](std::string_view now, double share) {
          if (now != what) last = 0;
          what = now;
          CHECK(share >= last);
          CHECK(share <= 1);
          last = share;
        });
    CHECK(solution.status == SolveStatus::ok);
    CHECK(what == (device.profile.fp64 ? "substitution" : "refinement"));
  });
}
