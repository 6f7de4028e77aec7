#pragma once
/// The larger of two magnitudes, and the largest of many, for norms.

#include <cmath>
#include <span>

namespace clgauss {

/// std::max ignores a NaN in its second argument; a norm must not.
inline double max_or_nan(double largest, double value) {
  return std::isnan(value) || value > largest ? value : largest;
}

/// |re + i im|. hypot takes many times as long, and only the ends of the range need it.
inline double safe_modulus(double re, double im) {
  const double square = re * re + im * im;
  return square >= 0x1p-900 && square <= 0x1p900 ? std::sqrt(square) : std::hypot(re, im);
}

/// 0 for no numbers, NaN if one is.
inline double largest_magnitude(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = max_or_nan(largest, std::abs(value));
  return largest;
}

}  // namespace clgauss
