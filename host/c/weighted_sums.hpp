#pragma once
/// A check of factors and answers that sees every number of them, in O(n^2): for one vector w of
/// weights, w^T A must be w^T P^T L U, and w^T B must be w^T A X. What differs by more than
/// rounding can was computed or moved wrong.

#include <clgauss/matrix.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "c/host_matrix.hpp"

namespace clgauss::c {

/// w^T A of an n-by-n A, and what an error in it is measured by.
struct WeightedSums {
  std::vector<double> sums;  // n
  double norm1 = 0;          // the largest sum of magnitudes of a column
};

/// Of A itself; n^2 multiplications, on all cores.
template <typename Real>
[[nodiscard]] WeightedSums weighted_sums(const HostMatrix<const Real>& a);

/// The same of the symmetric A whose lower triangle `a` holds.
template <typename Real>
[[nodiscard]] WeightedSums weighted_sums_of_symmetric(const HostMatrix<const Real>& a);

/// Whether P A = L U: L and U are as LAPACK's getrf leaves them, row k was exchanged with row
/// exchanges[k], 0-based. As LAPACK's own tests have it, ||P^T L U - A||_1 is to be at most 30 n
/// eps ||A||_1; false for NaN. n^2 multiplications.
template <typename Real>
[[nodiscard]] bool agree(const WeightedSums& of_a, const HostMatrix<const Real>& lu,
                         std::span<const Index> exchanges);

/// The same of A = L D L^T; `ldl` holds L, its unit diagonal not stored, and D.
template <typename Real>
[[nodiscard]] bool agree_symmetric(const WeightedSums& of_a, const HostMatrix<const Real>& ldl);

/// Whether A X = B: ||B - A X||_1 is to be at most 30 eps (||A||_1 ||X||_1 + ||B||_1), column by
/// column, as LAPACK's own tests have it; false for NaN.
template <typename Real>
[[nodiscard]] bool is_answer(const WeightedSums& of_a, const HostMatrix<const Real>& b,
                             const HostMatrix<const Real>& x);

}  // namespace clgauss::c
