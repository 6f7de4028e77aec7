#pragma once
/// What is measured: one problem with its random data, its flops, and the check of an answer to it.

#include <clgauss/batched.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <cstddef>
#include <string_view>
#include <vector>

#include "kernels/common/number_type.hpp"

namespace clgauss::bench {

enum class What {
  gemm,      // C <- C - A B
  lu,        // P A = L U
  solve,     // P A = L U, then x = A^-1 b for one b
  cholesky,  // the same for a symmetric positive definite A, by Cholesky's factors
  ldlt,      // the same for a symmetric indefinite A, by L D L^T
  lstsq,  // least squares of four times as many equations as unknowns, by Householder's reflections
  gelsy,  // least squares of any rank, from host memory to host memory
  complex_solve,  // solve of complex numbers
  hermitian,      // cholesky of complex numbers
  invert,         // the inverse of a matrix
  host,           // solve from host memory to host memory
  gecon,          // the condition of given L and U, from host memory
  batched,        // solve for many small systems
  vbatched,       // solve for many systems of different n, from host memory to host memory
  file,           // solve by whole programs, from a file to an answer in another
  cold            // the same by clgauss, with empty caches
};
inline constexpr What kAllWhats[] = {
    What::gemm,      What::lu,       What::solve, What::cholesky,
    What::ldlt,      What::lstsq,    What::gelsy, What::complex_solve,
    What::hermitian, What::invert,   What::host,  What::gecon,
    What::batched,   What::vbatched, What::file,  What::cold};
[[nodiscard]] std::string_view what_name(What what);
/// Whether the problem is one system of complex numbers.
[[nodiscard]] constexpr bool is_complex(What what) {
  return what == What::complex_solve || what == What::hermitian;
}
/// Whether a run is that of a program, from an .npy file, which is written in f64.
[[nodiscard]] constexpr bool starts_programs(What what) {
  return what == What::file || what == What::cold;
}

/// Whether k is a number of right-hand sides.
[[nodiscard]] constexpr bool has_right_hand_sides(What what) {
  return what == What::host || what == What::complex_solve || what == What::batched;
}

/// Sizes and type of a problem; of lu, solve, invert, file and cold only n and pad are read, of
/// lstsq and hermitian n alone, of gelsy m, n and k, the rank, of host n and k, its right-hand
/// sides, of complex also batched.symmetric: a Hermitian A by L D L^H, of gecon n, of batched n, k,
/// its right-hand sides, and what follows pad, of vbatched n, k and batch: n is the largest, k the
/// least n of a system. k of hermitian is 1.
struct ProblemSize {
  What what = What::gemm;
  RealType type = RealType::f64;
  Index m = 0, n = 0, k = 0;
  bool panel_update = false;  // gemm: an LU's trailing update (k was given), not a square product
  Index pad = 0;              // added to the leading dimension of every matrix
  Index batch = 0;            // systems
  BatchedLuOptions batched;   // which kernels, of which numbers
  bool rook = false;          // ldlt: with rook pivoting

