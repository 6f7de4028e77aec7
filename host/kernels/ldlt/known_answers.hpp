#pragma once
/// Self-tests of L D L^T: see kernels/common/known_answers.hpp.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/common/known_answers.hpp"

namespace clgauss {

struct SymmetricAnswer {
  std::optional<Index> failed_column;
  std::vector<Index> rows, columns;  // that were exchanged
};

/// Tests the factors of symmetric n-by-n matrices, given by their lower triangles, with one
/// right-hand side, as in require_solution(). The factors are those of an LU with rows and columns
/// exchanged. The matrices have random numbers, once with zeros on the diagonal. A matrix with a
/// column of zeros tests that a column is reported. `solve` factors and solves.
void require_symmetric_solution(
    Context& context, RealType type, Index n,
    const std::function<SymmetricAnswer(const MatrixView& a, const MatrixView& b)>& solve);

}  // namespace clgauss
