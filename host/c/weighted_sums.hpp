#pragma once
/// An O(n^2) check of factors and answers that covers every number. For a vector w of weights, w^T
/// A must equal w^T P^T L U, and w^T B must equal w^T A X. A difference larger than rounding can
/// cause means that a number was computed or moved wrongly.

#include <clgauss/matrix.hpp>
#include <complex>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "c/host_matrix.hpp"

namespace clgauss::c {

/// double for real numbers, std::complex<double> for complex ones.
template <typename Number>
using Wide = std::conditional_t<std::is_floating_point_v<Number>, double, std::complex<double>>;

/// conj(number), which of a real number is the number itself.
template <typename Number>
[[nodiscard]] Number conjugated(const Number& number) {
  if constexpr (std::is_floating_point_v<Number>)
    return number;
  else
    return std::conj(number);
}

/// w^T A for an A with n columns, and the norm that errors are measured against.
template <typename Number>
struct WeightedSums {
  std::vector<Wide<Number>> sums;  // n
  /// The largest column sum of magnitudes; for complex numbers the magnitude is |re| + |im|.
  double norm1 = 0;
};

/// The sums of an m-by-n A: m n multiplications, on all cores.
template <typename Number>
[[nodiscard]] WeightedSums<Number> weighted_sums(const HostMatrix<const Number>& a);

/// The sums of the symmetric (complex: Hermitian) A whose lower triangle is in `a`. The imaginary
/// parts of the diagonal are not read.
template <typename Number>
[[nodiscard]] WeightedSums<Number> weighted_sums_of_symmetric(const HostMatrix<const Number>& a);

/// M = L U, or L conj(U), for two triangles. At most one of them has a unit diagonal, which is not
/// stored. The other triangle of each matrix is not read.
template <typename Number>
struct Triangles {
  HostMatrix<const Number> lower, upper;
  bool is_unit_lower = false, is_unit_upper = false, is_upper_conjugated = false;

  /// The element of M's upper triangle for the stored `number`.
  template <typename Stored>
  [[nodiscard]] Stored of_upper(const Stored& number) const {
    return is_upper_conjugated ? conjugated(number) : number;
  }
};

/// w^T M. norm1 is that of the column whose |w^T M| is largest: at most ||M||_1, and usually most
/// of it; with large growth in the factors || |L| |U| ||_1, which bounds the errors of solves.
/// 2.5 n^2 multiplications.
template <typename Number>
[[nodiscard]] WeightedSums<Number> weighted_sums_of_product(const Triangles<Number>& m);

/// Whether P A = L U. L and U are in the format of LAPACK's getrf for an m-by-n A, m >= n; row k
/// was exchanged with row exchanges[k], counted from 0. The bound is that of LAPACK's own tests:
/// ||P^T L U - A||_1 <= 30 n eps ||A||_1. False for NaN. m n multiplications.
template <typename Number>
[[nodiscard]] bool agree(const WeightedSums<Number>& of_a, const HostMatrix<const Number>& lu,
                         std::span<const Index> exchanges);

/// Whether A = L D L^T, for complex numbers L D L^H. `ldl` holds D and L, whose unit diagonal is
/// not stored. Only the real parts of D are used.
template <typename Number>
[[nodiscard]] bool agree_symmetric(const WeightedSums<Number>& of_a,
                                   const HostMatrix<const Number>& ldl);

/// Whether A X = B: ||B - A X||_1 <= 30 eps (||A||_1 ||X||_1 + ||B||_1) for each column, the bound
/// of LAPACK's own tests. False for NaN.
template <typename Number>
[[nodiscard]] bool is_answer(const WeightedSums<Number>& of_a, const HostMatrix<const Number>& b,
                             const HostMatrix<const Number>& x);

/// Whether A X = I: ||A X - I||_1 <= 30 n eps (||A||_1 ||X||_1 + 1) for each column; LAPACK's own
/// tests have one bound for all columns. False for NaN.
template <typename Number>
[[nodiscard]] bool is_inverse(const WeightedSums<Number>& of_a, const HostMatrix<const Number>& x);

/// is_inverse() for the symmetric (complex: Hermitian) X whose lower triangle is in `x`.
template <typename Number>
[[nodiscard]] bool is_symmetric_inverse(const WeightedSums<Number>& of_a,
                                        const HostMatrix<const Number>& x);

}  // namespace clgauss::c
