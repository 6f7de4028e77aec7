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

/// A and B of a complex system side by side, as real matrices of twice as many columns; B begins at
/// column `b`.
struct ComplexQuestion {
  MatrixView a;
  Index n, nrhs, b;
};

/// What came of it.
struct ComplexOutcome {
  std::optional<Index> failed;
  std::vector<Index> exchanges;
};

/// P A = L U of complex numbers and A^-1 B, in place, as require_panel() and require_solution(); of
/// another A, singular, that the column is named. Between A and B, and behind B up to column `ld`,
/// there are zeros.
void require_complex_solution(Context& context, RealType type, Index n, Index nrhs, Index b,
                              Index ld,
                              const std::function<ComplexOutcome(const ComplexQuestion&)>& solve);

/// The factors L and D L^H of a Hermitian positive definite A, of which only the lower triangle is
/// there, and A^-1 B; of another A, that the column of a pivot which is not positive is named.
/// `solve` returns the failed column.
void require_hermitian_solution(
    Context& context, RealType type, Index n, Index nrhs, Index b, Index ld,
    const std::function<std::optional<Index>(const ComplexQuestion&)>& solve);

/// Rows and columns of a panel, and columns on either side of it.
struct PanelShape {
  Index m, width, beside;
};

/// As require_panel() for complex numbers, whose views are counted in them: no multiplier above
/// sqrt(2).
void require_complex_panel(
    Context& context, RealType type, const PanelShape& shape,
    const std::function<void(const MatrixView& a, const cl::Buffer& pivots)>& factor);

/// random_triangle() and solved_on_host() of either kind of numbers, in matrices of their parts.
[[nodiscard]] Matrix random_triangle(NumberType number, Index n, std::uint64_t seed);
[[nodiscard]] Matrix solved_on_host(NumberType number, const Matrix& t, const Matrix& b, Index n,
                                    bool upper, bool unit);

}  // namespace clgauss
