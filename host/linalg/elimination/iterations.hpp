#pragma once
/// A X = B by Jacobi's or Seidel's iterations, for a strictly diagonally dominant A.

#include <clgauss/context.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>

namespace clgauss {

/// An upper bound on the factor by which a sweep multiplies x's error: the largest sum of
/// |a_ij|, j != i, over |a_ii|. Both methods converge if it is below 1. Throws ValueError if it is
/// not, naming the first row of the square A whose sum is not less than its diagonal element.
[[nodiscard]] double dominance_of(const Matrix& a, Method method);

/// Starts from x = 0. Stops when no number of x changes by more than 16 eps of the largest, or
/// after `most` sweeps. Throws ValueError as dominance_of() and for numbers outside f32's range,
/// NoUsableKernel, OutOfMemory, OpenClError.
[[nodiscard]] EliminationResult iterate(Context& context, const System& system, Method method,
                                        RealType type, Index most, const ProgressCallback& progress,
                                        Iterations& done);

}  // namespace clgauss
