#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/residual.hpp>
#include <cmath>
#include <functional>

#include "kernels/lu/lu_cpu.hpp"
#include "linalg/lu/factor_lu.hpp"
#include "support/devices.hpp"
#include "support/factorisation.hpp"
#include "support/padded_matrix.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::factorisation_error;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

using MakeLu = std::function<Lu(Context&, RealType, Index)>;

/// By the kernels for GPUs, whatever the device is.
Lu gpu(Context& context, RealType type, Index n, Pivoting pivoting) {
  LuOptions options{pivoting};
  options.spec = default_lu_spec(context.profile(), type, n, LuFamily::gpu);
  return {context, type, n, options};
}

/// Every implementation, on every device: what is fast on one must be right on all.
const std::vector<std::pair<std::string, MakeLu>>& implementations() {
  static const std::vector<std::pair<std::string, MakeLu>> all{
      {"chosen", [](Context& c, RealType t, Index n) { return Lu(c, t, n); }},
      {"gpu", [](Context& c, RealType t, Index n) { return gpu(c, t, n, Pivoting::partial); }},
      {"gpu, tournament",
       [](Context& c, RealType t, Index n) { return gpu(c, t, n, Pivoting::tournament); }}};
  return all;
}

void on_every_lu(const std::function<void(Context&, RealType, const MakeLu&)>& body) {
  on_every_device([&](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const auto& [name, make] : implementations()) {
        CAPTURE(name);
        CAPTURE(real_type_name(type));
        body(context, type, make);
      }
  });
}

/// Factors and solves `kind`, checks the factors, the answer and the canaries.
void check(Context& context, RealType type, const MakeLu& make, const std::string& kind, Index n,
           Index nrhs, Index gap) {
  const std::string label = kind + " n = " + std::to_string(n) + " nrhs = " + std::to_string(nrhs);
  CAPTURE(label);
  const Matrix a = rounded(generate_matrix(kind, n, 7 * n), type),
               b = rounded(random_matrix(n, nrhs, n), type);
  const PaddedMatrix da(context, type, a, gap, gap),
      db(context, type, b, gap, nrhs == 1 && gap == 0 ? 0 : gap);
  auto lu = make(context, type, n);
  lu.factor(da.view);
  lu.solve(db.view, nrhs);
  const double eps = unit_roundoff(type);
  CHECK_FALSE(lu.failed_column().has_value());
  const std::vector<Index> pivots = lu.pivots();
  REQUIRE(pivots.size() == n);
  for (Index j = 0; j < n; ++j) REQUIRE((pivots[j] >= j && pivots[j] < n));
  CHECK(factorisation_error(a, da.read(context, type), pivots, eps) <= 30);
  CHECK(compute_residual({a, b}, db.read(context, type), eps).scaled <= kScaledResidualBound);
}

}  // namespace

TEST_CASE("LU: factors and answers are right for every kind" * test::also_on_slow_devices) {
  on_every_lu([](Context& context, RealType type, const MakeLu& make) {
    for (const std::string kind :
         {"random", "integer", "zero-pivot", "graded", "spd", "permuted-identity"})
      for (const Index n : {2, 33, 130}) check(context, type, make, kind, n, 1, 0);
    check(context, type, make, "hilbert", 8, 1, 0);
  });
}

TEST_CASE("LU: sizes around every block and tile") {
  on_every_lu([](Context& context, RealType type, const MakeLu& make) {
    for (const Index n : {1, 3, 31, 32, 64, 95, 96, 97, 127, 128, 129, 193, 257, 401})
      if (n <= 129 || !test::is_slow(context)) check(context, type, make, "random", n, 1, 0);
  });
}

TEST_CASE("LU: many right-hand sides, offsets and leading dimensions above n") {
  on_every_lu([](Context& context, RealType type, const MakeLu& make) {
    for (const Index nrhs : {1, 2, 17}) {
      check(context, type, make, "random", 70, nrhs, 0);
      check(context, type, make, "random", 131, nrhs, 5);
    }
    check(context, type, make, "random", 300, test::is_slow(context) ? 100 : 1000, 8);
  });
}

