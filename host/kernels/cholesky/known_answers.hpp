#pragma once
/// Self-tests of Cholesky's factors: see kernels/common/known_answers.hpp.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <optional>

#include "kernels/common/known_answers.hpp"

namespace clgauss {

/// Tests A = L D L^T of a symmetric positive definite n-by-n A, given by its lower triangle. The
/// factors are checked as those of an LU without row exchanges, with one right-hand side, as in
/// require_solution(). Also tests that the failed column of an indefinite A is reported. `solve`
/// returns the failed column.
void require_positive_definite_solution(
    Context& context, RealType type, Index n,
    const std::function<std::optional<Index>(const MatrixView& a, const MatrixView& b)>& solve);

}  // namespace clgauss
