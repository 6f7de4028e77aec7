// Systems at the ends of a type's range: what can be solved is, and nothing is called singular that
// is not.

#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "linalg/lu/pivots.hpp"
#include "support/changed_kernels.hpp"
#include "support/devices.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;

namespace {

constexpr double kTiny = std::numeric_limits<double>::denorm_min();

bool same_bits(const Matrix& u, const Matrix& v) {
  return u.rows() == v.rows() && u.cols() == v.cols() &&
         std::memcmp(u.values().data(), v.values().data(), u.values().size_bytes()) == 0;
}

Matrix ones(Index n, double value = 1) {
  Matrix b(n, 1);
  std::ranges::fill(b.values(), value);
  return b;
}

Matrix diagonal(const std::vector<double>& values) {
  Matrix a(values.size(), values.size());
  for (Index i = 0; i < values.size(); ++i) a(i, i) = values[i];
  return a;
}

Matrix scaled_by(Matrix a, int exponent) {
  for (double& value : a.values()) value = std::ldexp(value, exponent);
  return a;
}

/// Rows (or columns) times 2^exponent(i).
Matrix rows_scaled(Matrix a, const std::function<int(Index)>& exponent) {
  for (Index i = 0; i < a.rows(); ++i)
    for (double& value : a.row(i)) value = std::ldexp(value, exponent(i));
  return a;
}
Matrix columns_scaled(Matrix a, const std::function<int(Index)>& exponent) {
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) a(i, j) = std::ldexp(a(i, j), exponent(j));
  return a;
}

using Body = std::function<void(Context&, const SolveOptions&)>;

/// Both methods in every type on every device; lu also in the blocked kernels, not only those for
/// small systems.
void in_every_way(const Body& body) {
  on_every_device([&](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Method method : {Method::lu, Method::gauss}) {
        const std::string way =
            std::string(method_name(method)) + " " + std::string(real_type_name(type));
        CAPTURE(way);
        SolveOptions options;
        options.method = method;
        options.ndrange = NdRangeMode::shrinking;
        options.type = type;
        body(context, options);
      }
  });
}

std::string status_of(const Solution& solution) {
  return std::string(solve_status_name(solution.status));
}

/// x of a system that must be solved.
Matrix x_of(Context& context, const SolveOptions& options, const System& system) {
  const Solution solution = solve(context, system, options);
  CHECK(status_of(solution) == "ok");
  CHECK(solution.residual.scaled <= kScaledResidualBound);
  return solution.x.empty() ? Matrix(system.b.rows(), system.b.cols()) : solution.x;
}

double log10_of_2(double exponent) { return exponent * std::log10(2.0); }

}  // namespace

TEST_CASE("range: numbers near the largest double do not make a matrix singular") {
  in_every_way([](Context& context, const SolveOptions& options) {
    const System system{{2, 2, {1e308, 1e308, -1e308, 1e308}}, {2, 1, {1e308, 0}}};
    const Solution solution = solve(context, system, options);
    CHECK(status_of(solution) == "ok");
    REQUIRE(solution.x.rows() == 2);
    CHECK(solution.x(0, 0) == 0.5);
    CHECK(solution.x(1, 0) == 0.5);
    CHECK(solution.determinant.sign == 1);
    CHECK(solution.determinant.log10_abs == doctest::Approx(616 + std::log10(2.0)));
  });
}

TEST_CASE("range: a tiny multiple of the identity is solved, also where f32 has no such number") {
  in_every_way([](Context& context, const SolveOptions& options) {
    for (const double tiny : {1e-46, 1e-300, 1e-310, kTiny})
      for (const Index n : {1, 3, 150}) {
        CAPTURE(tiny);
        CAPTURE(n);
        const Matrix x =
            x_of(context, options, {diagonal(std::vector<double>(n, tiny)), ones(n, 3 * tiny)});
        for (const double value : x.values()) CHECK(value == doctest::Approx(3).epsilon(1e-6));
      }
    const Solution solution = solve(context, {diagonal({1e-46, 1e-46, -1e-46}), ones(3)}, options);
    CHECK(status_of(solution) == "ok");
    CHECK(solution.determinant.sign == -1);
    CHECK(solution.determinant.log10_abs == doctest::Approx(-138).epsilon(1e-7));
  });
}

