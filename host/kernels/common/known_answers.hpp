#pragma once
/// Shared parts of the self-tests that kernels must pass before they are used. A test gives a small
/// random problem to the caller's function, which enqueues on the context's queue, and compares the
/// result with a plain computation on the host. Each test waits, and throws WrongAnswer.

#include <clgauss/context.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <cstdint>
#include <vector>

namespace clgauss {

/// What the tests' buffers are for, in messages.
inline constexpr const char* kKnownAnswer = "the self-test of a kernel";

/// Uniform in [-1, 1), rounded to `type`, so that device and host use the same numbers.
[[nodiscard]] Matrix random_of(RealType type, Index rows, Index cols, std::uint64_t seed);

/// question_of() uploads `matrix` with `gap` columns between its rows, as in a larger matrix.
/// answer_in() downloads a matrix, and waits.
[[nodiscard]] MatrixView question_of(Context& context, RealType type, const Matrix& matrix,
                                     Index gap = 3);
[[nodiscard]] Matrix answer_in(Context& context, RealType type, const MatrixView& view, Index rows,
                               Index cols);
/// Downloads the first `count` row numbers, and waits.
[[nodiscard]] std::vector<Index> rows_in(Context& context, const cl::Buffer& pivots, Index count);

/// Throws WrongAnswer, which names `what`, unless error <= bound.
void require_error(double error, double bound, const char* what);

[[nodiscard]] Matrix columns_of(const Matrix& a, Index first, Index count);

/// Exchanges row k with row pivots[k], for k = 0, 1, ...
void exchange_rows(Matrix& matrix, const std::vector<Index>& pivots);

/// Checks |A - L U| <= 30 m eps max|A| for the m-by-width L\U, and if `bounded` that no multiplier
/// is above 1. Throws WrongAnswer.
void require_factors(const Matrix& a, const Matrix& lu, RealType type, bool bounded);

/// An n-by-n matrix whose upper triangle, and whose unit lower triangle, are well conditioned.
[[nodiscard]] Matrix random_triangle(RealType type, Index n, std::uint64_t seed);

/// T^-1 B for the leading n-by-n triangle of T.
[[nodiscard]] Matrix solved_on_host(const Matrix& t, const Matrix& b, Index n, bool upper,
                                    bool unit);

[[nodiscard]] double largest_in(const Matrix& matrix);

}  // namespace clgauss
