#pragma once
/// Iterative refinement: the accuracy of f64 from factors that are less accurate.

#include <clgauss/progress.hpp>
#include <clgauss/refinement.hpp>
#include <functional>
#include <optional>

#include "linalg/refinement/device_operator.hpp"
#include "linalg/refinement/system_operator.hpp"

namespace clgauss {

/// R <- ~A^-1 R for any number of columns, by factors of A that were rounded. Waits.
using ApproximateSolve = std::function<void(Matrix& r)>;

/// Improves x until its componentwise backward error is kBackwardErrorGoal or stops to halve (as
/// LAPACK's dgerfs; Higham, Accuracy and Stability of Numerical Algorithms, chapter 12); where it
/// came to a halt above what is accepted, by GMRES preconditioned by the same factors (Carson and
/// Higham, SIAM J. Sci. Comput. 40, 2018). Accepted is
///   max |r| <= n eps max d,  r = b - A x, d = |b| + |A| |x|, eps = 2^-53,
/// which implies an HPL-scaled residual of at most 1. A correction that makes an x worse is taken
/// back. Cost: a pass over A and a solve for each correction; 4 n nrhs numbers of the host's
/// memory, GMRES 2 n kGmresSteps.
[[nodiscard]] Refinement refine(SystemOperator& system, const ApproximateSolve& solve, Matrix& x,
                                const ProgressCallback& progress = {});

/// Factors on the device for one right-hand side: getrs() enqueues b <- ~A^-1 b for the n floats at
/// `b`.
struct DeviceFactors {
  cl::Buffer b;
  std::function<void()> getrs;
};

/// The same; with `factors` the corrections of a single right-hand side leave its vectors on the
/// device.
[[nodiscard]] Refinement refine(DeviceOperator& system, const std::optional<DeviceFactors>& factors,
                                const ApproximateSolve& solve, Matrix& x,
                                const ProgressCallback& progress = {});

/// The same for one right-hand side from x = 0, which is left on the device: x() of `system`.
[[nodiscard]] Refinement refine_from_zero(DeviceOperator& system, const DeviceFactors& factors,
                                          const ApproximateSolve& solve,
                                          const ProgressCallback& progress = {});

/// Of Oettli and Prager's: LAPACK goes for eps; what a residual in f64 can tell is a few of them.
/// Below 4 eps, with room for that.
inline constexpr double kBackwardErrorGoal = 3 * 0x1p-53;

}  // namespace clgauss
