#pragma once
/// Matrices whose condition or whose traps are known, for tests against oracles. What
/// clgauss/lab/generate.hpp makes for users is not repeated here. After Higham, "Accuracy and
/// Stability of Numerical Algorithms", 2nd edition, chapter 28, and MATLAB's gallery.

#include <algorithm>
#include <clgauss/lab/generate.hpp>
#include <clgauss/matrix.hpp>
#include <cmath>
#include <span>
#include <vector>

#include "matrix/transposed.hpp"

namespace clgauss::test {

/// a <- (I - 2 v v^T / v^T v) a, a reflection: orthogonal.
inline void reflect_rows(Matrix& a, std::span<const double> v) {
  double square = 0;
  for (const double value : v) square += value * value;
  std::vector<double> product(a.cols(), 0.0);
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) product[j] += v[i] * a(i, j);
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) a(i, j) -= 2 * v[i] / square * product[j];
}

/// How the singular values 1 .. 1 / condition of randsvd() are spread.
enum class Spread {
  one_large = 1,   // 1, and all others 1 / condition
  one_small = 2,   // 1 / condition, and all others 1
  geometric = 3,   // condition^(-i / (n - 1))
  arithmetic = 4,  // 1 - i / (n - 1) (1 - 1 / condition)
  random = 5       // logarithms uniform in [-log(condition), 0]
};

/// U diag(s) V^T with the 2-norm condition `condition` and random orthogonal U and V, of min(n, 16)
/// reflections each, so that large ones stay cheap (MATLAB's gallery('randsvd'), modes 1 to 5).
/// What rounding does to A changes its smallest singular value by about eps: from condition 1e15 on
/// it is anybody's guess.
inline Matrix randsvd(Index n, double condition, Spread spread, std::uint64_t seed) {
  Matrix a(n, n);
  const Matrix uniform = random_matrix(1, n, seed + 1000);
  for (Index i = 0; i < n; ++i) {
    const double step = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0;
    switch (spread) {
      case Spread::one_large:
        a(i, i) = i == 0 ? 1 : 1 / condition;
        break;
      case Spread::one_small:
        a(i, i) = i + 1 == n ? 1 / condition : 1;
        break;
      case Spread::geometric:
        a(i, i) = std::pow(condition, -step);
        break;
      case Spread::arithmetic:
        a(i, i) = 1 - step * (1 - 1 / condition);
        break;
      case Spread::random:
        a(i, i) = std::pow(condition, (uniform(0, i) - 1) / 2);
        break;
    }
  }
  const Index reflections = std::min<Index>(n, 16);
  const Matrix vectors = random_matrix(2 * reflections, n, seed);
  for (Index k = 0; k < 2 * reflections; ++k) {
    if (k == reflections) a = transposed(a);
    reflect_rows(a, vectors.row(k));
  }
  return a;
}

/// A(i, j) = 1 / (i + j + 1): condition about e^(3.5 n).
inline Matrix hilbert(Index n) { return generate_matrix("hilbert", n, 1); }

/// A(i, j) = t_i^j with t_i = (i + 1) / n: condition 1e12 at n = 12.
inline Matrix vandermonde(Index n) {
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      a(i, j) =
          std::pow(static_cast<double>(i + 1) / static_cast<double>(n), static_cast<double>(j));
  return a;
}

/// Upper triangular, row i is sin(theta)^i (0 .. 0 1 -c -c ..), c = cos(theta): ill-conditioned,
/// though no diagonal element is small and no pivoting finds anything to do.
inline Matrix kahan(Index n, double theta = 1.2) {
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < n; ++j)
      a(i, j) = std::pow(std::sin(theta), static_cast<double>(i)) * (i == j ? 1 : -std::cos(theta));
  return a;
}

/// Upper Hessenberg, n - max(i, j) on and above, n - j below the diagonal: determinant 1, integers,
/// a condition that grows like n!.
inline Matrix frank(Index n) {
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = i > 0 ? i - 1 : 0; j < n; ++j) a(i, j) = static_cast<double>(n - std::max(i, j));
  return a;
}

/// Toeplitz, -1 below, 1 on and on three diagonals above the diagonal: well conditioned, with
/// sensitive eigenvalues.
inline Matrix grcar(Index n) {
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = i > 0 ? i - 1 : 0; j < std::min(n, i + 4); ++j) a(i, j) = j + 1 == i ? -1 : 1;
  return a;
}

/// The Hilbert matrix with a first row of ones: unsymmetric, and as ill-conditioned.
inline Matrix lotkin(Index n) {
  Matrix a = hilbert(n);
  for (Index j = 0; j < n; ++j) a(0, j) = 1;
  return a;
}

/// A(i, j) = min(i, j) + 1: positive definite, determinant 1, its inverse is tridiagonal, condition
/// about n^2.
inline Matrix minij(Index n) {
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) a(i, j) = static_cast<double>(std::min(i, j) + 1);
  return a;
}

/// Pivots grow to 2^(n - 1) with partial pivoting, though A is well conditioned: condition about n.
inline Matrix wilkinson_growth(Index n) { return generate_matrix("wilkinson", n, 1); }

/// Random, row i times low^(1 - s) high^s, s = i / (n - 1): from `low` to `high`, as far as 1e-300
/// and 1e300.
inline Matrix graded(Index n, double low, double high, std::uint64_t seed) {
  Matrix a = random_matrix(n, n, seed);
  for (Index i = 0; i < n; ++i) {
    const double s = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0;
    const double by = std::pow(10.0, std::log10(low) * (1 - s) + std::log10(high) * s);
    for (double& value : a.row(i)) value *= by;
  }
  return a;
}

/// Row i times 10^(i mod 7 - 3).
inline Matrix rows_by_powers_of_ten(Matrix a) {
  for (Index i = 0; i < a.rows(); ++i)
    for (double& value : a.row(i)) value *= std::pow(10.0, static_cast<double>(i % 7) - 3);
  return a;
}

/// Rank `rank`: random factors n-by-rank and rank-by-n. With integer factors (-4 .. 4) all of it is
/// exact, else the zero singular values are of the size of rounding.
inline Matrix rank_deficient(Index n, Index rank, bool exact, std::uint64_t seed) {
  Matrix left = random_matrix(n, rank, seed), right = random_matrix(rank, n, seed + 1), a(n, n);
  if (exact)
    for (Matrix* factor : {&left, &right})
      for (double& value : factor->values()) value = std::round(4 * value);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < rank; ++k)
      for (Index j = 0; j < n; ++j) a(i, j) += left(i, k) * right(k, j);
  return a;
}

}  // namespace clgauss::test