TEST_CASE("LU for CPUs: any number of work-items makes the same factors") {
  on_every_device([](const Device& device) {
    for (const RealType type : types_of(device.profile)) {
      // Panels whose blocks of columns are several, and tall and wide enough to be shared; the last
      // panel is cut.
      constexpr Index n = 500;
      const Matrix a = rounded(random_matrix(n, n, 3), type);
      std::optional<Matrix> expected;
      for (const unsigned work_items : {1, 2, 3, 16}) {
        CAPTURE(work_items);
        Device same = device;
        same.profile.compute_units = work_items;  // more than there are: those left over come late
        Context context(same, ContextOptions::from_environment());
        if (!lu_cpu_variant().lacks(context).empty()) return;
        LuOptions options;
        options.spec = default_lu_spec(context.profile(), type, n, LuFamily::cpu);
        set_value(options.spec->parameters, "NB", 192);
        Lu lu(context, type, n, options);
        for (int repeat = 0; repeat < 10; ++repeat) {
          const PaddedMatrix factors(context, type, a, 0, 0);
          lu.factor(factors.view);
          const Matrix found = factors.read(context, type);
          if (!expected) expected = found;
          REQUIRE(std::ranges::equal(found.values(), expected->values()));
        }
      }
    }
  });
}

TEST_CASE("LU: a large system") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      check(context, type, implementations().front().second, "random",
            test::is_slow(context) ? 300 : 1030, 3, 0);
  });
}

TEST_CASE("LU: singular and non-finite systems name the first column, and never hang") {
  on_every_lu([](Context& context, RealType type, const MakeLu& make) {
    const auto failed = [&](const Matrix& a) {
      const PaddedMatrix da(context, type, a, 0, 0);
      auto lu = make(context, type, a.rows());
      lu.factor(da.view);
      return lu.failed_column();
    };
    for (const Index n : {1, 2, 40, 150}) {
      CAPTURE(n);
      CHECK(failed(generate_matrix("singular", n, 3)) == n - 1);
      CHECK(failed(Matrix(n, n)) == Index{0});
      Matrix zero_column = generate_matrix("random", n, 4);
      for (Index i = 0; i < n; ++i) zero_column(i, n / 2) = 0;
      CHECK(failed(zero_column) == n / 2);
      Matrix ties(n, n);  // all ones: rank 1, every pivot a tie
      std::ranges::fill(ties.values(), 1.0);
      CHECK(failed(ties) == (n == 1 ? std::nullopt : std::optional<Index>(1)));
      Matrix nan = generate_matrix("random", n, 5);
      nan(n - 1, n / 3) = std::nan("");
      const auto column = failed(nan);
      REQUIRE(column.has_value());
      CHECK(*column <= n / 3 + 1);  // the pivot of the NaN's column, or the first that it reached
    }
  });
}

TEST_CASE("LU: the same workspace factors again, and small systems in one call") {
  on_every_lu([](Context& context, RealType type, const MakeLu& make) {
    for (const Index n : {5, 100, 129}) {
      CAPTURE(n);
      auto lu = make(context, type, n);
      for (const char* kind : {"singular", "random", "spd"}) {
        const Matrix a = rounded(generate_matrix(kind, n, n), type),
                     b = rounded(random_matrix(n, 1, 2), type);
        const PaddedMatrix da(context, type, a, 0, 3), db(context, type, b, 0, 0);
        lu.factor_and_solve(da.view, db.view, 1);
        const auto failed = lu.failed_column();
        if (std::string(kind) == "singular") {
          CHECK(failed == n - 1);
          continue;
        }
        CHECK_FALSE(failed.has_value());
        CHECK(compute_residual({a, b}, db.read(context, type), unit_roundoff(type)).scaled <=
              kScaledResidualBound);
      }
    }
  });
}

