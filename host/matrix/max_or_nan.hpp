#pragma once
/// The larger of two magnitudes, for norms.

#include <cmath>

namespace clgauss {

/// std::max ignores a NaN in its second argument; a norm must not.
inline double max_or_nan(double largest, double value) {
  return std::isnan(value) || value > largest ? value : largest;
}

}  // namespace clgauss
