#pragma once
/// How good the factors of a matrix are.

#include <algorithm>
#include <clgauss/matrix.hpp>

#include "support/padded_matrix.hpp"

namespace clgauss::test {

/// norm1(P A - L U) / (n norm1(A) eps), LAPACK's measure of a factorisation; NaN if it holds one.
inline double factorisation_error(const Matrix& a, const Matrix& lu,
                                  const std::vector<Index>& pivots, double eps) {
  const Index n = a.rows();
  Matrix difference = a;
  for (Index j = 0; j < n; ++j)
    if (pivots[j] != j)
      std::swap_ranges(difference.row(j).begin(), difference.row(j).end(),
                       difference.row(pivots[j]).begin());
  for (Index i = 0; i < n; ++i)
    for (Index p = 0; p <= i; ++p) {
      const double l = p == i ? 1 : lu(i, p);
      for (Index j = p; j < n; ++j) difference(i, j) -= l * lu(p, j);
    }
  const double scale = static_cast<double>(n) * norm1(a) * eps;
  return scale == 0 ? norm1(difference) : norm1(difference) / scale;
}

}  // namespace clgauss::test