TEST_CASE("LU: no right-hand side is no work, and without pivoting it is refused") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Matrix a = generate_matrix("random", 40, 1);
    const EliminationResult result =
        factor_lu(context, {a, Matrix(40, 0)}, {.type = RealType::f32}).result;
    CHECK(result.pivots.size() == 40);
    CHECK(result.x.cols() == 0);
    CHECK(
        factor_lu(context, {Matrix(0, 0), Matrix(0, 2)}, {.type = RealType::f32}).result.x.cols() ==
        2);
    CHECK_THROWS_AS((void)Lu(context, RealType::f32, 4, {Pivoting::none}), UsageError);
  });
}

TEST_CASE("LU: host matrices and an application's own queue and buffers") {
  on_every_device([](const Device& device) {
    const cl::Context application(device.handle);
    const cl::CommandQueue queue(application, device.handle);
    Context context(queue, ContextOptions::from_environment());
    const Index n = 150;
    for (const RealType type : types_of(device.profile)) {
      const Matrix a = rounded(generate_matrix("random", n, 1), type),
                   b = rounded(random_matrix(n, 4, 2), type);
      const double eps = unit_roundoff(type);
      Lu factors = lu_factor(context, type, a);
      CHECK_FALSE(factors.failed_column().has_value());
      CHECK(compute_residual({a, b}, factors.solve(b), eps).scaled <= kScaledResidualBound);
      CHECK(compute_residual({a, row_sums(a)}, factors.solve(row_sums(a)), eps).scaled <=
            kScaledResidualBound);

      const double built = context.programs().build_seconds();
      (void)lu_factor(context, type, a).solve(b);
      CHECK(context.programs().build_seconds() == built);  // the second time builds nothing
      const PaddedMatrix da(context, type, a, 7, 9), db(context, type, b, 3, 2);
      Lu in_place = lu_factor(context, type, da.view, n);
      in_place.solve(db.view, 4);
      CHECK(factorisation_error(a, da.read(context, type), in_place.pivots(), eps) <= 30);
      CHECK(compute_residual({a, b}, db.read(context, type), eps).scaled <= kScaledResidualBound);
    }
    CHECK_THROWS_AS((void)lu_factor(context, RealType::f32, Matrix(2, 3)), DimensionError);
    CHECK_THROWS_AS(
        (void)lu_factor(context, RealType::f32, generate_matrix("spd", 3, 1)).solve(Matrix(2, 1)),
        DimensionError);
    const cl::CommandQueue unordered(application, device.handle, cl::QueueProperties::OutOfOrder);
    CHECK_THROWS_AS(Context{unordered}, UsageError);
  });
}

TEST_CASE("LU: tournament pivoting is nearly as stable as partial pivoting") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    if (Lu(context, type, 600).pivoting() == Pivoting::tournament)
      return;  // nothing to compare with
    for (const std::string kind :
         {"random", "integer", "zero-pivot", "graded", "spd", "permuted-identity"}) {
      CAPTURE(kind);
      // The sum over some matrices: a single one's error is half luck.
      const auto backward_error = [&](Pivoting pivoting) {
        double sum = 0;
        for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
          const Index n = 600;  // above the 256 rows of one group: a real tournament
          const Matrix a = rounded(generate_matrix(kind, n, seed), type);
          const Matrix b = rounded(random_matrix(n, 3, 100 + seed), type);
          Lu factors = lu_factor(context, type, a, {pivoting});
          sum += compute_residual({a, b}, factors.solve(b), unit_roundoff(type)).backward_error;
        }
        return sum;
      };
      // Not the pivots alone differ: solves on CPUs add up in vectors, which rounds less.
      CHECK(backward_error(Pivoting::tournament) <= 3 * backward_error(Pivoting::partial));
    }
  });
}
