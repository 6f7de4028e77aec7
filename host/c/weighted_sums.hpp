#pragma once
/// A check of factors and answers that sees every number of them, in O(n^2): for one vector w of
/// weights, w^T A must be w^T P^T L U, and w^T B must be w^T A X. What differs by more than
/// rounding can was computed or moved wrong.

#include <clgauss/matrix.hpp>
#include <complex>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "c/host_matrix.hpp"

namespace clgauss::c {

/// double, of float and double; std::complex<double>, of complex numbers.
template <typename Number>
using Wide = std::conditional_t<std::is_floating_point_v<Number>, double, std::complex<double>>;

/// w^T A of an A with n columns, and what an error in it is measured by.
template <typename Number>
struct WeightedSums {
  std::vector<Wide<Number>> sums;  // n
  /// the largest sum of magnitudes of a column; of complex numbers |re| + |im|
  double norm1 = 0;
};

/// Of A itself, of m rows; m n multiplications, on all cores.
template <typename Number>
[[nodiscard]] WeightedSums<Number> weighted_sums(const HostMatrix<const Number>& a);

/// The same of the symmetric, or of complex numbers Hermitian, A whose lower triangle `a` holds.
/// The imaginary parts of the diagonal are not read.
template <typename Number>
[[nodiscard]] WeightedSums<Number> weighted_sums_of_symmetric(const HostMatrix<const Number>& a);

/// M = L U for two triangles, of which at most one has a unit diagonal that is not stored. What
/// lies beside a triangle in its matrix is not read.
template <typename Number>
struct Triangles {
  HostMatrix<const Number> lower, upper;
  bool is_unit_lower = false, is_unit_upper = false;
};

/// w^T M; norm1 is || |L| |U| ||_1, which bounds ||M||_1, and which what rounding does to a solve
/// with the triangles is measured by. 2 n^2 multiplications.
template <typename Number>
[[nodiscard]] WeightedSums<Number> weighted_sums_of_product(const Triangles<Number>& m);

/// Whether P A = L U: L and U are as LAPACK's getrf leaves them of an m-by-n A, m >= n, row k was
/// exchanged with row exchanges[k], 0-based. As LAPACK's own tests have it, ||P^T L U - A||_1 is to
/// be at most 30 n eps ||A||_1; false for NaN. m n multiplications.
template <typename Number>
[[nodiscard]] bool agree(const WeightedSums<Number>& of_a, const HostMatrix<const Number>& lu,
                         std::span<const Index> exchanges);

/// The same of A = L D L^T, of complex numbers L D L^H; `ldl` holds L, its unit diagonal not
/// stored, and D, of which the real parts count.
template <typename Number>
[[nodiscard]] bool agree_symmetric(const WeightedSums<Number>& of_a,
                                   const HostMatrix<const Number>& ldl);

/// Whether A X = B: ||B - A X||_1 is to be at most 30 eps (||A||_1 ||X||_1 + ||B||_1), column by
/// column, as LAPACK's own tests have it; false for NaN.
template <typename Number>
[[nodiscard]] bool is_answer(const WeightedSums<Number>& of_a, const HostMatrix<const Number>& b,
                             const HostMatrix<const Number>& x);

/// Whether A X = I: ||A X - I||_1 is to be at most 30 n eps (||A||_1 ||X||_1 + 1), column by
/// column, where LAPACK's own tests have one bound for all of them; false for NaN.
template <typename Number>
[[nodiscard]] bool is_inverse(const WeightedSums<Number>& of_a, const HostMatrix<const Number>& x);

/// The same of the symmetric X whose lower triangle `x` holds.
template <typename Number>
[[nodiscard]] bool is_symmetric_inverse(const WeightedSums<Number>& of_a,
                                        const HostMatrix<const Number>& x);

}  // namespace clgauss::c
