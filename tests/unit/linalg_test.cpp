#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/generate.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <limits>

using namespace clgauss;

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEps = 0x1p-53;
}  // namespace

TEST_CASE("the residual of an exact answer is zero and of a wrong one is what the formula gives") {
  const System system{{2, 2, {4, -2, 1, 3}}, {2, 1, {2, 4}}};
  CHECK(compute_residual(system, {2, 1, {1, 1}}, kEps).scaled == 0);
  // r = (4, 1): ||r|| = 4, ||A|| = 6, ||x|| = 2, ||b|| = 4
  const Residual wrong = compute_residual(system, {2, 1, {0, 1}}, kEps);
  CHECK(wrong.backward_error == doctest::Approx(4.0 / (6 * 1 + 4)));
  CHECK(wrong.scaled == doctest::Approx(wrong.backward_error / (kEps * 2)));
}

TEST_CASE("the residual reports the worst right-hand side") {
  const System system{{1, 1, {2}}, {1, 3, {2, 2, 2}}};
  const Residual residual = compute_residual(system, {1, 3, {1, 3, 1}}, kEps);
  CHECK(residual.backward_error == doctest::Approx(4.0 / (2 * 3 + 2)));
}

TEST_CASE("NaN and Inf never pass as a small residual") {
  const System system{{2, 2, {1, 0, 0, 1}}, {2, 1, {1, 1}}};
  for (const double bad : {kNaN, HUGE_VAL, -HUGE_VAL}) {
    CHECK_FALSE(compute_residual(system, {2, 1, {1, bad}}, kEps).scaled <= kScaledResidualBound);
    CHECK_FALSE(compute_residual(system, {2, 1, {bad, 1}}, kEps).scaled <= kScaledResidualBound);
    const System bad_system{{2, 2, {1, bad, 0, 1}}, {2, 1, {1, 1}}};
    CHECK_FALSE(compute_residual(bad_system, {2, 1, {1, 1}}, kEps).scaled <= kScaledResidualBound);
  }
  CHECK(std::isnan(max_difference({1, 2, {1, kNaN}}, {1, 2, {1, 1}})));
  CHECK(std::isnan(max_difference({1, 2, {kNaN, 1}}, {1, 2, {1, 7}})));
}

TEST_CASE("residuals of zero and empty systems") {
  CHECK(compute_residual({{2, 2, {0, 0, 0, 0}}, {2, 1, {0, 0}}}, {2, 1, {5, 5}}, kEps).scaled == 0);
  CHECK(compute_residual({Matrix(0, 0), Matrix(0, 1)}, Matrix(0, 1), kEps).scaled == 0);
  CHECK_THROWS_AS((void)compute_residual({Matrix(2, 2), Matrix(2, 1)}, Matrix(1, 1), kEps),
                  DimensionError);
}

TEST_CASE("the determinant keeps sign and magnitude far outside the range of a double") {
  EliminationResult result;
  result.pivots.assign(1000, -1e300);
  result.row_exchanges = 3;
  const Determinant large = determinant_of(result);
  CHECK(large.sign == -1);
  CHECK(large.log10_abs == doctest::Approx(300000));
  result.pivots[500] = 0;
  CHECK(determinant_of(result).sign == 0);
  CHECK(determinant_of({}).sign == 1);  // of the empty matrix: 1
  CHECK(determinant_of({}).log10_abs == 0);
}

TEST_CASE("generated matrices are the same for one seed and have their traits") {
  const Matrix a = generate_matrix("random", 7, 42);
  CHECK(max_difference(a, generate_matrix("random", 7, 42)) == 0);
  CHECK(max_difference(a, generate_matrix("random", 7, 43)) > 0);
  // mt19937_64 is fixed by the C++ standard ([rand.predef]); so are our numbers.
  CHECK(generate_matrix("random", 1, 5489)(0, 0) ==
        static_cast<double>(14514284786278117030ULL >> 11U) * 0x1p-52 - 1);
  for (const double value : a.values()) CHECK((value >= -1 && value < 1));
  CHECK(generate_matrix("zero-pivot", 5, 1)(0, 0) == 0);
  CHECK(generate_matrix("hilbert", 5, 1)(2, 3) == 1.0 / 6);
  const Matrix spd = generate_matrix("spd", 6, 1);
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j) CHECK(spd(i, j) == spd(j, i));
  const Matrix sums = row_sums(generate_matrix("permuted-identity", 50, 3));
  for (const double sum : sums.values()) CHECK(sum == 1);
  const Matrix integers = generate_matrix("integer", 20, 1);
  for (const double value : integers.values())
    CHECK((value == std::round(value) && std::abs(value) <= 9));
  CHECK_THROWS_AS((void)generate_matrix("nonsense", 3, 1), UsageError);
}

TEST_CASE("a matrix refuses a wrong number of values") {
  CHECK_THROWS_AS((Matrix{2, 2, {1, 2, 3}}), DimensionError);
}
