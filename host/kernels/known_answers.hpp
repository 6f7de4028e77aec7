#pragma once
/// The known answers that the kernels of a factorisation must give before they are used: small problems with random numbers,
/// enqueued by the caller's function on the context's queue and compared with the plain host's. Each waits, and throws WrongAnswer.

#include <clgauss/batched.hpp>
#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <optional>
#include <vector>

namespace clgauss {

/// What their buffers are for, in messages.
inline constexpr const char* kKnownAnswer = "a kernel's known answer";

/// P A = L U of an m-by-width panel: |P A - L U| <= 30 m eps max|A|, every row exchanged with one at or below it, and with
/// `bounded` no multiplier above 1, as partial pivoting has it. With as many columns left and right of it as `beside` says P B on the
/// left and L11^-1 P B on the right.
void require_panel(
    Context& context, RealType type, Index m, Index width, Index beside, bool bounded,
    const std::function<void(const MatrixView& a, const cl::Buffer& pivots)>& factor);

/// B <- T^-1 B for T n-by-n and B n-by-nrhs, to 64 n eps of the largest element; T is unit lower triangular with garbage above, or
/// upper triangular with garbage below.
void require_triangular_solve(
    Context& context, RealType type, Index n, Index nrhs, bool upper,
    const std::function<void(const MatrixView& t, const MatrixView& b)>& solve);

/// Factors of an LU, n-by-n, the exchanges of its rows, and B, n-by-nrhs.
struct FactorsQuestion {
  MatrixView lu;
  cl::Buffer pivots;
  MatrixView b;
  cl_uint n, nrhs;
};

/// B <- A^-1 B or, transposed, B <- A^-T B, to 64 n eps of the largest element.
void require_solve_with_factors(Context& context, RealType type, Index n, Index nrhs,
                                bool transposed,
                                const std::function<void(const FactorsQuestion&)>& solve);

/// The largest magnitude on and above the diagonal, exactly: once of numbers, below which larger ones lie, and once NaN.
void require_upper_maximum(Context& context, RealType type,
                           const std::function<double(const MatrixView& t, Index n)>& maximum);

/// What lu_swap_solve of cl/trsm.cl is asked for.
struct SwapSolve {
  MatrixView diagonal, b;
  cl::Buffer pivots;
  Index block, columns, hole_begin, hole_end;
};

/// Exchanges, and with `solve` the solve right of the hole, for `block` of a few more rows; columns left and inside of the hole.
void require_swap_solve(Context& context, RealType type, Index block, Index strip, bool solve,
                        const std::function<void(const SwapSolve&)>& swap_and_solve);

/// A whole LU with one right-hand side, n-by-n: the factors as in require_panel(), and b - A x. `solve` returns the exchanges.
void require_solution(
    Context& context, RealType type, Index n,
    const std::function<std::vector<Index>(const MatrixView& a, const MatrixView& b)>& solve);

/// A = L D L^T of a symmetric positive definite n-by-n A, of which only the lower triangle is there, as the factors of an LU without row
/// exchanges, and a solve with one right-hand side, as require_solution(). Of another A, which is indefinite, that the column is named.
/// `solve` returns the failed one.
void require_positive_definite_solution(
    Context& context, RealType type, Index n,
    const std::function<std::optional<Index>(const MatrixView& a, const MatrixView& b)>& solve);

/// What a sweep of cl/iterations.cl is asked for: a right-hand side is a row of b, x and next.
struct SweepQuestion {
  MatrixView a;
  cl::Buffer b, x, next;
  cl_uint n, nrhs;
};

/// A sweep of Jacobi into `next`, or of Seidel in x, to 64 n eps of the largest element.
void require_sweep(Context& context, RealType type, bool seidel,
                   const std::function<void(const SweepQuestion&)>& sweep);

/// A panel of cl/qr.cl: A, m-by-width with another column beside it, of which `square` = width + 3 rows become R and zeros; V, whose rows
/// have room for `room` columns; T; tau from number 1 on.
struct ReflectionsQuestion {
  MatrixView a, v, t;
  cl::Buffer taus;
};

/// A = (I - V T V^T) R with V unit lower trapezoidal, I - V T V^T orthogonal, T and R upper triangular; one column of A is all zeros.
void require_reflections(Context& context, RealType type, Index m, Index width, Index room,
                         const std::function<void(const ReflectionsQuestion&)>& factor);

/// A and B of a complex system side by side, as real matrices of twice as many columns; B begins at column `b`.
struct ComplexQuestion {
  MatrixView a;
  Index n, nrhs, b;
};

/// What came of it.
struct ComplexOutcome {
  std::optional<Index> failed;
  std::vector<Index> exchanges;
};

/// P A = L U of complex numbers and A^-1 B, in place, as require_panel() and require_solution(); of another A, singular, that the column
/// is named. Between A and B, and behind B up to column `ld`, there are zeros.
void require_complex_solution(Context& context, RealType type, Index n, Index nrhs, Index b,
                              Index ld,
                              const std::function<ComplexOutcome(const ComplexQuestion&)>& solve);

/// U and V of cl/butterfly.cl that are asked for.
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

/// What lu_diagonal of cl/lu_window.cl is asked for.
struct DiagonalQuestion {
  MatrixView a, lu;
  cl::Buffer work, sources;
  Index rows, size;
};

/// Its blocks and windows have so many rows.
struct WindowSizes {
  Index block, window;
};

/// The `size` best of `rows` rows, P A = L U, L^-1 and U^-1: with less rows than the window has and with less than a block, no
/// multiplier above 1 but by the bits that the kernel's candidates lack; of a singular block that its third pivot, an exact zero, is
/// noted. `factor` returns the first pivot that was.
void require_diagonal_block(
    Context& context, RealType type, const WindowSizes& sizes, bool singular,
    const std::function<std::optional<Index>(const DiagonalQuestion&)>& factor);

/// What exchange_rows of cl/lu_window.cl is asked for.
struct ExchangeQuestion {
  MatrixView a, lu;
  Index first, rows, columns;
  cl::Buffer sources, order, positions;
};

/// Rows of a window put as a list says, left of it in `lu`, else in A; `order` has them, and `positions` is its inverse.
void require_exchanges(Context& context, RealType type, const WindowSizes& sizes,
                       const std::function<void(const ExchangeQuestion&)>& exchange);

/// The largest magnitudes below and not below the diagonal, and the smallest on it: three floats.
void require_extreme_entries(
    Context& context, RealType type,
    const std::function<void(const MatrixView& a, cl_uint n, const cl::Buffer& figures)>& find);

/// What a batched kernel is asked for: four systems of one n, the second of them singular, the third with a zero leading pivot; if
/// `definite`, all but the second positive definite, and what is above the diagonals something else.
struct BatchedQuestion {
  BatchView a, b;
  Index nrhs, batch;
  cl::Buffer info;
};

void require_batched(Context& context, RealType type, Index n, Index nrhs, bool definite,
                     const std::function<void(const BatchedQuestion&)>& solve);

}  // namespace clgauss
