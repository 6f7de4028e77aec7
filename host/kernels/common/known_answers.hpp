#pragma once
/// What self-tests share that kernels must pass before they are used: small problems with
/// random numbers, enqueued by the caller's function on the context's queue and compared with the
/// plain host's. Each waits, and throws WrongAnswer.

#include <clgauss/context.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <cstdint>
#include <vector>

namespace clgauss {

/// What their buffers are for, in messages.
inline constexpr const char* kKnownAnswer = "the self-test of a kernel";

/// Uniform in [-1, 1), rounded to `type`, so that the device gets the numbers that the host has.
[[nodiscard]] Matrix random_of(RealType type, Index rows, Index cols, std::uint64_t seed);

/// `matrix` on the device with a few columns between the rows, as in a larger one, and what lies
/// there; the latter waits.
[[nodiscard]] MatrixView question_of(Context& context, RealType type, const Matrix& matrix,
                                     Index gap = 3);
[[nodiscard]] Matrix answer_in(Context& context, RealType type, const MatrixView& view, Index rows,
                               Index cols);
/// The first `count` numbers of rows; waits.
[[nodiscard]] std::vector<Index> rows_in(Context& context, const cl::Buffer& pivots, Index count);

/// Throws WrongAnswer, which names `what`, unless the error is within its bound.
void require_error(double error, double bound, const char* what);

[[nodiscard]] Matrix columns_of(const Matrix& a, Index first, Index count);

/// Row k and row pivots[k] change places, one k after the other.
void exchange_rows(Matrix& matrix, const std::vector<Index>& pivots);

/// |A - L U| <= 30 m eps max|A| for the m-by-width L\U, and with `bounded` no multiplier above 1.
/// Throws WrongAnswer.
void require_factors(const Matrix& a, const Matrix& lu, RealType type, bool bounded);

/// n-by-n, well conditioned as a lower triangle of ones on the diagonal and as an upper one.
[[nodiscard]] Matrix random_triangle(RealType type, Index n, std::uint64_t seed);

/// T^-1 B for the leading n-by-n triangle of T.
[[nodiscard]] Matrix solved_on_host(const Matrix& t, const Matrix& b, Index n, bool upper,
                                    bool unit);

[[nodiscard]] double largest_in(const Matrix& matrix);

}  // namespace clgauss
