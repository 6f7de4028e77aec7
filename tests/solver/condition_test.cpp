// How far an answer can be trusted: rcond, forward error bounds, growth, the determinant's error.
#include <algorithm>
#include <clgauss/condition.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

#include "constants.hpp"
#include "linalg/estimates/norm_estimator.hpp"
#include "support/devices.hpp"
#include "support/gallery.hpp"
#include "support/padded_matrix.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::norm1;
using clgauss::test::on_every_device;
using clgauss::test::rounded;
using clgauss::test::Spread;
using clgauss::test::types_of;

namespace {

/// A^-1 by Gauss-Jordan with partial pivoting in long double.
Matrix inverse(const Matrix& a) {
  const Index n = a.rows();
  std::vector<long double> w(n * 2 * n, 0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) w[i * 2 * n + j] = a(i, j);
    w[i * 2 * n + n + i] = 1;
  }
  for (Index k = 0; k < n; ++k) {
    Index p = k;
    for (Index i = k; i < n; ++i)
      if (std::abs(w[i * 2 * n + k]) > std::abs(w[p * 2 * n + k])) p = i;
    for (Index j = 0; j < 2 * n; ++j) std::swap(w[k * 2 * n + j], w[p * 2 * n + j]);
    const long double pivot = w[k * 2 * n + k];
    for (Index j = 0; j < 2 * n; ++j) w[k * 2 * n + j] /= pivot;
    for (Index i = 0; i < n; ++i) {
      if (i == k) continue;
      const long double by = w[i * 2 * n + k];
      for (Index j = 0; j < 2 * n; ++j) w[i * 2 * n + j] -= by * w[k * 2 * n + j];
    }
  }
  Matrix result(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) result(i, j) = static_cast<double>(w[i * 2 * n + n + j]);
  return result;
}

/// Products with a known inverse; counts them.
InverseProducts products_with(const Matrix& inverse, int& count) {
  return {inverse.rows(), [&](const Matrix& x) { return ++count, test::product(inverse, x); },
          [&](const Matrix& x) { return ++count, test::product(transposed(inverse), x); }};
}

/// Of every kind of spectrum and of conditions from 1 to 1e11.
Matrix of_trial(Index trial, Index n) {
  return test::randsvd(n, std::pow(10.0, trial % 12), static_cast<Spread>(1 + trial % 5), trial);
}

struct Named {
  std::string name;
  Matrix a;
};

/// Up to condition 1e14; beyond, two factorisations of one matrix have inverses that have nothing
/// to do with each other.
std::vector<Named> gallery() {
  std::vector<Named> all;
  for (const Index n : {1, 2, 3, 9, 33, 128})
    all.push_back({"random " + std::to_string(n), random_matrix(n, n, n)});
  for (int spread = 1; spread <= 5; ++spread)
    for (const int exponent : {1, 4, 7, 10, 12, 14})
      all.push_back({"randsvd mode " + std::to_string(spread) + " 1e" + std::to_string(exponent),
                     test::randsvd(60, std::pow(10.0, exponent), static_cast<Spread>(spread),
                                   static_cast<std::uint64_t>(exponent))});
  for (const Index n : {4, 7, 10}) {
    all.push_back({"hilbert " + std::to_string(n), test::hilbert(n)});
    all.push_back({"lotkin " + std::to_string(n), test::lotkin(n)});
    all.push_back({"vandermonde " + std::to_string(n), test::vandermonde(n)});
  }
  all.push_back({"kahan 60", test::kahan(60)});
  all.push_back({"frank 15", test::frank(15)});
  all.push_back({"grcar 100", test::grcar(100)});
  all.push_back({"minij 129", test::minij(129)});
  all.push_back({"wilkinson 64", test::wilkinson_growth(64)});
  all.push_back({"graded", test::graded(50, 1e-6, 1e6, 1)});
  all.push_back({"generated graded", generate_matrix("graded", 50, 1)});
  all.push_back({"rows by powers of ten", test::rows_by_powers_of_ten(random_matrix(70, 70, 5))});
  all.push_back({"permuted identity", generate_matrix("permuted-identity", 40, 2)});
  return all;
}

}  // namespace

