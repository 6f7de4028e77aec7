#pragma once
/// Self-tests of LU, its panels, exchanges, windows and butterflies: see
/// kernels/common/known_answers.hpp.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/common/known_answers.hpp"
#include "kernels/common/number_type.hpp"

namespace clgauss {

/// Tests P A = L U of an m-by-width panel: |P A - L U| <= 30 m eps max|A|, and every row is
/// exchanged with itself or one below. If `bounded`, no multiplier is above 1, as with partial
/// pivoting. `beside` columns on the left must become P B, and as many on the right L11^-1 P B.
void require_panel(
    Context& context, NumberType number, Index m, Index width, Index beside, bool bounded,
    const std::function<void(const MatrixView& a, const cl::Buffer& pivots)>& factor);

/// A test problem for lu_swap_solve of cl/lu/laswp_trsm.cl.
struct SwapSolve {
  MatrixView diagonal, b;
  cl::Buffer pivots;
  Index block, columns, hole_begin, hole_end;
};

/// Tests the exchanges of `block` rows of a slightly taller B and, if `solve`, the solve right of
/// the hole. There are columns left of the hole and in it.
void require_swap_solve(Context& context, NumberType number, Index block, Index strip, bool solve,
                        const std::function<void(const SwapSolve&)>& swap_and_solve);

/// Tests a whole n-by-n LU with one right-hand side: the factors as in require_panel(), and b - A
/// x. `solve` returns the exchanges.
void require_solution(
    Context& context, RealType type, Index n,
    const std::function<std::vector<Index>(const MatrixView& a, const MatrixView& b)>& solve);

/// The numbers of U and V of cl/lu/butterfly.cl for a test.
struct ButterflyQuestion {
  std::vector<float> u, v;
};

/// Tests R = U^T A V. The tolerance is 64 eps of `output`, relative to the largest element.
void require_two_sided_butterfly(
    Context& context, RealType input, RealType output, const ButterflyQuestion& question,
    const std::function<void(const MatrixView& a, const MatrixView& r)>& two_sided);

/// Test U^T B, whose row i goes to row positions[i], and V B of a B whose rows are stored that way.
/// The tolerance is the same.
using OneSidedButterfly = std::function<void(const MatrixView& b, const MatrixView& y, cl_uint nrhs,
                                             const cl::Buffer& positions)>;
void require_one_sided_butterflies(Context& context, RealType type,
                                   const ButterflyQuestion& question,
                                   const OneSidedButterfly& transposed_u,
                                   const OneSidedButterfly& forward_v);

/// A test problem for lu_diagonal of cl/lu/lu_diagonal.cl and cl/lu/lu_diagonal_ptx.cl.
struct DiagonalQuestion {
  MatrixView a, lu;
  cl::Buffer work, sources;
  Index rows, size;
};

/// The rows of a block and of a window.
struct WindowSizes {
  Index block, window;
};

/// Tests the `size` best of `rows` rows: P A = L U, L^-1 and U^-1. It covers fewer rows than the
/// window has and blocks that are not full. No multiplier may exceed 1, apart from the low bits
/// that the kernel ignores when it compares candidates. If `singular`, the third pivot is exactly
/// zero and must be recorded. `factor` returns the first recorded pivot.
void require_diagonal_block(
    Context& context, RealType type, const WindowSizes& sizes, bool singular,
    const std::function<std::optional<Index>(const DiagonalQuestion&)>& factor);

/// A test problem for exchange_rows of cl/lu/lu_window.cl.
struct ExchangeQuestion {
  MatrixView a, lu;
  Index first, rows, columns;
  cl::Buffer sources, order, positions;
};

/// Tests that the rows of a window are reordered by a list, left of the window in `lu`, elsewhere
/// in A. `order` must contain the list, and `positions` must be its inverse.
void require_exchanges(Context& context, RealType type, const WindowSizes& sizes,
                       const std::function<void(const ExchangeQuestion&)>& exchange);

/// Tests the largest magnitudes below the diagonal and on or above it, and the smallest on it:
/// three floats.
void require_extreme_entries(
    Context& context, RealType type,
    const std::function<void(const MatrixView& a, cl_uint n, const cl::Buffer& figures)>& find);

}  // namespace clgauss
