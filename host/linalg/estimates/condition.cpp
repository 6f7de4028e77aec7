#include <algorithm>
#include <clgauss/condition.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "constants.hpp"
#include "linalg/estimates/norm_estimator.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/scaling.hpp"

namespace clgauss {

namespace {

using First = NormEstimator::First;

/// Largest magnitude in each column; Inf if the column has a number that is not finite.
std::vector<double> largest_in_columns(const Matrix& x) {
  std::vector<double> largest(x.cols(), 0.0);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index c = 0; c < x.cols(); ++c) {
      const double size = std::abs(x(i, c));
      largest[c] = size < kInfinity ? std::max(largest[c], size) : kInfinity;
    }
  return largest;
}

bool is_regular(double largest) { return largest > 0 && largest < kInfinity; }

/// Multiplies the columns of `x` by powers of two.
void scale_columns(Matrix& x, const std::vector<int>& exponents) {
  if (std::ranges::all_of(exponents, [](int exponent) { return exponent == 0; })) return;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index c = 0; c < x.cols(); ++c) x(i, c) = times_power(x(i, c), exponents[c]);
}

/// The product with an inverse, which may be computed in a type of narrower range than double.
/// Scales the columns of x to avoid overflow and underflow.
Matrix product(const std::function<Matrix(const Matrix&)>& multiply, Matrix x) {
  std::vector<int> exponents;
  for (const double largest : largest_in_columns(x))
    exponents.push_back(is_regular(largest) ? -std::ilogb(largest) : 0);
  scale_columns(x, exponents);
  std::vector<bool> known(x.cols(), false);
  Matrix result;
  int shifted = 0;
  for (const int shift : {0, -100, 100}) {
    scale_columns(x, std::vector<int>(x.cols(), shift - shifted));
    shifted = shift;
    Matrix y = multiply(x);
    const std::vector<double> largest = largest_in_columns(y);
    std::vector<int> back;
    for (const int exponent : exponents) back.push_back(-exponent - shift);
    scale_columns(y, back);
    if (result.empty())
      result = std::move(y);
    else
      for (Index i = 0; i < x.rows(); ++i)
        for (Index c = 0; c < x.cols(); ++c)
          if (!known[c]) result(i, c) = y(i, c);
    for (Index c = 0; c < x.cols(); ++c) known[c] = known[c] || is_regular(largest[c]);
    if (std::ranges::all_of(known, [](bool is) { return is; })) break;
  }
  return result;
}

/// B = diag(weights) A^-T, or A^-1 if there are no weights. ||B||_1 is then
/// || |A^-1| weights ||_inf, or ||A^-1||_1.
struct Estimate {
  explicit Estimate(NormEstimator started, std::vector<double> by = {})
      : estimator(std::move(started)), weights(std::move(by)) {}

  NormEstimator estimator;
  std::vector<double> weights;

  [[nodiscard]] bool wants_inverse_transposed() const {
    return estimator.wants_transposed() != !weights.empty();
  }
  /// Writes the vectors to multiply by A^-1 or A^-T into the columns of `all`, from `first` on.
  void ask(Matrix& all, Index first) const {
    const Matrix& question = estimator.question();
    const bool weighs = estimator.wants_transposed() && !weights.empty();
    for (Index i = 0; i < question.rows(); ++i)
      for (Index c = 0; c < question.cols(); ++c)
        all(i, first + c) = weighs ? question(i, c) * weights[i] : question(i, c);
  }
  void answer(const Matrix& all, Index first) {
    const Index columns = estimator.question().cols();
    Matrix part(all.rows(), columns, Values(all.rows() * columns));
    const bool weighs = !estimator.wants_transposed() && !weights.empty();
    for (Index i = 0; i < part.rows(); ++i)
      for (Index c = 0; c < part.cols(); ++c)
        part(i, c) = weighs ? all(i, first + c) * weights[i] : all(i, first + c);
    estimator.answer(part);
  }
};