TEST_CASE(
    "condition: the estimator is below the norm, above a third of it, and the same every time") {
  double worst = 1;
  for (Index trial = 0; trial < 150; ++trial) {
    const Index n = 1 + trial % 40;
    const Matrix b = trial % 3 == 0 ? random_matrix(n, n, trial) : inverse(of_trial(trial, n));
    int count = 0;
    const InverseProducts products = products_with(b, count);
    const double estimate = inverse_norm1(products);
    CAPTURE(trial);
    CHECK(count <= 3);
    CHECK(estimate <= norm1(b) * (1 + 1e-12));
    CHECK(estimate >= norm1(b) / 3);
    CHECK(estimate == inverse_norm1(products));
    if (n <= 8) CHECK(estimate >= norm1(b) * (1 - 1e-12));
    worst = std::min(worst, estimate / norm1(b));
  }
  CHECK(worst < 1);  // an estimate
}

TEST_CASE("condition: rcond and the error of x take three products together") {
  int all = 0;
  constexpr int kTrials = 40;
  for (Index trial = 0; trial < kTrials; ++trial) {
    const Index n = 30 + trial;
    const Matrix a = of_trial(trial, n);
    int count = 0;
    const Matrix inverse_of_a = inverse(a);
    const InverseProducts products = products_with(inverse_of_a, count);
    const Matrix x = random_matrix(n, 1, trial), small = random_matrix(n, 1, trial + 1);
    const ConditionAndError both = estimate_trust(products, norm1(a), {x, small, small});
    CAPTURE(trial);
    CHECK(count <= 4);
    all += count;
    const ConditionAndError apart{reciprocal_condition(products, norm1(a)),
                                  forward_error_bounds(products, {x, small, small})};
    CHECK(both.rcond == apart.rcond);
    CHECK(both.forward_error == apart.forward_error);
  }
  CHECK(all <= 3 * kTrials + kTrials / 4);  // a fourth is rare
}

TEST_CASE("condition: two products more than came with the solve tell rcond and the error of x") {
  int all = 0;
  constexpr int kTrials = 40;
  for (Index trial = 0; trial < kTrials; ++trial) {
    const Index n = 30 + trial;
    const Matrix a = of_trial(trial, n);
    const Matrix inverse_of_a = inverse(a), x = random_matrix(n, 1, trial);
    Matrix magnitudes(n, 1), largest(n, 1);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) magnitudes(i, 0) += std::abs(a(i, j) * x(j, 0));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        largest(i, 0) +=
            std::abs(inverse_of_a(i, j)) * magnitudes(j, 0) * static_cast<double>(n + 1) * kEps;
    const double bound = *std::ranges::max_element(largest.values()) /
                         std::abs(*std::ranges::max_element(
                             x.values(), {}, [](double value) { return std::abs(value); }));
    int count = 0;
    const ConditionAndError found = estimate_trust_from(
        test::product(inverse_of_a, first_question(n)), products_with(inverse_of_a, count),
        norm1(a), {x, Matrix(n, 1), magnitudes});
    CAPTURE(trial);
    CHECK(count <= 3);
    all += count;
    const double rcond = 1 / norm1(a) / norm1(inverse_of_a);
    CHECK(found.rcond >= rcond * (1 - 1e-12));
    CHECK(found.rcond <= 3 * rcond);
    CHECK(found.forward_error[0] <= bound * (1 + 1e-12));
    CHECK(found.forward_error[0] >= bound / 5);
  }
  CHECK(all <= 2 * kTrials + kTrials / 4);
}

TEST_CASE("condition: what came with the solve and is no number, or nothing, is asked for again") {
  const Index n = 40;
  const Matrix inverse_of_a = random_matrix(n, n, 1), x = random_matrix(n, 1, 2);
  int count = 0;
  const InverseProducts products = products_with(inverse_of_a, count);
  const ConditionAndError right = estimate_trust_from({}, products, 1, {x, x, x});
  const int without = std::exchange(count, 0);
  for (const double bad : {kNaN, kInfinity, 0.0}) {
    Matrix first = test::product(inverse_of_a, first_question(n));
    for (Index i = 0; i < n; ++i) first(i, 1) = i == 3 || bad == 0 ? bad : first(i, 1);
    const ConditionAndError found = estimate_trust_from(first, products, 1, {x, x, x});
    CHECK(std::exchange(count, 0) == without);
    CHECK(found.rcond == right.rcond);
    CHECK(found.forward_error == right.forward_error);
  }
}

