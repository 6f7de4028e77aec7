#pragma once
/// Self-tests of batches: see kernels/common/known_answers.hpp.

#include <clgauss/batched.hpp>
#include <clgauss/context.hpp>
#include <clgauss/residual.hpp>
#include <functional>
#include <span>

#include "kernels/common/known_answers.hpp"
#include "kernels/common/number_type.hpp"

namespace clgauss {

/// A test problem for a batched kernel: four systems of one n. The second is singular; the third
/// has a zero leading pivot. If `definite`, for real numbers, all but the second are positive
/// definite, and the numbers above the diagonals are unrelated and must not be read.
struct BatchedQuestion {
  BatchView a, b;
  Index nrhs, batch;
  cl::Buffer info;
};

/// compute_residual() of one system, of the parts of its numbers.
[[nodiscard]] Residual residual_in_batch(NumberType number, Index n, Index nrhs,
                                         std::span<const double> a, std::span<const double> b,
                                         std::span<const double> x, double eps);

void require_batched(Context& context, NumberType number, Index n, Index nrhs, bool definite,
                     const std::function<void(const BatchedQuestion&)>& solve);

/// The same of symmetric systems, of which the third has a diagonal of zeros. The numbers above the
/// diagonals are unrelated and must not be read.
void require_batched_symmetric(Context& context, RealType type, Index n, Index nrhs,
                               const std::function<void(const BatchedQuestion&)>& solve);

}  // namespace clgauss
