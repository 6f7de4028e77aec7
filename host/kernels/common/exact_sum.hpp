#pragma once
/// The host's counterpart of cl/common/double_double.clh.

#include <cmath>

namespace clgauss {

/// hi + lo: a sum of numbers and products, computed as if in twice the precision of f64 (Dot2 by
/// Ogita, Rump and Oishi).
struct ExactSum {
  double hi = 0, lo = 0;

  void add(double value) {
    const double sum = hi + value, of_value = sum - hi;
    lo += (hi - (sum - of_value)) + (value - of_value);
    hi = sum;
  }
  void add_product(double u, double v) {
    const double product = u * v;
    add(product);
    lo += std::fma(u, v, -product);
  }
  [[nodiscard]] double rounded() const { return hi + lo; }
};

}  // namespace clgauss