TEST_CASE("condition: more columns and more products are never asked for than there are") {
  const Matrix b = random_matrix(30, 30, 1);
  for (const Index columns : {0, 1, 2, 30, 1000})
    for (const Index products : {0, 1, 2, 3, 50}) {
      CAPTURE(columns);
      CAPTURE(products);
      int count = 0;
      Index most = 0;
      InverseProducts asked = products_with(b, count);
      asked.solve = [&, solve = asked.solve](const Matrix& x) {
        most = std::max(most, x.cols());
        return solve(x);
      };
      const double estimate = inverse_norm1(asked, {columns, products, 7});
      CHECK(estimate > 0);
      CHECK(estimate <= norm1(b) * (1 + 1e-12));
      CHECK(static_cast<Index>(count) <= std::max<Index>(products, 1));
      CHECK(most <= std::max<Index>(columns, 1));
    }
}

TEST_CASE("condition: numbers beyond the range of the products are asked for again, smaller") {
  // Products that overflow, or lose everything, as f32 does; the inverse of the first is 1e45
  // large.
  for (const double size : {1e45, 1e-45, 1.0}) {
    Matrix b = random_matrix(20, 20, 3);
    for (double& value : b.values()) value *= size;
    const auto in_f32 = [](Matrix y) {
      for (double& value : y.values())
        value = std::abs(value) > 3.4e38 ? kInfinity : std::abs(value) < 1.2e-38 ? 0 : value;
      return y;
    };
    const InverseProducts products{
        20, [&](const Matrix& x) { return in_f32(test::product(b, x)); },
        [&](const Matrix& x) { return in_f32(test::product(transposed(b), x)); }};
    CAPTURE(size);
    CHECK(inverse_norm1(products) >= norm1(b) / 3);
    CHECK(inverse_norm1(products) <= norm1(b) * (1 + 1e-12));
  }
}

TEST_CASE("condition: what is no number is said, and never taken for a condition") {
  const InverseProducts nothing{20, [](const Matrix& x) { return x; },
                                [](const Matrix& x) { return x; }};
  CHECK(reciprocal_condition(nothing, 1.0) == 1.0);
  CHECK(std::isnan(reciprocal_condition(nothing, kNaN)));
  CHECK(reciprocal_condition(nothing, kInfinity) == 0);
  CHECK(reciprocal_condition(nothing, 0) == 0);
  for (const double bad : {kNaN, kInfinity}) {
    const auto spoil = [bad](Matrix x) {
      x(3, 0) = bad;
      return x;
    };
    CHECK(reciprocal_condition({20, spoil, nothing.solve}, 1.0) == 0);
    CHECK(reciprocal_condition({20, nothing.solve, spoil}, 1.0) == 0);
    const Matrix one = random_matrix(20, 1, 1);
    CHECK(forward_error_bounds({20, spoil, nothing.solve}, {one, one, one})[0] == kInfinity);
    CHECK(forward_error_bounds(nothing, {spoil(one), one, one})[0] == kInfinity);
    CHECK(forward_error_bounds(nothing, {one, spoil(one), one})[0] == kInfinity);
  }
  CHECK(forward_error_bounds(nothing, {Matrix(20, 1), Matrix(20, 1), Matrix(20, 1)})[0] == 0);
  CHECK(forward_error_bounds(nothing, {Matrix(20, 1), random_matrix(20, 1, 1), Matrix(20, 1)})[0] ==
        kInfinity);
  CHECK_THROWS_AS(
      (void)forward_error_bounds(nothing, {Matrix(20, 1), Matrix(20, 2), Matrix(20, 1)}),
      DimensionError);
  CHECK(reciprocal_condition({0, nullptr, nullptr}, 0) == 1);
}

TEST_CASE("condition: the size of a matrix, by one core and by several") {
  for (const Index n : {0, 1, 7, 700}) {
    const Matrix a = random_matrix(n, n, 2);
    double largest = 0;
    for (const double value : a.values()) largest = std::max(largest, std::abs(value));
    CHECK(std::abs(size_of(a).norm1 - norm1(a)) <= 1e-12 * norm1(a));
    CHECK(size_of(a).largest == largest);
  }
  Matrix bad = random_matrix(300, 300, 1);
  bad(299, 1) = kNaN;
  CHECK(std::isnan(size_of(bad).norm1));
  CHECK(std::isnan(size_of(bad).largest));
}

TEST_CASE("condition: correct digits") {
  CHECK(correct_digits(0) == 15);
  CHECK(correct_digits(1e-17) == 15);
  CHECK(correct_digits(1e-9) == 9);
  CHECK(correct_digits(1.01e-9) == 8);
  CHECK(correct_digits(0.1) == 1);
  CHECK(correct_digits(0.5) == 0);
  CHECK(correct_digits(kInfinity) == 0);
  CHECK(correct_digits(kNaN) == 0);
}