TEST_CASE("range: graded diagonals from 1e-300 to 1e300 are solved") {
  in_every_way([](Context& context, const SolveOptions& options) {
    std::vector<double> values;
    for (int exponent = -300; exponent <= 300; exponent += 20)
      values.push_back(std::pow(10.0, exponent));
    const Matrix x = x_of(context, options, {diagonal(values), ones(values.size())});
    for (Index i = 0; i < values.size(); ++i)
      CHECK(x(i, 0) * values[i] == doctest::Approx(1).epsilon(1e-6));
  });
}

TEST_CASE("range: growth beyond the type is named overflow, not singular") {
  in_every_way([](Context& context, const SolveOptions& options) {
    const Index n = 200;  // elements grow to 2^199
    const System system{generate_matrix("wilkinson", n, 1), random_matrix(n, 1, 2)};
    const Solution solution = solve(context, system, options);
    if (options.type == RealType::f64) {
      CHECK(solution.status != SolveStatus::singular);
      CHECK(status_of(solution) != "overflow");
      CHECK(solution.x.rows() == n);
    } else {
      CHECK(status_of(solution) == "overflow");
      CHECK(solution.x.empty());
      REQUIRE(solution.failed_column.has_value());
      CHECK(*solution.failed_column == n - 1);
      CHECK_FALSE(std::isfinite(solution.failed_pivot));
      CHECK(std::isnan(solution.determinant.log10_abs));
    }
  });
}

TEST_CASE("range: an answer beyond the range of a double is an overflow") {
  in_every_way([](Context& context, const SolveOptions& options) {
    const Solution solution = solve(context, {diagonal({1, 1e-200}), ones(2, 1e200)}, options);
    CHECK(status_of(solution) == "overflow");
    CHECK(solution.x.empty());
    CHECK_FALSE(solution.failed_column.has_value());
    CHECK(solution.determinant.log10_abs == doctest::Approx(-200));
  });
}

TEST_CASE("range: a zero pivot that may be an underflow is not called singular") {
  in_every_way([](Context& context, SolveOptions options) {
    options.equilibration = Equilibration::off;
    // Regular, and no scaling of rows and columns makes the four corners alike: the last pivot is
    // -s^2.
    const double s = options.type == RealType::f32 ? 1e-30 : 1e-200;
    const System solvable{{2, 2, {1, s, s, 0}}, {2, 1, {1, s}}};
    const Matrix x = x_of(context, options, solvable);
    CHECK(x(0, 0) == doctest::Approx(1));
    CHECK(std::abs(x(1, 0)) <= 1e-6);
    // Regular, det = s^2, and every column has a 1: only the second row is small.
    const double t = options.type == RealType::f32 ? 1e-30 : 1e-170;
    const System lost{{3, 3, {1, 1, t, t, t, 0, 0, 1, 1}}, ones(3)};
    const Solution solution = solve(context, lost, options);
    CHECK(status_of(solution) == "overflow");
    CHECK(solution.failed_pivot == 0);
    options.equilibration = Equilibration::automatic;
    if (options.method == Method::lu) (void)x_of(context, options, lost);
  });
}

TEST_CASE("range: what is singular stays singular, with its column") {
  in_every_way([](Context& context, const SolveOptions& options) {
    for (const int exponent : {0, 1000, -1000})
      for (const Index n : {2, 9, 150}) {
        CAPTURE(exponent);
        CAPTURE(n);
        const Matrix a = scaled_by(generate_matrix("singular", n, 11), exponent);
        const Solution solution = solve(context, {a, ones(n)}, options);
        CHECK(solution.status == SolveStatus::singular);
        CHECK(solution.failed_column == n - 1);
        CHECK(solution.failed_pivot == 0);
        CHECK(solution.determinant.sign == 0);
      }
    const Solution graded = solve(context, {diagonal({1e300, 0, 1e-300}), ones(3)}, options);
    CHECK(graded.status == SolveStatus::singular);
    CHECK(graded.failed_column == Index{1});
  });
}

TEST_CASE("range: powers of two on a whole system or on its columns change no bit of the answer") {
  in_every_way([](Context& context, const SolveOptions& options) {
    for (const Index n : {5, 150}) {
      CAPTURE(n);
      const Matrix a = generate_matrix("random", n, 7), b = random_matrix(n, 2, 8);
      const Solution plain = solve(context, {a, b}, options);
      REQUIRE(plain.status == SolveStatus::ok);
      for (const int exponent : {-960, -200, -30, 30, 200, 1000}) {
        CAPTURE(exponent);
        const Solution scaled =
            solve(context, {scaled_by(a, exponent), scaled_by(b, exponent)}, options);
        CHECK(same_bits(scaled.x, plain.x));
        CHECK(scaled.residual.backward_error == plain.residual.backward_error);
        CHECK(scaled.determinant.sign == plain.determinant.sign);
        CHECK(scaled.determinant.log10_abs ==
              doctest::Approx(plain.determinant.log10_abs +
                              log10_of_2(exponent * static_cast<double>(n)))
                  .epsilon(1e-9));
      }
      const auto grade = [&](Index j) { return static_cast<int>(1800 * j / n) - 900; };
      const Matrix x = solve(context, {columns_scaled(a, grade), b}, options).x;
      CHECK(same_bits(rows_scaled(x, grade), plain.x));
    }
  });
}

