#pragma once
/// Symmetric matrices, most of them indefinite, for tests of L D L^T.

#include <algorithm>
#include <clgauss/lab/generate.hpp>
#include <clgauss/matrix.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace clgauss::test {

inline Matrix mirrored(Matrix a) {
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < i; ++j) a(j, i) = a(i, j);
  return a;
}

inline Matrix random_symmetric(Index n, std::uint64_t seed) {
  return mirrored(random_matrix(n, n, seed));
}

/// H and B of a constraint: [[H, B^T], [B, -e I]], H diagonal and positive, e >= 0. Of B's p rows
/// each has its own column, so that it has full rank: n - p eigenvalues above 0, p below.
inline Matrix saddle_point(Index n, Index p, double e, std::uint64_t seed) {
  const Matrix numbers = random_matrix(n, n, seed);
  Matrix a(n, n);
  for (Index i = 0; i + p < n; ++i) a(i, i) = 1 + std::abs(numbers(i, i));
  for (Index i = n - p; i < n; ++i) {
    for (Index j = 0; j + p < n; ++j) a(i, j) = a(j, i) = numbers(i, j) / 4;
    const Index own = (i - (n - p)) % std::max<Index>(n - p, 1);
    a(i, own) = a(own, i) = 2;
    a(i, i) = -e;
  }
  return a;
}

/// As interior-point methods end: H grows without bounds where a bound of x is active.
inline Matrix interior_point(Index n, std::uint64_t seed) {
  Matrix a = saddle_point(n, n / 3, 1e-8, seed);
  for (Index i = 0; i + n / 3 < n; i += 2) a(i, i) *= 1e10;
  return a;
}

inline Matrix without_diagonal(Index n, std::uint64_t seed) {
  Matrix a = random_symmetric(n, seed);
  for (Index i = 0; i < n; ++i) a(i, i) = 0;
  return a;
}

/// Ones across: every pivot has two columns, the first with the last.
inline Matrix exchange_matrix(Index n) {
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i) a(i, n - 1 - i) = 1;
  return a;
}

/// [[0, W^T], [W, 0]] with the columns of both halves in turns, n even, of a W whose pivots grow to
/// 2^(n / 2 - 1) with partial pivoting: those of Bunch and Kaufman and of an LU grow as much, those
/// of rook pivoting by 2. The condition is about n.
inline Matrix growing(Index n) {
  const Matrix w = generate_matrix("wilkinson", n / 2, 1);
  Matrix a(n, n);
  for (Index i = 0; i < n / 2; ++i)
    for (Index j = 0; j < n / 2; ++j) a(2 * i + 1, 2 * j) = a(2 * j, 2 * i + 1) = w(i, j);
  return a;
}

struct IndefiniteKind {
  const char* name;
  std::function<Matrix(Index n)> make;
};

/// All regular from n = 2 on.
inline std::vector<IndefiniteKind> indefinite_kinds() {
  return {{"random", [](Index n) { return random_symmetric(n, 3 * n); }},
          {"saddle point", [](Index n) { return saddle_point(n, n / 3, 0, n); }},
          {"zero diagonal", [](Index n) { return without_diagonal(n, n); }},
          {"interior point", [](Index n) { return interior_point(n, n); }},
          {"across", exchange_matrix},
          {"definite", [](Index n) { return generate_matrix("spd", n, n); }}};
}

}  // namespace clgauss::test