TEST_CASE("one verdict: digits that are left deny no doubt, and none is doubted beside them") {
  const auto verdict = [](double rcond, std::vector<double> errors, double scaled = 1) {
    SolveOutcome outcome;
    outcome.residual.scaled = scaled;
    outcome.trust = Trust{rcond, std::move(errors)};
    return doubt_of(outcome);
  };
  CHECK(doubt_of(SolveOutcome{}) == Doubt::unknown);
  CHECK(verdict(0.1, {1e-12}) == Doubt::none);
  CHECK(verdict(1e-30, {1e-4}) == Doubt::none);  // rows of different sizes
  CHECK(verdict(1e-30, {1e-4, 0.02}) == Doubt::few_digits);
  CHECK(verdict(1e-14, {0.02}) == Doubt::few_digits);
  CHECK(verdict(1e-14, {kInfinity}) == Doubt::few_digits);
  CHECK(verdict(1e-17, {0.5}) == Doubt::nearly_singular);
  CHECK(verdict(1e-17, {kNaN}) == Doubt::nearly_singular);
  CHECK(verdict(kNaN, {kNaN}) == Doubt::nearly_singular);
  CHECK(verdict(1e-17, {}) == Doubt::nearly_singular);
  CHECK(verdict(0.1, {}) == Doubt::none);
  CHECK(verdict(1e-14, {0.02}, 0) == Doubt::none);  // x is exact
}

TEST_CASE("condition: rcond of singular factors is 0, and of nothing factored an error") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      Lu lu(context, type, 40);
      CHECK_THROWS_AS((void)reciprocal_condition(lu, 1), UsageError);
      CHECK_THROWS_AS((void)reciprocal_pivot_growth(lu, 1), UsageError);
      lu.factor(generate_matrix("singular", 40, 3));
      CHECK(reciprocal_condition(lu, 1) == 0);
      // Rank 20, exactly, and by rounding: LU need not find a zero pivot.
      for (const bool exact : {true, false}) {
        const Matrix a = rounded(test::rank_deficient(40, 20, exact, 3), type);
        lu.factor(a);
        CHECK(reciprocal_condition(lu, norm1(a)) <= 40 * unit_roundoff(type));
      }
    }
  });
}

TEST_CASE("condition: growth is read from U, and of Wilkinson's matrix it is 2^(n-1)") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      const Index n = 30;
      Lu lu = lu_factor(context, type, test::wilkinson_growth(n));
      CHECK(reciprocal_pivot_growth(lu, 1) == std::ldexp(1.0, 1 - static_cast<int>(n)));
      const Matrix a = rounded(random_matrix(200, 200, 1), type);
      Lu random = lu_factor(context, type, a);
      const double growth = reciprocal_pivot_growth(random, size_of(a).largest);
      CHECK(growth <= 1);
      CHECK(growth >= 0.01);
    }
  });
}

TEST_CASE("condition: the determinant's error stays below its estimate") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    // All of determinant 1; minij's is found exactly.
    for (const auto& [name, a] : std::vector<Named>{
             {"frank", test::frank(12)}, {"minij", test::minij(50)}, {"frank", test::frank(7)}}) {
      CAPTURE(name);
      const Index n = a.rows();
      const MatrixView view = to_device(context, type, a, n, "a test");
      Lu lu = lu_factor(context, type, view, n);
      const MatrixSize size = size_of(a);
      const double rcond = reciprocal_condition(lu, size.norm1),
                   growth = reciprocal_pivot_growth(lu, size.largest);
      const auto factors = download(context.queue(), view.buffer, type, n * n);
      double determinant = 1;
      for (Index i = 0; i < n; ++i) determinant *= factors[i * n + i];
      const double error = std::abs(std::abs(determinant) - 1);
      CHECK(error <= determinant_error(n, unit_roundoff(type), growth, rcond));
    }
  });
  CHECK(determinant_error(10, kEps, 1, 0) == kInfinity);
  CHECK(std::isnan(determinant_error(10, kEps, kNaN, 1)));
}

