#pragma once
/// Self-tests of batches: see kernels/common/known_answers.hpp.

#include <clgauss/batched.hpp>
#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <functional>

#include "kernels/common/known_answers.hpp"

namespace clgauss {

/// A test problem for a batched kernel: four systems of one n. The second is singular; the third
/// has a zero leading pivot. If `definite`, all but the second are positive definite, and the
/// numbers above the diagonals are unrelated and must not be read.
struct BatchedQuestion {
  BatchView a, b;
  Index nrhs, batch;
  cl::Buffer info;
};

void require_batched(Context& context, RealType type, Index n, Index nrhs, bool definite,
                     const std::function<void(const BatchedQuestion&)>& solve);

}  // namespace clgauss
