#pragma once
/// Self-tests of Cholesky's factors: see kernels/common/known_answers.hpp.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <optional>

#include "kernels/common/known_answers.hpp"

namespace clgauss {

/// A = L D L^T of a symmetric positive definite n-by-n A, of which only the lower triangle is
/// there, as the factors of an LU without row exchanges, and a solve with one right-hand side, as
/// require_solution(). Of another A, which is indefinite, that the column is named. `solve` returns
/// the failed one.
void require_positive_definite_solution(
    Context& context, RealType type, Index n,
    const std::function<std::optional<Index>(const MatrixView& a, const MatrixView& b)>& solve);

}  // namespace clgauss