TEST_CASE("condition: solve() says how far the determinant can be trusted, whatever the path") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    // Determinant 1 as well: its rows and columns are multiplied by powers of two that cancel.
    Matrix graded = test::minij(40);
    for (Index i = 0; i < 40; ++i)
      for (Index j = 0; j < 40; ++j)
        graded(i, j) = std::ldexp(graded(i, j), 12 * static_cast<int>(i) - 234);
    for (const Method method : {Method::automatic, Method::lu, Method::mixed})
      for (const Matrix& a : {test::frank(7), test::minij(40), graded, test::minij(300)}) {
        if (method == Method::lu && !device.profile.fp64) continue;
        CAPTURE(method_name(method));
        CAPTURE(a.rows());
        SolveOptions options;
        options.method = method;
        options.determinant = options.trust = true;
        const Solution solution = solve(context, {a, row_sums(a)}, options);
        REQUIRE(solution.trust);
        const Determinant& determinant = solution.determinant;
        const double error = std::abs(std::expm1(determinant.log10_abs * std::log(10.0))),
                     bound = determinant.relative_error;
        if (!(bound < 1)) continue;
        CHECK(determinant.sign == 1);
        CHECK(error <= bound + 1e-13);  // of the logarithm
        if (solution.type == RealType::f64) CHECK(bound <= 1e-6);
        options.trust = false;
        CHECK(std::isnan(solve(context, {a, row_sums(a)}, options).determinant.relative_error));
      }
    CHECK(
        std::isnan(solve(context, {test::frank(7), Matrix(7, 1)}, {}).determinant.relative_error));
  });
}

TEST_CASE("condition: rcond is that of the inverse, on every device") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 2, 3, 8, 9, 31, 32, 33, 128}) {
        CAPTURE(n);
        const Matrix a = rounded(random_matrix(n, n, 20 + n), type);
        Lu lu = lu_factor(context, type, a);
        const double exact = 1 / (norm1(a) * norm1(inverse(a)));
        const double rcond = reciprocal_condition(lu, size_of(a).norm1);
        CHECK(rcond >= exact * (1 - 1e-3));
        CHECK(rcond <= 3 * exact);
        CHECK(rcond == reciprocal_condition(lu, size_of(a).norm1));
      }
  });
}

TEST_CASE("condition: rcond does not depend on the scale of A, up to the edges of f32") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Matrix a = rounded(test::randsvd(50, 1e4, Spread::geometric, 1), RealType::f32);
    const auto rcond_of = [&](int exponent) {
      Matrix scaled = a;
      for (double& value : scaled.values()) value = std::ldexp(value, exponent);
      Lu lu = lu_factor(context, RealType::f32, scaled);
      return reciprocal_condition(lu, size_of(scaled).norm1);
    };
    const double expected = rcond_of(0);
    CHECK(expected > 1e-6);
    for (const int exponent : {-109, -50, 50, 120}) {  // 2^-109: the inverse is at the edge of f32
      CAPTURE(exponent);
      CHECK(std::abs(rcond_of(exponent) - expected) <=
            0.3 * expected);  // subnormal numbers may be lost
    }
  });
}

