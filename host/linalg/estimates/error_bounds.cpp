#include "linalg/estimates/error_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/estimates/upward.hpp"

namespace clgauss {

namespace {

/// -log10 of f64's unit roundoff: the most digits that f64 can have.
constexpr double kMostDigits = 15.95;

/// -log10(error / size), for display.
double digits_of(double error, double size) {
  const double ratio = divide_up(error, size);
  return std::clamp(-std::log10(ratio) - 1e-9, 0.0, kMostDigits);
}

/// The largest of[i] / to[i]; NaN if one of them is NaN.
double largest_ratio(std::span<const double> of, std::span<const double> to) {
  double largest = 0;
  for (Index i = 0; i < of.size(); ++i) {
    const double ratio = divide_up(of[i], to[i]);
    largest = largest >= ratio || std::isnan(largest) ? largest : ratio;
  }
  return largest;
}

}  // namespace

ErrorBounds::ErrorBounds(const ExactScaling& scaled, const Matrix& y)
    : scaled_(scaled), y_(y), best_(y.rows(), y.cols()) {
  std::ranges::fill(best_.values(), HUGE_VAL);
}

void ErrorBounds::improve(const Matrix& weights, const Matrix& errors) {
  for (Index k = 0; k < weights.rows(); ++k) {
    const double alpha = largest_ratio(errors.row(k), weights.row(k));
    norm_ = std::min(norm_, alpha);  // std::min ignores a NaN alpha
    if (!(alpha < 1)) continue;
    const Index first = k == 0 ? 0 : k - 1, last = k == 0 ? y_.rows() : k;
    for (Index c = first; c < last; ++c) improve(c, alpha, weights.row(k), errors.row(k));
  }
}

void ErrorBounds::improve(Index c, double alpha, std::span<const double> w,
                          std::span<const double> e) {
  const double factor = divide_up(largest_ratio(y_.row(c), w), complement_down(alpha));
  for (Index i = 0; i < e.size(); ++i)
    best_(c, i) = std::min(best_(c, i), add_up(y_(c, i), multiply_up(e[i], factor)));
}

bool ErrorBounds::are_tight() const {
  for (Index c = 0; c < y_.rows(); ++c) {
    const std::span<const double> x = scaled_.x().row(c), y = y_.row(c);
    double largest = 0, worst = 0.25 * kUnit;
    for (Index i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(x[i]));
      if (x[i] != 0) worst = std::max(worst, y[i] / std::abs(x[i]));
    }
    for (Index i = 0; i < x.size(); ++i)
      if (!(best_(c, i) <= 1.5 * y[i] + worst * (x[i] != 0 ? std::abs(x[i]) : largest)))
        return false;
  }
  return norm_ < 1;
}

Matrix ErrorBounds::scaled_back() const {
  Matrix bounds(best_.cols(), best_.rows());
  for (Index i = 0; i < bounds.rows(); ++i)
    for (Index c = 0; c < bounds.cols(); ++c)
      bounds(i, c) = up(std::ldexp(best_(c, i), scaled_.back(i, c)));
  return bounds;
}

Certificate ErrorBounds::certificate(const Matrix& x) const {
  if (!(norm_ < 1)) return unproven(norm_, too_ill_conditioned("I - R A", norm_));
  Matrix bounds = scaled_back();
  if (!are_bounds(bounds)) return unproven(norm_, kNoBound);
  return proven(x, std::move(bounds), norm_);
}

std::string too_ill_conditioned(std::string_view what, double norm_bound) {
  return fmt::format(
      "the norm of {} could only be bounded by {:.3g}, and less than 1 is needed: A is too "
      "ill-conditioned for f64, or singular",
      what, norm_bound);
}

bool are_bounds(const Matrix& bounds) {
  return std::ranges::all_of(bounds.values(), [](double bound) { return bound < HUGE_VAL; });
}

Certificate proven(const Matrix& x, Matrix bounds, double norm_bound) {
  Certificate certificate;
  certificate.proven = true;
  certificate.norm_bound = norm_bound;
  certificate.bounds = std::move(bounds);
  certificate.digits = certificate.norm_digits = kMostDigits;
  for (Index c = 0; c < x.cols(); ++c) {
    double largest = 0, largest_bound = 0;
    for (Index i = 0; i < x.rows(); ++i) {
      const double size = std::abs(x(i, c)), bound = certificate.bounds(i, c);
      if (size > 0) certificate.digits = std::min(certificate.digits, digits_of(bound, size));
      largest = std::max(largest, size);
      largest_bound = std::max(largest_bound, bound);
    }
    if (largest > 0)
      certificate.norm_digits =
          std::min(certificate.norm_digits, digits_of(largest_bound, largest));
  }
  return certificate;
}

Certificate unproven(double norm_bound, std::string reason) {
  Certificate certificate;
  certificate.norm_bound = norm_bound;
  certificate.reason = std::move(reason);
  return certificate;
}

}  // namespace clgauss
