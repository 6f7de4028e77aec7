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
  std::vector<Index> rows, columns;  // that changed places
};

/// The factors of symmetric n-by-n matrices, of which only the lower triangle is there, as those of
/// an LU with rows and columns exchanged, and a solve with one right-hand side, as
/// require_solution(): of random numbers, and with zeros on the diagonal. Of a matrix with a column
/// of zeros, that a column is named. `solve` factors and solves.
void require_symmetric_solution(
    Context& context, RealType type, Index n,
    const std::function<SymmetricAnswer(const MatrixView& a, const MatrixView& b)>& solve);

}  // namespace clgauss
