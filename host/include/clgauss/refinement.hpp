#pragma once
/// What iterative refinement did for an answer.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// How near an answer is to come, measured against A and b as they were given.
enum class Accuracy {
  single_precision,  // the backward error of f32: eps = 2^-24
  double_precision,  // the backward error of f64: eps = 2^-53, also on devices without fp64
  maximum            // x itself to the digits of f64, where rcond >= eps
};
[[nodiscard]] std::string_view accuracy_name(Accuracy accuracy);

/// x <- x + d with A d = b - A x, again and again; the residual in f64, d by factors that may be of
/// f32. All right-hand sides together; what is said of several is said of the worst.
struct Refinement {
  /// Estimates of ||x - x_true|| / ||x|| in the infinity norm and of max_i |x - x_true|_i / |x|_i;
  /// 1 where nothing is known.
  struct ForwardError {
    double normwise = 1, componentwise = 1;
  };

  /// max_i |b - A x|_i / (|A| |x| + |b|)_i (Oettli and Prager 1964): of the first x, and after each
  /// correction. With Accuracy::maximum that of x in twice the precision of f64, to which it is
  /// rounded in the end.
  std::vector<double> backward_errors;
  /// products with A of the GMRES that took over where corrections alone came to a halt
  Index gmres_steps = 0;
  /// the last x has the backward error of f64; with Accuracy::maximum, its digits
  bool accepted = false;
  bool on_device = false;  // the residuals were the device's, else those of the host's cores
  /// Of every right-hand side with Accuracy::maximum, from the sizes of the corrections; else
  /// empty.
  std::vector<ForwardError> forward_errors;

  /// How often x was corrected.
  [[nodiscard]] Index corrections() const {
    return backward_errors.empty() ? 0 : backward_errors.size() - 1;
  }
};

}  // namespace clgauss
