#pragma once
/// Iterative refinement: f64 accuracy from less accurate factors.

#include <clgauss/progress.hpp>
#include <clgauss/refinement.hpp>
#include <functional>
#include <optional>

#include "linalg/refinement/device_operator.hpp"
#include "linalg/refinement/system_operator.hpp"

namespace clgauss {

/// R <- ~A^-1 R for any number of columns, with rounded factors of A. Waits.
using ApproximateSolve = std::function<void(Matrix& r)>;

/// Improves x until its componentwise backward error is kBackwardErrorGoal or is no longer halved
/// (as LAPACK's dgerfs; Higham, Accuracy and Stability of Numerical Algorithms, chapter 12). If it
/// stalls before x is accepted, continues by GMRES preconditioned with the same factors (Carson and
/// Higham, SIAM J. Sci. Comput. 40, 2018). x is accepted if
///   max |r| <= n eps max d,  r = b - A x, d = |b| + |A| |x|, eps = 2^-53,
/// which implies an HPL-scaled residual of at most 1. Corrections that make x worse are undone.
/// Cost: one pass over A and one solve per correction; 4 n nrhs numbers of host memory, and
/// 2 n kGmresSteps for GMRES.
[[nodiscard]] Refinement refine(SystemOperator& system, const ApproximateSolve& solve, Matrix& x,
                                const ProgressCallback& progress = {});

/// Factors on the device for one right-hand side. getrs() must enqueue b <- ~A^-1 b for the n
/// floats at `b`.
struct DeviceFactors {
  cl::Buffer b;
  std::function<void()> getrs;
};

/// The same for a DeviceOperator. With `factors`, corrections of a single right-hand side keep its
/// vectors on the device.
[[nodiscard]] Refinement refine(DeviceOperator& system, const std::optional<DeviceFactors>& factors,
                                const ApproximateSolve& solve, Matrix& x,
                                const ProgressCallback& progress = {});

/// The same for one right-hand side, starting at x = 0. x stays on the device as x() of `system`.
[[nodiscard]] Refinement refine_from_zero(DeviceOperator& system, const DeviceFactors& factors,
                                          const ApproximateSolve& solve,
                                          const ProgressCallback& progress = {});

/// Goal for Oettli and Prager's backward error. LAPACK aims at eps, but a residual in f64 resolves
/// only a few eps. The goal leaves room for that and stays below 4 eps.
inline constexpr double kBackwardErrorGoal = 3 * 0x1p-53;

}  // namespace clgauss
