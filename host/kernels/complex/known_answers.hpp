#pragma once
/// Self-tests of complex LU: see kernels/common/known_answers.hpp.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/common/known_answers.hpp"
#include "kernels/common/number_type.hpp"

namespace clgauss {

/// The A and B of a complex system side by side, as real matrices with twice as many columns. B
/// begins at column `b`.
struct ComplexQuestion {
  MatrixView a;
  Index n, nrhs, b;
};

/// The result of a test problem.
struct ComplexOutcome {
  std::optional<Index> failed;
  std::vector<Index> exchanges;
  std::vector<Index> of_columns = {};  // exchanges; of L D L^H
};

/// Tests P A = L U of complex numbers and A^-1 B, in place, as require_panel() and
/// require_solution() do. Also tests that the failed column of a singular A is reported. Between A
/// and B, and after B up to column `ld`, there are zeros.
void require_complex_solution(Context& context, RealType type, Index n, Index nrhs, Index b,
                              Index ld,
                              const std::function<ComplexOutcome(const ComplexQuestion&)>& solve);

/// Tests the factors L and D L^H of a Hermitian positive definite A, given by its lower triangle,
/// and A^-1 B. Also tests that a column whose pivot is not positive is reported. `solve` returns
/// the failed column.
void require_hermitian_solution(
    Context& context, RealType type, Index n, Index nrhs, Index b, Index ld,
    const std::function<std::optional<Index>(const ComplexQuestion&)>& solve);

/// The same for P A P^T = L D L^H of a Hermitian A that is indefinite, stored as an LU with rows
/// and columns exchanged, once with zeros on the diagonal. Also tests that a zero pivot is
/// reported.
void require_indefinite_solution(
    Context& context, RealType type, Index n, Index nrhs, Index b, Index ld,
    const std::function<ComplexOutcome(const ComplexQuestion&)>& solve);

/// Rows and columns of a panel, and the number of columns on either side of it.
struct PanelShape {
  Index m, width, beside;
};

/// require_panel() for complex numbers; views are counted in complex numbers, and multipliers may
/// be up to sqrt(2).
void require_complex_panel(
    Context& context, RealType type, const PanelShape& shape,
    const std::function<void(const MatrixView& a, const cl::Buffer& pivots)>& factor);

/// random_triangle() and solved_on_host() for real or complex numbers, in matrices of their parts.
[[nodiscard]] Matrix random_triangle(NumberType number, Index n, std::uint64_t seed);
[[nodiscard]] Matrix solved_on_host(NumberType number, const Matrix& t, const Matrix& b, Index n,
                                    bool upper, bool unit);

}  // namespace clgauss