  /// Of a batch.
  [[nodiscard]] NumberType number() const { return {type, batched.complex}; }
};

/// The data, random and exactly representable in the type, so that every contestant and the check
/// start from the same numbers.
struct Problem {
  ProblemSize size;
  /// gemm: m-by-k; lu, solve, invert: n-by-n; gecon: L\U of an A with A^-1 >= 0; lstsq: [A | b],
  /// 4n-by-(n+1); gelsy: [A | b], m-by-(n+1); complex, hermitian: [A | B], n-by-2(n+k), real and
  /// imaginary parts; batched: a system's matrix a row, batch-by-n^2 numbers; vbatched: one row, a
  /// system's matrix behind the other
  Matrix a;
  /// gemm: k-by-n; host: n-by-k; lu, solve, lstsq, gelsy, complex, hermitian, invert, gecon:
  /// n-by-1 (zeros but for lu, solve); batched: batch-by-nk; vbatched: one row
  Matrix b;
  Matrix c;  // gemm: m-by-n, before the product; else empty
};

inline constexpr unsigned kSeed = 20130522;
[[nodiscard]] Problem make_problem(const ProblemSize& size);

/// The n of each system of vbatched, random between k and n.
[[nodiscard]] std::vector<Index> sizes_of_systems(const ProblemSize& size);

/// The systems of vbatched, with one right-hand side each.
[[nodiscard]] std::vector<System> systems_of(const Problem& problem);

/// Rows of A of an lstsq with n columns.
[[nodiscard]] constexpr Index rows_of_lstsq(Index n) { return 4 * n; }

/// 2 m n k for gemm, 2 n^3 for invert, 2/3 n^3 for lu, 2 n^2 (m - n / 3) for lstsq and gelsy, 8 n^2
/// for gecon (two solves and two transposed ones),
/// 4/3 n^3 + 8 n^2 for hermitian, 2/3 n^3 + 2 n^2 for solve, for each system of vbatched and, with
/// k times the last, for host and each of batched, four times that of complex ones and for complex,
/// 1/3 n^3 + 2 n^2 for cholesky, batched too, and ldlt.
[[nodiscard]] double flops(const ProblemSize& size);

/// How wrong an answer is, as a multiple of what rounding alone may do.
struct Accuracy {
  double error = 0;
  double bound = 0;
  /// NaN is not acceptable.
  [[nodiscard]] bool acceptable() const { return error <= bound; }
};

/// Checks `result`, which is C for gemm, the inverse X for invert and x otherwise (batched: a
/// system a row, vbatched: all in one; the worst counts), in f64 on the host by O(n^2) flops.
///
/// invert: norm1(A X - I), from below by random signs, / (eps n normInf(A) normInf(X)) <= 16.
/// complex, hermitian: as solve, of moduli; x is n-by-2k, real and imaginary parts. lstsq, gelsy:
/// normInf(A^T r) / (eps m normInf(A^T) (normInf(A) normInf(x) + normInf(b))) <= 16, r = b - A x.
/// lu, solve:
/// normInf(b - A x) / (eps n (normInf(A) normInf(x) + normInf(b))) <= 16 (HPL). gemm: norm1(C -
/// Cref) / (eps (sqrt(k + 2) norm1(A) norm1(B) + 2 norm1(C0))) <= 3 (SLATE), with norm1(C - Cref)
/// estimated from below, see gemm. gecon: how far rcond is from the true one, as a factor, <= 1.1.
[[nodiscard]] Accuracy check(const Problem& problem, const Matrix& result);

/// The values in type T, rows `ld` apart (what lies between them is 0).
template <typename T>
[[nodiscard]] std::vector<T> typed_rows(const Matrix& matrix, Index ld) {
  std::vector<T> values(matrix.rows() * ld);
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) values[i * ld + j] = static_cast<T>(matrix(i, j));
  return values;
}

/// The complex numbers whose parts are columns 2 j and 2 j + 1: column by column, parts of type T.
template <typename T>
[[nodiscard]] std::vector<T> typed_complex_columns(const Matrix& parts) {
  std::vector<T> values;
  values.reserve(parts.rows() * parts.cols());
  for (Index j = 0; j < parts.cols(); j += 2)
    for (Index i = 0; i < parts.rows(); ++i)
      for (const Index part : {j, j + 1}) values.push_back(static_cast<T>(parts(i, part)));
  return values;
}

/// The opposite: the parts of a rows-by-columns matrix of complex numbers, column by column.
template <typename T>
[[nodiscard]] Matrix complex_matrix_of(const T* values, Index rows, Index columns) {
  Matrix parts(rows, 2 * columns);
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i)
      for (const Index part : {Index{0}, Index{1}})
        parts(i, 2 * j + part) = static_cast<double>(*values++);
  return parts;
}

/// The opposite of typed_rows(): the rows-by-cols matrix whose rows lie `ld` apart.
template <typename T>
[[nodiscard]] Matrix matrix_of(const T* values, Index rows, Index cols, Index ld) {
  Matrix matrix(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) matrix(i, j) = static_cast<double>(values[i * ld + j]);
  return matrix;
}

}  // namespace clgauss::bench
