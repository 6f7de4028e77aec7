#pragma once
/// What one pass of the host over A tells of an answer.

#include <clgauss/matrix.hpp>
#include <clgauss/residual.hpp>

namespace clgauss {

struct AnswerResidual {
  Residual norms;
  Matrix r, d;  // B - A X and |B| + |A| |X|, n-by-nrhs
};

/// As compute_residual().
[[nodiscard]] AnswerResidual answer_residual(const System& system, const Matrix& x, double eps);

}  // namespace clgauss
