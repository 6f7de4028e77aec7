#pragma once
/// Determinants that no double holds.

#include <cmath>
#include <cstdint>

namespace clgauss::python {

/// det A = mantissa * 2^exponent, which cannot overflow; 0 if A is singular.
struct Determinant {
  double mantissa = 1;
  std::int64_t exponent = 0;

  /// Times a pivot, with the other sign where rows were exchanged for it.
  void take(double pivot, bool exchanged) {
    int by = 0;
    mantissa = std::frexp(mantissa * pivot, &by);
    exponent += by;
    if (exchanged) mantissa = -mantissa;
  }
};

}  // namespace clgauss::python