TEST_CASE(
    "range: rows far apart are brought together, and the pivots are then those of equal rows") {
  in_every_way([](Context& context, const SolveOptions& options) {
    const Index n = 150;
    Matrix a = generate_matrix("random", n, 7);
    for (Index i = 0; i < n; ++i)
      a(i, (i * 7) % n) = 0.75;  // the largest numbers of the rows are alike
    const Matrix b = random_matrix(n, 1, 8);
    const Solution plain = solve(context, {a, b}, options);
    const auto grade = [&](Index i) { return static_cast<int>((i * 37) % n * 1960 / n) - 980; };
    const Solution graded = solve(context, {rows_scaled(a, grade), rows_scaled(b, grade)}, options);
    CHECK(status_of(graded) == "ok");
    CHECK(same_bits(graded.x, plain.x));
    CHECK(graded.determinant.sign == plain.determinant.sign);
  });
}

TEST_CASE("range: right-hand sides as large and as small as there are") {
  in_every_way([](Context& context, const SolveOptions& options) {
    const Index n = 60;
    const Matrix a = generate_matrix("spd", n, 3);
    const Solution plain = solve(context, {a, ones(n)}, options);
    for (const double size : {0x1p1023, 1e308, 0x1p-1000, 1e-308}) {
      CAPTURE(size);
      const Matrix x = x_of(context, options, {a, ones(n, size)});
      for (Index i = 0; i < n; ++i)
        CHECK(x(i, 0) / size == doctest::Approx(plain.x(i, 0)).epsilon(1e-5));
    }
    const Matrix x = x_of(context, options,
                          {diagonal({1, 1, 1}), {3, 2, {1e308, 0, 3 * kTiny, 5, -1e308, kTiny}}});
    CHECK(x(0, 0) == doctest::Approx(1e308));
    CHECK(x(1, 1) == 5);
    // Its own numbers keep their magnitudes where the type has them.
    const double far = options.type == RealType::f32 ? 1e30 : 1e300;
    const Matrix wide = x_of(context, options, {diagonal({1, 1}), {2, 1, {far, 1 / far}}});
    CHECK(wide(1, 0) * far == doctest::Approx(1));
  });
}

TEST_CASE("range: an unknown that f32 has no number for is found all the same") {
  in_every_way([](Context& context, const SolveOptions& options) {
    for (const int exponent : {-90, 90}) {
      const double a = std::ldexp(1.0, -exponent), b = std::ldexp(1.0, exponent);
      const Matrix x = x_of(context, options, {diagonal({a, a}), ones(2, b)});
      CHECK(x(1, 0) == std::ldexp(1.0, 2 * exponent));
    }
  });
}

TEST_CASE("range: the smallest systems, and none to solve") {
  in_every_way([](Context& context, const SolveOptions& options) {
    CHECK(x_of(context, options, {{1, 1, {1e308}}, {1, 1, {-1e308}}})(0, 0) == -1);
    CHECK(x_of(context, options, {{1, 1, {kTiny}}, {1, 1, {kTiny}}})(0, 0) == 1);
    CHECK(x_of(context, options, {{1, 1, {1e39}}, {1, 1, {1}}})(0, 0) == doctest::Approx(1e-39));
    const Solution none = solve(context, {diagonal({1e308, 1e-308}), Matrix(2, 0)}, options);
    CHECK(status_of(none) == "ok");
    CHECK(std::abs(none.determinant.log10_abs) <= 1e-6);
  });
}

TEST_CASE("range: in place as with A kept") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      const Matrix a = scaled_by(generate_matrix("random", 150, 7), 1000);
      const System system{a, random_matrix(150, 2, 8)};
      SolveOptions options;
      options.type = type;
      const Solution kept = solve(context, system, options),
                     in_place = solve_in_place(
                         context, system, [&] { return a; }, options);
      CHECK(kept.status == SolveStatus::ok);
      CHECK(in_place.status == SolveStatus::ok);
      CHECK(same_bits(kept.x, in_place.x));
      CHECK(kept.determinant.log10_abs == in_place.determinant.log10_abs);
    }
  });
}

