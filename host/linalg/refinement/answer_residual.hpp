#pragma once
/// The residual of a solution, computed in one pass over A.

#include <clgauss/matrix.hpp>
#include <clgauss/residual.hpp>
#include <optional>
#include <span>

namespace clgauss {

struct AnswerResidual {
  Residual norms;
  Matrix r, d;  // B - A X and |B| + |A| |X|, n-by-nrhs
};

/// As compute_residual(), on the host. `transposed`: system.a holds A^T, a column-major A. Without
/// `sizes`, d may be left empty, which halves the work for many right-hand sides.
[[nodiscard]] AnswerResidual answer_residual(const System& system, const Matrix& x, double eps,
                                             bool transposed = false, bool sizes = true);

/// The same from r, d and the row sums of |A| that a device computed in f64. The host recomputes
/// every 31st row. Returns nothing if one of them differs by more than rounding, or if numbers
/// leave the range of f64; the host must then compute the residual.
[[nodiscard]] std::optional<AnswerResidual> confirmed_residual(const System& system,
                                                               const Matrix& x, double eps,
                                                               Matrix r, Matrix d,
                                                               std::span<const double> row_sums);

}  // namespace clgauss
