#pragma once
/// How residuals go through the rows of A.

#include <clgauss/matrix.hpp>

#include "matrix/row_passes.hpp"

namespace clgauss {

/// Rows of A multiplied with one right-hand side before the next. The right-hand side then stays in
/// a near cache, and the rows in the next one. With n = 1000 and 1000 right-hand sides, a solve
/// takes 178 ms instead of 243.
inline constexpr Index kRowsAtOnce = 16;

/// The host recomputes one row in this many of a residual by the device. Not a power of two, unlike
/// the sizes of transfers and tiles.
inline constexpr Index kRowsToOneConfirmed = 31;

}  // namespace clgauss
