#pragma once
/// A X = B by the iterations of Jacobi and Seidel, for a strictly diagonally dominant A.

#include <clgauss/context.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>

namespace clgauss {

/// How much of x's error a sweep leaves, at most: the largest sum of |a_ij|, j != i, over |a_ii|.
/// Both methods converge if it is below 1. Throws ValueError, which names the first row of a square
/// A whose sum is not less than its diagonal element.
[[nodiscard]] double dominance_of(const Matrix& a, Method method);

/// From x = 0 on, until no number of x changes by more than 16 eps of the largest, or `most` sweeps
/// are done. Throws ValueError as dominance_of() and for numbers outside of f32's range,
/// NoUsableKernel, OutOfMemory, OpenClError.
[[nodiscard]] EliminationResult iterate(Context& context, const System& system, Method method,
                                        RealType type, Index most, const ProgressCallback& progress,
                                        Iterations& done);

}  // namespace clgauss
