#pragma once
/// The larger of two magnitudes, as norms need it.

#include <cmath>

namespace clgauss {

/// std::max passes a NaN in its second argument over; a norm must not.
inline double max_or_nan(double largest, double value) {
  return std::isnan(value) || value > largest ? value : largest;
}

}  // namespace clgauss
