#pragma once
/// Self-tests of batches: see kernels/common/known_answers.hpp.

#include <clgauss/batched.hpp>
#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <functional>

#include "kernels/common/known_answers.hpp"

namespace clgauss {

/// What a batched kernel is asked for: four systems of one n, the second of them singular, the
/// third with a zero leading pivot; if `definite`, all but the second positive definite, and what
/// is above the diagonals something else.
struct BatchedQuestion {
  BatchView a, b;
  Index nrhs, batch;
  cl::Buffer info;
};

void require_batched(Context& context, RealType type, Index n, Index nrhs, bool definite,
                     const std::function<void(const BatchedQuestion&)>& solve);

}  // namespace clgauss
