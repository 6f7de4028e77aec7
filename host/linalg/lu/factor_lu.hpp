#pragma once
/// The first answers of A X = B by factors on the device.

#include <clgauss/context.hpp>

#include "linalg/solve/factored.hpp"

namespace clgauss {

/// By Lu's factors, or Cholesky's where `call.lu` says so. Memory on the device: n (ld + nrhs)
/// elements, ld slightly above n, and the workspace of Lu; whether all of it is there is asked
/// before anything starts. Throws as gauss_solve(), and CoResidencyLost.
[[nodiscard]] Solved factor_lu(Context& context, const System& system, const FactorCall& call,
                               const ProgressCallback& progress = {});

/// By random butterflies and factors in f32, whose pivots are not those of A and are left out; with
/// a single right-hand side and fp64 x is left to refinement. No factors where a pivot is zero or
/// not finite, or numbers would have to be scaled. Of `call` the type, keeps_f64 and extra_precise
/// are not asked. Throws the same.
[[nodiscard]] Solved factor_rbt(Context& context, const System& system, const FactorCall& call,
                                const ProgressCallback& progress = {});

}  // namespace clgauss
