#pragma once
/// Solves with the factors of a system that is solved already, as refinement asks for them.

#include <clgauss/condition.hpp>
#include <clgauss/context.hpp>
#include <clgauss/view.hpp>
#include <functional>

#include "matrix/scaling.hpp"

namespace clgauss {

/// R <- ~A^-1 R, n-by-nrhs on the host. getrs() enqueues B <- ~A^-1 B for A as `scaling` left it and the n-by-nrhs `b` of the device,
/// of `type` and without gaps. Each right-hand side is brought into the range of the type, so that residuals do not underflow. Waits.
void solve_again(const Context& context, const std::function<void()>& getrs, const MatrixView& b,
                 RealType type, const Scaling& scaling, Matrix& r);

/// Enqueues B <- A'^-1 B, or transposed A'^-T B, n-by-nrhs.
using EnqueueSolve = std::function<void(bool transposed, const MatrixView& b, Index nrhs)>;

/// A^-1 X and A^-T X by solves with factors in `type` of A' = R A C: A^-1 = C A'^-1 R, A^-T = R A'^-T C. `context` and what `solve` is made
/// of must outlive it.
[[nodiscard]] InverseProducts inverse_by_solves(Context& context, RealType type, Index n,
                                                const Scaling& scaling, const EnqueueSolve& solve);

}  // namespace clgauss
