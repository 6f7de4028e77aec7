#pragma once
/// How solve() comes to an answer by factors: which are tried, and in which order.

#include "linalg/solve/assess.hpp"

namespace clgauss {

/// By the plan, which is one of factors, and by those that MethodRow::next names where an answer
/// will not do. Each is repeated as repeat_until_co_resident() says. Throws as gauss_solve().
[[nodiscard]] Answer answer_by_factors(Context& context, const System& system, Plan plan,
                                       const SolveOptions& options,
                                       const ProgressCallback& progress);

/// The same by one plan without keeping A: system.a is given back to the operating system row by
/// row while it is uploaded, and read again for the residuals, which the host computes. On a CPU
/// device, whose memory is the host's, A is so there once and not twice.
[[nodiscard]] Answer answer_in_place(Context& context, System system, const ReadMatrix& read_again,
                                     const Plan& plan, const SolveOptions& options,
                                     const ProgressCallback& progress);

}  // namespace clgauss
