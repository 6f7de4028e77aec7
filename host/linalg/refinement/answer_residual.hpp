#pragma once
/// What one pass over A tells of an answer.

#include <clgauss/matrix.hpp>
#include <clgauss/residual.hpp>
#include <optional>
#include <span>

namespace clgauss {

struct AnswerResidual {
  Residual norms;
  Matrix r, d;  // B - A X and |B| + |A| |X|, n-by-nrhs
};

/// As compute_residual(), by the host; `transposed`: system.a holds A^T, a column-major A.
[[nodiscard]] AnswerResidual answer_residual(const System& system, const Matrix& x, double eps,
                                             bool transposed = false);

/// The same from r, d and the sums of |A|'s rows that a device computed in f64. Empty where that is
/// for the host to say: one of the rows that it computes as well, every 31st, differs by more than
/// rounding, or numbers leave the range of f64.
[[nodiscard]] std::optional<AnswerResidual> confirmed_residual(const System& system,
                                                               const Matrix& x, double eps,
                                                               Matrix r, Matrix d,
                                                               std::span<const double> row_sums);

}  // namespace clgauss