TEST_CASE("range: in a batch every system is scaled by itself") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {2, 30, 128}) {
        CAPTURE(n);
        const Index count = 9;
        const auto batch_of = [&](Index cols, unsigned seed) {
          const Matrix values = random_matrix(1, count * n * cols, seed);
          return Batch{count, n, cols, {values.values().begin(), values.values().end()}};
        };
        const BatchedSystem plain{batch_of(n, 1), batch_of(1, 2)};
        BatchedSystem system = plain;
        const auto scale = [](std::span<double> values, int exponent) {
          for (double& value : values) value = std::ldexp(value, exponent);
        };
        scale(system.a.matrix(1), 1020);
        scale(system.b.matrix(1), 1020);
        scale(system.a.matrix(2), -900);
        scale(system.b.matrix(3), 1000);
        std::ranges::fill(system.a.matrix(4), 0.0);  // singular
        for (Index i = 0; i < n; ++i) system.a.matrix(5)[i * n + n - 1] *= 1e-300;
        scale(system.a.matrix(6), -600);
        scale(system.b.matrix(6), 600);  // x is beyond every range
        if (n == 128)
          std::ranges::copy(generate_matrix("wilkinson", n, 1).values(),
                            system.a.matrix(7).begin());
        else
          scale(system.a.matrix(7), 30);
        if (n == 128) scale(system.a.matrix(7), type == RealType::f32 ? 100 : 960);
        BatchedOptions options;
        options.type = type;
        const BatchedSolution expected = solve_batched(context, plain, options),
                              solution = solve_batched(context, system, options);
        CHECK(solution.status == SolveStatus::singular);
        CHECK(solution.singular == std::vector<Index>{4});
        CHECK(solution.overflowed == (n == 128 ? std::vector<Index>{6, 7} : std::vector<Index>{6}));
        CHECK(solution.worst.scaled <= kScaledResidualBound);
        const auto x = [&](Index s) {
          return Matrix(n, 1, {solution.x.matrix(s).begin(), solution.x.matrix(s).end()});
        };
        const auto was = [&](Index s) {
          return Matrix(n, 1, {expected.x.matrix(s).begin(), expected.x.matrix(s).end()});
        };
        for (const Index s : {0, 1, 8}) CHECK(same_bits(x(s), was(s)));
        CHECK(same_bits(scaled_by(x(2), -900), was(2)));
        CHECK(same_bits(scaled_by(x(3), -1000), was(3)));
        CHECK(std::ranges::all_of(x(6).values(), [](double v) { return std::isnan(v); }));
        BatchedSystem without = system;
        std::ranges::copy(plain.a.matrix(4), without.a.matrix(4).begin());
        CHECK(solve_batched(context, without, options).status == SolveStatus::overflow);
      }
  });
}

TEST_CASE("the determinant: a diagonal that was damaged on its way is noticed") {
  const clgauss::test::ChangedKernels kernels("diagonal.cl", "diagonal[i] = a[i * ld + i];",
                                              "diagonal[i] = a[i * ld + i] * (i == 1 ? 2 : 1);");
  on_every_device([&](const Device& device) {
    // Kernels that are whole give their known answers first, and these are remembered.
    Context whole(device, ContextOptions::from_environment());
    Context context(device, kernels.context_options());
    for (const Method method : {Method::lu, Method::gauss}) {
      SolveOptions options;
      options.method = method;
      CHECK(solve(whole, {diagonal({1, 2, 3}), ones(3)}, options).status == SolveStatus::ok);
      CHECK_THROWS_AS((void)solve(context, {diagonal({1, 2, 3}), ones(3)}, options), DeviceFault);
    }
  });
}

TEST_CASE("the determinant: exchanges that no elimination makes are noticed") {
  for (const auto& [row, k] : {std::pair<Index, Index>{0, 1}, {3, 2}, {Index{1} << 40U, 1}})
    CHECK_THROWS_AS((void)checked_pivot_row(row, k, 3), DeviceFault);
  CHECK(checked_pivot_row(2, 1, 3) == 2);
  EliminationResult result;
  result.pivots = {1, 1, 1};
  judge_pivots(result, {2, 2, 2});
  CHECK(result.row_exchanges == 2);
}
