#pragma once
/// What iterative refinement did for an answer.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// What the backward error of an answer is to be, measured against A and b as they were given.
enum class Accuracy {
  single_precision,  // that of f32: eps = 2^-24
  double_precision   // that of f64: eps = 2^-53, also on devices without fp64
};
[[nodiscard]] std::string_view accuracy_name(Accuracy accuracy);

/// x <- x + d with A d = b - A x, again and again; the residual in f64, d by factors that may be of f32. All right-hand sides
/// together; what is said of several is said of the worst.
struct Refinement {
  /// max_i |b - A x|_i / (|A| |x| + |b|)_i (Oettli and Prager 1964): of the first x, and after each correction.
  std::vector<double> backward_errors;
  Index gmres_steps =
      0;  // products with A of the GMRES that took over where corrections alone came to a halt
  bool accepted = false;  // the last x has the backward error of f64

  /// How often x was corrected.
  [[nodiscard]] Index corrections() const {
    return backward_errors.empty() ? 0 : backward_errors.size() - 1;
  }
};

}  // namespace clgauss
