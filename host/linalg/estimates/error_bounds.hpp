#pragma once
/// From bounds of R (b - A x) and of I - R A to those of x, and to a Certificate.

#include <clgauss/certify.hpp>
#include <limits>
#include <span>

#include "linalg/estimates/exact_scaling.hpp"

namespace clgauss {

/// The best bounds so far of |x_true - x|, scaled and transposed.
class ErrorBounds {
 public:
  /// `y` bounds |R r|. Both must outlive it.
  ErrorBounds(const ExactScaling& scaled, const Matrix& y);

  /// By weights w > 0 and bounds e of |E| w, of which the first row is for every right-hand side,
  /// the others for one each: where e <= alpha w and alpha < 1, |x_true - x| <= y + e max(y / w) /
  /// (1 - alpha).
  void improve(const Matrix& weights, const Matrix& errors);

  /// Whether a better R or other weights cannot make much of a difference: every bound is near y,
  /// or leaves its element of x as many digits as y leaves the worst one.
  [[nodiscard]] bool are_tight() const;

  /// Of the answer `x` as it was.
  [[nodiscard]] Certificate certificate(const Matrix& x) const;

 private:
  void improve(Index c, double alpha, std::span<const double> w, std::span<const double> e);
  [[nodiscard]] Matrix scaled_back() const;

  const ExactScaling& scaled_;
  const Matrix& y_;
  Matrix best_;
  double norm_ = std::numeric_limits<double>::infinity();  // the least alpha
};

/// With the digits that the bounds leave.
[[nodiscard]] Certificate proven(const Matrix& x, Matrix bounds, double norm_bound);
[[nodiscard]] Certificate unproven(double norm_bound, std::string reason);

}  // namespace clgauss
