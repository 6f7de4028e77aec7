#pragma once
/// Solves by factors: which methods are tried, and in which order.

#include <functional>

#include "linalg/solve/assess.hpp"
#include "matrix/shapes.hpp"

namespace clgauss {

/// Solves by `plan`, which must be one of factors. If its answer is not good enough, goes on with
/// the methods that MethodRow::next returns. Repeats each as in repeat_until_co_resident(). Throws
/// as gauss_solve().
[[nodiscard]] Answer answer_by_factors(Context& context, const System& system, Plan plan,
                                       const SolveOptions& options,
                                       const ProgressCallback& progress);

/// For ProgramStore::rehearse(): names the kernels of every method, for systems of this size, and
/// those of LU for larger ones with one right-hand side.
void prepare_every_method(Context& context, SystemSize size);

/// prepare_every_method(), as what ProgramStore::prepare() is to have built behind a solve of this
/// size. Empty where helper processes may not build it: neither their share of the device's memory,
/// some hundred MB each, nor the matrices that a rehearsal allocates may be missed.
[[nodiscard]] std::function<void()> built_ahead(Context& context, SystemSize size);

/// Solves by one plan without keeping A. The memory of system.a goes back to the operating system
/// row by row during the upload. A is read again for the residuals, which the host computes. A CPU
/// device shares the host's memory, so A is then stored once instead of twice.
[[nodiscard]] Answer answer_in_place(Context& context, System system, const ReadMatrix& read_again,
                                     const Plan& plan, const SolveOptions& options,
                                     const ProgressCallback& progress);

}  // namespace clgauss
