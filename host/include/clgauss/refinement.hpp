#pragma once
/// The result of iterative refinement.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// How accurate an answer must be, relative to A and b as given.
enum class Accuracy {
  single_precision,  // the backward error of f32: eps = 2^-24
  double_precision,  // the backward error of f64: eps = 2^-53, also on devices without fp64
  maximum            // x itself to the digits of f64, if rcond >= eps
};
[[nodiscard]] std::string_view accuracy_name(Accuracy accuracy);

/// Repeats x <- x + d with A d = b - A x. The residual is computed in f64, d with factors that may
/// be f32. All right-hand sides are refined together; a value for several is that of the worst.
struct Refinement {
  /// Estimates of ||x - x_true|| / ||x|| in the infinity norm and of max_i |x - x_true|_i / |x|_i;
  /// 1 if nothing is known.
  struct ForwardError {
    double normwise = 1, componentwise = 1;
  };

  /// max_i |b - A x|_i / (|A| |x| + |b|)_i (Oettli and Prager 1964), for the first x and after each
  /// correction. With Accuracy::maximum it is that of x in twice the precision of f64; at the end x
  /// is rounded to f64.
  std::vector<double> backward_errors;
  /// Products with A by GMRES, which is used when corrections alone no longer converge.
  Index gmres_steps = 0;
  /// The last x has the backward error of f64; with Accuracy::maximum, its digits.
  bool accepted = false;
  bool on_device = false;  // the device computed the residuals, not the host's cores
  /// With Accuracy::maximum, the errors of each right-hand side, estimated from the corrections;
  /// otherwise empty.
  std::vector<ForwardError> forward_errors;

  /// The number of corrections of x.
  [[nodiscard]] Index corrections() const {
    return backward_errors.empty() ? 0 : backward_errors.size() - 1;
  }
};

}  // namespace clgauss