TEST_CASE("condition: the forward error is below its bound, and the bound not absurd") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    for (const auto& [name, given] : gallery()) {
      CAPTURE(name);
      const Matrix a = rounded(given, type);
      const Index n = a.rows();
      // Columns that f32 holds, too: ones, and small integers.
      Matrix known(n, 2), b(n, 2), magnitudes(n, 2), residual(n, 2);
      for (Index i = 0; i < n; ++i) {
        known(i, 0) = 1;
        known(i, 1) = static_cast<double>(1 + i % 5) * (i % 2 == 0 ? 1 : -1);
      }
      // b is A x rounded to a double: that is an error of the data, of which the bound knows by
      // |b|.
      for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < 2; ++c) {
          long double sum = 0;
          for (Index j = 0; j < n; ++j)
            sum += static_cast<long double>(a(i, j)) * static_cast<long double>(known(j, c));
          b(i, c) = static_cast<double>(sum);
        }
      Lu lu = lu_factor(context, type, a);
      if (reciprocal_condition(lu, norm1(a)) <= 100 * unit_roundoff(type)) continue;
      const Matrix x = lu.solve(rounded(b, type));
      for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < 2; ++c) {
          double r = b(i, c), magnitude = std::abs(b(i, c));
          for (Index j = 0; j < n; ++j) {
            r -= a(i, j) * x(j, c);
            magnitude += std::abs(a(i, j) * x(j, c));
          }
          residual(i, c) = r;
          magnitudes(i, c) = magnitude;
        }
      const AnswerErrors answer{x, residual, magnitudes};
      const std::vector<double> bounds = forward_error_bounds(inverse_of(lu), answer);
      const ConditionAndError trust = estimate_trust(inverse_of(lu), norm1(a), answer);
      const double rcond = reciprocal_condition(lu, norm1(a));
      CHECK(std::abs(trust.rcond - rcond) <= 0.01 * rcond);  // other kernels for more columns
      const double growth = reciprocal_pivot_growth(lu, size_of(a).largest);
      REQUIRE(bounds.size() == 2);
      for (Index c = 0; c < 2; ++c) {
        double error = 0, largest = 0;
        for (Index i = 0; i < n; ++i) {
          error = std::max(error, std::abs(x(i, c) - known(i, c)));
          largest = std::max(largest, std::abs(x(i, c)));
        }
        CAPTURE(c);
        CHECK(std::abs(trust.forward_error[c] - bounds[c]) <= 0.01 * bounds[c]);
        CHECK(error / largest <= bounds[c]);
        // What rounding of the solve may have done, with the condition and the growth of the
        // pivots, times n: the (n + 1) eps of the residual.
        CHECK(bounds[c] <= 20 * static_cast<double>(n) * unit_roundoff(type) /
                               (trust.rcond * std::min(1.0, growth)));
      }
    }
  });
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK
TEST_CASE("condition: rcond is within a factor of 3 of LAPACK's gecon on every kind") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      Index compared = 0;
      for (const auto& [name, given] : gallery()) {
        const Matrix a = rounded(given, type);
        const auto n = static_cast<lapack_int>(a.rows());
        const double norm = norm1(a);
        std::vector<double> lu(a.values().begin(), a.values().end());
        std::vector<lapack_int> pivots(a.rows());
        LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, lu.data(), n, pivots.data());
        double lapacks = 0;
        LAPACKE_dgecon(LAPACK_ROW_MAJOR, '1', n, lu.data(), n, norm, &lapacks);
        if (lapacks <= 20 * unit_roundoff(type)) continue;  // noise
        const auto largest = [](std::span<const double> values) {
          double most = 0;
          for (const double v : values) most = std::max(most, std::abs(v));
          return most;
        };
        // Such growth leaves solves no digit: Wilkinson's matrix, whose estimate is then as the
        // order of the sums is.
        if (largest(lu) / largest(a.values()) * unit_roundoff(type) >= 1) continue;
        Lu factors = lu_factor(context, type, a);
        const double rcond = reciprocal_condition(factors, size_of(a).norm1);
        CAPTURE(name);
        CAPTURE(lapacks);
        CAPTURE(rcond);
        CHECK(rcond >= lapacks / 3);
        CHECK(rcond <= lapacks * 3);
        ++compared;
      }
      CHECK(compared >= (type == RealType::f64 ? 49 : 20));
    }
  });
}

TEST_CASE("condition: factors in f32 are asked for rcond where they can tell, and only there") {
  constexpr Index n = 260;  // above what the host's LU estimates for
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (test::is_slow(context)) return;
    Index by_f32 = 0, below_1e_6 = 0, all = 0;
    for (const double condition : {1e6, 1e7, 1e9})
      for (const test::Spread spread :
           {test::Spread::one_large, test::Spread::one_small, test::Spread::geometric,
            test::Spread::arithmetic, test::Spread::random}) {
        const System system{test::randsvd(n, condition, spread, 5), random_matrix(n, 1, 6)};
        std::vector<double> lu(system.a.values().begin(), system.a.values().end());
        std::vector<lapack_int> pivots(n);
        LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, lu.data(), n, pivots.data());
        double lapacks = 0;
        LAPACKE_dgecon(LAPACK_ROW_MAJOR, '1', n, lu.data(), n, norm1(system.a), &lapacks);
        SolveOptions options;
        options.method = Method::mixed;
        options.trust = true;
        const Solution solution = solve(context, system, options);
        REQUIRE(solution.trust);
        CAPTURE(condition);
        CAPTURE(static_cast<int>(spread));
        CAPTURE(solution.passed_over);
        CHECK(solution.trust->rcond >= lapacks / 3);
        CHECK(solution.trust->rcond <= lapacks * 3);
        ++all;
        if (!solution.passed_over.empty()) continue;
        ++by_f32;
        below_1e_6 += solution.trust->rcond < 1e-6 ? 1 : 0;
      }
    MESSAGE(by_f32, " of ", all, " by factors in f32, ", below_1e_6, " below 1e-6");
    CHECK(below_1e_6 > 0);
  });
}
#endif
