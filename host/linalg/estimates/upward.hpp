#pragma once
/// Upper bounds in host arithmetic, for proofs. For numbers >= 0, every result is at least the
/// exact one. Each IEEE f64 operation rounds to nearest, and the result is replaced by the next
/// larger number. This also covers underflow. NaN stays NaN.

#include <clgauss/matrix.hpp>
#include <cmath>
#include <limits>

namespace clgauss {

inline constexpr double kUnit = 0x1p-53;  // u, the unit roundoff of f64
inline constexpr double kLeast =
    0x1p-1074;  // the smallest positive number; a product underflows by at most half of it

inline double up(double value) { return std::nextafter(value, HUGE_VAL); }
inline double add_up(double a, double b) { return up(a + b); }
inline double multiply_up(double a, double b) { return up(a * b); }
inline double divide_up(double a, double b) { return up(a / b); }
inline double root_up(double value) { return up(std::sqrt(value)); }

/// An upper bound of sqrt(a^2 + b^2). Powers of two keep the squares in range.
inline double modulus_up(double a, double b) {
  const double larger = a > b ? a : b;
  if (!(larger > 0 && larger < HUGE_VAL)) return add_up(a, b);
  const int exponent = std::ilogb(larger);
  const double of_a = up(std::ldexp(a, -exponent)), of_b = up(std::ldexp(b, -exponent));
  const double root = root_up(add_up(multiply_up(of_a, of_a), multiply_up(of_b, of_b)));
  return up(std::ldexp(root, exponent));
}
/// A lower bound of 1 - a, for a <= 1.
inline double complement_down(double a) { return std::nextafter(1 - a, -HUGE_VAL); }

/// An upper bound of gamma_k = k u / (1 - k u). k roundings change a sum of products by at most
/// gamma_k times the sum of magnitudes, in any order of summation. k <= 2^31, so 1 / (1 - k u) is
/// below 1 + 2^-21.
inline double gamma_up(Index k) { return static_cast<double>(k) * (kUnit * (1 + 0x1p-20)); }

/// An upper bound on the exact sum of the magnitudes of n products, from the device's `sum`, added
/// in any order, with or without fma. It allows for n + 1 roundings,
/// 1 / (1 - u)^(n + 1) <= 1 + gamma_(n + 2), and n underflows.
inline double sum_up(double sum, Index n) {
  return add_up(multiply_up(sum, 1 + gamma_up(n + 4)), multiply_up(static_cast<double>(n), kLeast));
}

}  // namespace clgauss
