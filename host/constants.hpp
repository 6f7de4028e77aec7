#pragma once
/// f64 constants that have no short name in C++.

#include <limits>

namespace clgauss {

inline constexpr double kEps = 0x1p-53;  // the unit roundoff
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace clgauss
