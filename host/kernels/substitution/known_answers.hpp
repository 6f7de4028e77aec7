#pragma once
/// Self-tests of triangular solves: see kernels/common/known_answers.hpp.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>

#include "kernels/common/known_answers.hpp"
#include "kernels/common/number_type.hpp"

namespace clgauss {

/// Tests B <- T^-1 B for T n-by-n and B n-by-nrhs. The tolerance is 64 n eps of the largest
/// element. T is unit lower triangular with garbage above, or upper triangular with garbage below.
void require_triangular_solve(
    Context& context, NumberType number, Index n, Index nrhs, bool upper,
    const std::function<void(const MatrixView& t, const MatrixView& b)>& solve);

/// A test problem: the n-by-n factors of an LU, its row exchanges, and B, n-by-nrhs. Views are
/// counted in numbers.
struct FactorsQuestion {
  MatrixView lu;
  cl::Buffer pivots;
  MatrixView b;
  cl_uint n, nrhs;
};

/// Tests B <- A^-1 B; if `transposed`, B <- A^-T B, or A^-H B for complex numbers. The tolerance is
/// 64 n eps of the largest element.
void require_solve_with_factors(Context& context, NumberType number, Index n, Index nrhs,
                                bool transposed,
                                const std::function<void(const FactorsQuestion&)>& solve);

}  // namespace clgauss
