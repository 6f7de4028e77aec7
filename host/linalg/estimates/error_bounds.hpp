#pragma once
/// Bounds the error of x from bounds of R (b - A x) and of I - R A, and makes the Certificate.

#include <clgauss/certify.hpp>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "linalg/estimates/exact_scaling.hpp"

namespace clgauss {

/// The best bounds so far of |x_true - x|, scaled and transposed.
class ErrorBounds {
 public:
  /// `y` bounds |R r|. `scaled` and `y` must outlive this.
  ErrorBounds(const ExactScaling& scaled, const Matrix& y);

  /// Improves the bounds by weights w > 0 and bounds e of |E| w. The first row serves every
  /// right-hand side, each other row serves one. If e <= alpha w and alpha < 1, then
  /// |x_true - x| <= y + e max(y / w) / (1 - alpha).
  void improve(const Matrix& weights, const Matrix& errors);

  /// Whether a better R or other weights cannot improve the bounds much. Then every bound is near
  /// y, or leaves its element of x as many digits as y leaves the worst element.
  [[nodiscard]] bool are_tight() const;

  /// The certificate for the unscaled `x`.
  [[nodiscard]] Certificate certificate(const Matrix& x) const;

 private:
  void improve(Index c, double alpha, std::span<const double> w, std::span<const double> e);
  [[nodiscard]] Matrix scaled_back() const;

  const ExactScaling& scaled_;
  const Matrix& y_;
  Matrix best_;
  double norm_ = std::numeric_limits<double>::infinity();  // the least alpha
};

/// Whether all of `bounds` are below infinity. If not, kNoBound says why nothing is proven.
[[nodiscard]] bool are_bounds(const Matrix& bounds);
inline constexpr const char* kNoBound =
    "A is not singular, but an error has no bound in f64's range";

/// Why a bound of the norm of I - R A proves nothing.
[[nodiscard]] std::string too_ill_conditioned(std::string_view what, double norm_bound);

/// A proven certificate, with the digits that the bounds leave.
[[nodiscard]] Certificate proven(const Matrix& x, Matrix bounds, double norm_bound);
[[nodiscard]] Certificate unproven(double norm_bound, std::string reason);

}  // namespace clgauss