/// Multiplies all estimates' vectors together, by A^-1 and A^-T alternately, until all are done.
void carry_out(std::vector<Estimate>& estimates, const InverseProducts& inverse) {
  bool transposed = true;
  const auto is_open = [](const Estimate& e) { return !e.estimator.done(); };
  while (std::ranges::any_of(estimates, is_open)) {
    transposed = !transposed;
    std::vector<std::pair<Estimate*, Index>> asking;  // an estimate and its first column
    Index columns = 0;
    for (Estimate& e : estimates) {
      if (!is_open(e) || e.wants_inverse_transposed() != transposed) continue;
      asking.emplace_back(&e, columns);
      columns += e.estimator.question().cols();
    }
    if (asking.empty()) continue;
    Matrix all(inverse.n, columns, Values(inverse.n * columns));
    for (const auto& [estimate, first] : asking) estimate->ask(all, first);
    const Matrix answers =
        product(transposed ? inverse.solve_transposed : inverse.solve, std::move(all));
    for (const auto& [estimate, first] : asking) estimate->answer(answers, first);
  }
}

double finite_or_inf(double norm) { return std::isfinite(norm) ? norm : kInfinity; }

/// |r| + (n + 1) eps (|A| |x| + |b|) of right-hand side c. With `pairs`, both rows of a complex
/// number have its modulus.
std::vector<double> weights_of(const AnswerErrors& answer, Index c, bool pairs) {
  const Index n = answer.x.rows();
  std::vector<double> weights(n);
  for (Index i = 0; i < n; ++i)
    weights[i] = std::abs(answer.residual(i, c)) +
                 static_cast<double>(n + 1) * kEps * answer.magnitudes(i, c);
  for (Index i = 0; pairs && i < n; i += 2)
    weights[i] = weights[i + 1] = std::hypot(weights[i], weights[i + 1]);
  return weights;
}

std::vector<Estimate> estimates_of(const AnswerErrors& answer, const NormEstimateOptions& options,
                                   bool pairs) {
  const auto has_shape = [&](const Matrix& m) {
    return m.rows() == answer.x.rows() && m.cols() == answer.x.cols();
  };
  if (!has_shape(answer.residual) || !has_shape(answer.magnitudes))
    throw DimensionError("the error of x needs a residual and magnitudes of the same shape");
  std::vector<Estimate> estimates;
  for (Index c = 0; c < answer.x.cols(); ++c)
    estimates.emplace_back(NormEstimator(answer.x.rows(), options, First::transposed, pairs),
                           weights_of(answer, c, pairs));
  return estimates;
}

/// Whether `product`, which did not go through product(), is usable.
bool is_regular(const Matrix& product) {
  return !product.empty() && std::ranges::all_of(largest_in_columns(product), [](double largest) {
    return is_regular(largest);
  });
}

double bound_of(const Estimate& estimate, const Matrix& x, Index c, bool pairs) {
  double largest = 0;
  for (Index i = 0; i < x.rows(); i += pairs ? 2 : 1)
    largest = max_or_nan(largest, pairs ? std::hypot(x(i, c), x(i + 1, c)) : std::abs(x(i, c)));
  const double error = estimate.estimator.estimate();
  if (error == 0 && std::isfinite(largest)) return 0;
  const double bound = error / largest;
  return std::isfinite(largest) && std::isfinite(bound) ? bound : kInfinity;
}

}  // namespace

MatrixSize size_of(const Matrix& a) { return size_of(sizes_of(a.values(), a.cols())); }

InverseProducts inverse_of(Lu& lu) {
  return {lu.n(), [&lu](const Matrix& x) { return lu.solve(x); },
          [&lu](const Matrix& x) { return lu.solve_transposed(x); }};
}

double rcond_of(Index n, double norm1_of_a, double norm1_of_inverse) {
  if (std::isnan(norm1_of_a)) return kNaN;
  if (n == 0) return 1;
  if (norm1_of_a == 0 || !std::isfinite(norm1_of_a)) return 0;
  return std::min(1.0, 1 / finite_or_inf(norm1_of_inverse) / norm1_of_a);
}

double inverse_norm1(const InverseProducts& inverse, const NormEstimateOptions& options) {
  std::vector<Estimate> one;
  one.emplace_back(NormEstimator(inverse.n, options, First::plain, inverse.pairs));
  carry_out(one, inverse);
  return finite_or_inf(one.front().estimator.estimate());
}

double reciprocal_condition(const InverseProducts& inverse, double norm1_of_a,
                            const NormEstimateOptions& options) {
  return rcond_of(inverse.n, norm1_of_a, inverse_norm1(inverse, options));
}

