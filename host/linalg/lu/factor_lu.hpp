#pragma once
/// First solutions of A X = B, by factors computed on the device.

#include <clgauss/context.hpp>

#include "linalg/solve/factored.hpp"
#include "matrix/shapes.hpp"

namespace clgauss {

/// Solves by the factors of Lu, or by Cholesky's if `call.lu` says so. The device needs
/// n (ld + nrhs) elements, ld slightly above n, and the workspace of Lu. The memory is checked in
/// advance. Throws as gauss_solve(), and CoResidencyLost.
[[nodiscard]] Solved factor_lu(Context& context, const System& system, const FactorCall& call,
                               const ProgressCallback& progress = {});

/// Solves by random butterflies and factors in f32. Their pivots are not those of A, so the result
/// has none. With a single right-hand side and fp64 on the device, x is left to refinement. Returns
/// no factors if a pivot is zero or not finite, or if A would have to be scaled. Ignores the type,
/// keeps_f64 and extra_precise of `call`. Throws as factor_lu().
[[nodiscard]] Solved factor_rbt(Context& context, const System& system, const FactorCall& call,
                                const ProgressCallback& progress = {});

/// Make, allocate and self-test what factor_lu() and factor_rbt() would, and drop it.
void prepare_lu(Context& context, SystemSize size, const FactorCall& call);
void prepare_rbt(Context& context, SystemSize size, const FactorCall& call);

}  // namespace clgauss
