#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <limits>
#include <regex>

#include "constants.hpp"
#include "linalg/solve/methods.hpp"
#include "matrix/max_or_nan.hpp"
#include "support/paths.hpp"

using namespace clgauss;

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

TEST_CASE("the residual neither overflows nor underflows, whatever the range of A, b and x") {
  // Of a 2 x 2 system as above, r = (4, 1): every power of two on A, x and b that goes together
  // leaves the measure as it is.
  const double expected = 4.0 / (6 * 1 + 4);
  for (const int of_a : {-1070, -700, 0, 700, 1020})
    for (const int of_x : {-1070, -700, 0, 700, 1020}) {
      if (of_a + of_x < -1070 || of_a + of_x > 1020) continue;  // b has to be a double
      CAPTURE(of_a);
      CAPTURE(of_x);
      const auto times = [](double value, int exponent) { return std::ldexp(value, exponent); };
      const int of_b = of_a + of_x;
      const System system{{2, 2, {times(4, of_a), times(-2, of_a), times(1, of_a), times(3, of_a)}},
                          {2, 1, {times(2, of_b), times(4, of_b)}}};
      CHECK(compute_residual(system, {2, 1, {0, times(1, of_x)}}, kEps).backward_error == expected);
      CHECK(compute_residual(system, {2, 1, {times(1, of_x), times(1, of_x)}}, kEps).scaled == 0);
    }
}

TEST_CASE("the residual where the norms together are beyond a double, against long double") {
  const Index n = 31;
  System system{Matrix(n, n), Matrix(n, 2)};
  Matrix x(n, 2);
  for (Index i = 0; i < n; ++i) {
    system.a(i, i) = std::pow(10.0, -300 + 20 * static_cast<int>(i));
    for (const Index c : {0, 1}) {
      system.b(i, c) = 1;
      x(i, c) = 1 / system.a(i, i);
    }
  }
  CHECK(compute_residual(system, x, kEps).scaled <= kScaledResidualBound);
  // A wrong answer where it matters: the large unknown, and for one right-hand side only.
  x(0, 1) = 3e300;
  system.a(n - 1, 0) = 1e300;
  long double largest = 0;
  for (Index i = 0; i < n; ++i) {
    long double r = system.b(i, 1), row = 0;
    for (Index j = 0; j < n; ++j) {
      r -= static_cast<long double>(system.a(i, j)) * x(j, 1);
      row += std::abs(static_cast<long double>(system.a(i, j)));
    }
    largest = std::max(largest, std::abs(r));
  }
  const long double scale = 2e300L * 3e300L + 1;
  CHECK(compute_residual(system, x, kEps).backward_error ==
        doctest::Approx(static_cast<double>(largest / scale)));
  // Tiny throughout: the products underflow.
  const System tiny{{1, 1, {1e-200}}, {1, 1, {0}}};
  CHECK(compute_residual(tiny, {1, 1, {1e-200}}, kEps).backward_error == 1);
  // A large right-hand side beside a system of ordinary numbers.
  const System large{{1, 1, {1}}, {1, 1, {0x1p1023}}};
  CHECK(compute_residual(large, {1, 1, {-0x1p1023}}, kEps).backward_error == 1);
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
  result.pivots.assign(3, 1.0);
  result.exponent = -3000;  // of pivots of a matrix that was scaled
  CHECK(determinant_of(result).log10_abs == doctest::Approx(-3000 * std::log10(2.0)));
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

TEST_CASE("clgauss.h has a constant of every method, which has its number") {
  const std::string header =
      test::content_of(test::data_folder().parent_path() / "host" / "include" / "clgauss.h");
  for (const MethodRow& row : all_methods()) {
    std::string name = row.method == Method::automatic ? "AUTOMATIC" : std::string(row.name);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    CAPTURE(name);
    const std::string number = std::to_string(static_cast<int>(row.method));
    CHECK(std::regex_search(
        header, std::regex("CLGAUSS_METHOD_" + name + R"(\s*=\s*)" + number + R"(\b)")));
  }
}

TEST_CASE(
    "the modulus of a complex number is right to the ends of the range, NaN and Inf included") {
  constexpr double kLargest = std::numeric_limits<double>::max(),
                   kSmallest = std::numeric_limits<double>::denorm_min();
  CHECK(safe_modulus(3, -4) == 5);
  CHECK(safe_modulus(0, 0) == 0);
  CHECK(safe_modulus(kSmallest, 0) == kSmallest);
  CHECK(safe_modulus(0, -kLargest) == kLargest);
  CHECK(safe_modulus(kInfinity, 1) == kInfinity);
  CHECK(std::isnan(safe_modulus(1, kNaN)));
  for (int power = -1070; power <= 1022; power += 4)
    for (const double ratio : {1.0, 0.75, 0x1p-30, 0.0}) {
      const double re = std::ldexp(1.25, power), im = re * ratio;
      CAPTURE(power);
      CHECK(std::abs(safe_modulus(re, im) - std::hypot(re, im)) <= 0x1p-51 * std::hypot(re, im));
    }
}