double reciprocal_condition(Lu& lu, double norm1_of_a, const NormEstimateOptions& options) {
  if (std::isnan(norm1_of_a)) return kNaN;
  if (lu.failed_column()) return 0;
  return reciprocal_condition(inverse_of(lu), norm1_of_a, options);
}

std::vector<double> forward_error_bounds(const InverseProducts& inverse, const AnswerErrors& answer,
                                         const NormEstimateOptions& options) {
  std::vector<Estimate> estimates = estimates_of(answer, options, inverse.pairs);
  carry_out(estimates, inverse);
  std::vector<double> bounds;
  for (const Estimate& estimate : estimates)
    bounds.push_back(bound_of(estimate, answer.x, bounds.size(), inverse.pairs));
  return bounds;
}

namespace {

ConditionAndError trust_of(std::vector<Estimate> estimates, const InverseProducts& inverse,
                           double norm1_of_a, const AnswerErrors& answer) {
  carry_out(estimates, inverse);
  ConditionAndError trust{rcond_of(inverse.n, norm1_of_a, estimates.back().estimator.estimate()),
                          {}};
  estimates.pop_back();
  for (const Estimate& estimate : estimates)
    trust.forward_error.push_back(
        bound_of(estimate, answer.x, trust.forward_error.size(), inverse.pairs));
  return trust;
}

/// Estimates for the error of every right-hand side, and one for A^-1 last. All start with a
/// product by A^-1.
std::vector<Estimate> all_estimates(const AnswerErrors& answer, const NormEstimateOptions& options,
                                    bool pairs) {
  std::vector<Estimate> estimates = estimates_of(answer, options, pairs);
  estimates.emplace_back(NormEstimator(answer.x.rows(), options, First::plain, pairs));
  return estimates;
}

}  // namespace

ConditionAndError estimate_trust(const InverseProducts& inverse, double norm1_of_a,
                                 const AnswerErrors& answer, const NormEstimateOptions& options) {
  return trust_of(all_estimates(answer, options, inverse.pairs), inverse, norm1_of_a, answer);
}

Matrix first_question(Index n) { return NormEstimator(n, kFewColumns, First::plain).question(); }

Matrix doubt_question(Index n) {
  Matrix question(n, 1);
  for (Index i = 0; i < n; ++i) {
    const double golden = 0.6180339887498949 * static_cast<double>(i + 1);
    const double size = 0.5 + golden - std::floor(golden);
    question(i, 0) = i * 2654435761U % 64 < 32 ? size : -size;
  }
  return question;
}

Values doubt_signs(Index n) {
  const Matrix question = doubt_question(n);
  Values signs(n);
  std::ranges::transform(question.values(), signs.begin(),
                         [](double value) { return std::copysign(1.0, value); });
  return signs;
}

bool is_doubtful(Index n, double eps, double norm, double product) {
  constexpr double kHidden = 1000, kThreeDigits = 1e-3;
  const double bound = 2 * static_cast<double>(n + 1) * eps * kHidden * norm * product;
  return !(bound <= kThreeDigits);
}

ConditionAndError estimate_trust_from(const Matrix& first, const InverseProducts& inverse,
                                      double norm1_of_a, const AnswerErrors& answer) {
  std::vector<Estimate> estimates = all_estimates(answer, kFewColumns, inverse.pairs);
  if (is_regular(first))
    for (Estimate& estimate : estimates) estimate.estimator.answer(first);
  return trust_of(std::move(estimates), inverse, norm1_of_a, answer);
}

int correct_digits(double forward_error_bound) {
  constexpr int kMost = std::numeric_limits<double>::digits10;
  int digits = kMost;
  while (digits > 0 && !(forward_error_bound <= std::pow(10.0, -digits))) --digits;
  return digits;
}

double reciprocal_pivot_growth(Lu& lu, double largest_of_a) {
  const double largest_of_u = lu.largest_of_u();
  return largest_of_u == 0 && !std::isnan(largest_of_a) ? 1 : largest_of_a / largest_of_u;
}

double determinant_error(Index n, double eps, double reciprocal_growth, double rcond) {
  const double growth = max_or_nan(1.0, 1 / reciprocal_growth);
  return static_cast<double>(n) * eps * (1 + growth / rcond);
}

}  // namespace clgauss
