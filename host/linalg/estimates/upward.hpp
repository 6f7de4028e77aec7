#pragma once
/// Arithmetic on the host that errs on the side of a proof: of numbers >= 0, every result is at
/// least the exact one. Each operation of IEEE f64 is rounded to nearest, and its neighbour above
/// is taken, so that underflow is counted, too. NaN stays NaN.

#include <clgauss/matrix.hpp>
#include <cmath>
#include <limits>

namespace clgauss {

inline constexpr double kUnit = 0x1p-53;  // u, the unit roundoff of f64
inline constexpr double kLeast =
    0x1p-1074;  // the smallest number above 0: no product underflows by more than half of it

inline double up(double value) { return std::nextafter(value, HUGE_VAL); }
inline double add_up(double a, double b) { return up(a + b); }
inline double multiply_up(double a, double b) { return up(a * b); }
inline double divide_up(double a, double b) { return up(a / b); }
/// At most 1 - a, for a <= 1.
inline double complement_down(double a) { return std::nextafter(1 - a, -HUGE_VAL); }

/// At least gamma_k = k u / (1 - k u), by which k roundings change a sum of products, relative to
/// the sum of magnitudes, in whatever order they are added; k <= 2^31, where 1 / (1 - k u) is below
/// 1 + 2^-21.
inline double gamma_up(Index k) { return static_cast<double>(k) * (kUnit * (1 + 0x1p-20)); }

/// At least the exact sum of the magnitudes of n products, of which a device made `sum`, in any
/// order, with or without fma: by at most n + 1 roundings, 1 / (1 - u)^(n + 1) <= 1 + gamma_(n +
/// 2), and n underflows.
inline double sum_up(double sum, Index n) {
  return add_up(multiply_up(sum, 1 + gamma_up(n + 4)), multiply_up(static_cast<double>(n), kLeast));
}

}  // namespace clgauss
