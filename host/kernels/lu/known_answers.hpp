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

/// P A = L U of an m-by-width panel: |P A - L U| <= 30 m eps max|A|, every row exchanged with one
/// at or below it, and with `bounded` no multiplier above 1, as partial pivoting has it. With as
/// many columns left and right of it as `beside` says P B on the left and L11^-1 P B on the right.
void require_panel(
    Context& context, NumberType number, Index m, Index width, Index beside, bool bounded,
    const std::function<void(const MatrixView& a, const cl::Buffer& pivots)>& factor);

/// What lu_swap_solve of cl/lu/laswp_trsm.cl is asked for.
struct SwapSolve {
  MatrixView diagonal, b;
  cl::Buffer pivots;
  Index block, columns, hole_begin, hole_end;
};

/// Exchanges, and with `solve` the solve right of the hole, for `block` of a few more rows; columns
/// left and inside of the hole.
void require_swap_solve(Context& context, NumberType number, Index block, Index strip, bool solve,
                        const std::function<void(const SwapSolve&)>& swap_and_solve);

/// A whole LU with one right-hand side, n-by-n: the factors as in require_panel(), and b - A x.
/// `solve` returns the exchanges.
void require_solution(
    Context& context, RealType type, Index n,
    const std::function<std::vector<Index>(const MatrixView& a, const MatrixView& b)>& solve);

/// U and V of cl/lu/butterfly.cl that are asked for.
struct ButterflyQuestion {
  std::vector<float> u, v;
};

/// R = U^T A V to 64 eps of `output` and of the largest element.
void require_two_sided_butterfly(
    Context& context, RealType input, RealType output, const ButterflyQuestion& question,
    const std::function<void(const MatrixView& a, const MatrixView& r)>& two_sided);

/// U^T B, its rows where positions has them, and V B of a B whose rows lie there, likewise.
using OneSidedButterfly = std::function<void(const MatrixView& b, const MatrixView& y, cl_uint nrhs,
                                             const cl::Buffer& positions)>;
void require_one_sided_butterflies(Context& context, RealType type,
                                   const ButterflyQuestion& question,
                                   const OneSidedButterfly& transposed_u,
                                   const OneSidedButterfly& forward_v);

/// What lu_diagonal of cl/lu/lu_window.cl is asked for.
struct DiagonalQuestion {
  MatrixView a, lu;
  cl::Buffer work, sources;
  Index rows, size;
};

/// Its blocks and windows have so many rows.
struct WindowSizes {
  Index block, window;
};

/// The `size` best of `rows` rows, P A = L U, L^-1 and U^-1: with less rows than the window has and
/// with less than a block, no multiplier above 1 but by the bits that the kernel's candidates lack;
/// of a singular block that its third pivot, an exact zero, is noted. `factor` returns the first
/// pivot that was.
void require_diagonal_block(
    Context& context, RealType type, const WindowSizes& sizes, bool singular,
    const std::function<std::optional<Index>(const DiagonalQuestion&)>& factor);

/// What exchange_rows of cl/lu/lu_window.cl is asked for.
struct ExchangeQuestion {
  MatrixView a, lu;
  Index first, rows, columns;
  cl::Buffer sources, order, positions;
};

/// Rows of a window put as a list says, left of it in `lu`, else in A; `order` has them, and
/// `positions` is its inverse.
void require_exchanges(Context& context, RealType type, const WindowSizes& sizes,
                       const std::function<void(const ExchangeQuestion&)>& exchange);

/// The largest magnitudes below and not below the diagonal, and the smallest on it: three floats.
void require_extreme_entries(
    Context& context, RealType type,
    const std::function<void(const MatrixView& a, cl_uint n, const cl::Buffer& figures)>& find);

}  // namespace clgauss
