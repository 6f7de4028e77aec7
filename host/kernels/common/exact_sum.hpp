#pragma once
/// On the host what cl/common/double_double.clh does on devices.

#include <cmath>

namespace clgauss {

/// hi + lo, a sum of numbers and of products as if in twice the precision of f64 (Ogita, Rump,
/// Oishi's Dot2).
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
