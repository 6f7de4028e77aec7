#include "linalg/estimates/inverted_factors.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/complex/complex_factors.hpp"
#include "linalg/complex/complex_residual.hpp"
#include "linalg/estimates/upward.hpp"

namespace clgauss {

namespace {

/// |re| + |im|, rounded. It is at least the modulus, and that of a product is at most the product
/// of both numbers'.
double size_of(std::complex<double> value) {
  return std::abs(value.real()) + std::abs(value.imag());
}

/// The size of element (i, j) of a complex matrix, from the upper half of its real operator.
double size_at(const Matrix& upper, Index i, Index j) {
  return std::abs(upper(i, j)) + std::abs(upper(i, upper.cols() / 2 + j));
}

}  // namespace

std::optional<InvertedFactors> inverted_factors(Context& context, const ComplexMatrix& a,
                                                const LuOptions& options,
                                                const ProgressCallback& progress) {
  const Index n = a.rows();
  ComplexSystem system{a, ComplexMatrix(n, n)};
  for (Index i = 0; i < n; ++i) system.b.set(i, i, 1);
  ComplexFactors factors(context, system, RealType::f64, options, false);
  factors.upload(system, Equilibration::off);
  factors.factor(progress);
  const ComplexFactors::Pivots pivots = factors.pivots();
  if (pivots.failed_column) return std::nullopt;
  if (progress) progress("certificate: inverse", 0);
  std::vector<int> back = factors.scaling_of_numbers().right_hand_sides;
  for (int& exponent : back) exponent = -exponent;
  const ComplexMatrix x =
      from_pairs(scaled(factors.first_answer(), factors.scaling().columns, back));
  const ComplexMatrix packed(factors.packed());
  InvertedFactors all{ComplexMatrix(n, n), ComplexMatrix(n, n),   ComplexMatrix(n, n),
                      ComplexMatrix(n, n), std::vector<Index>(n), {}};
  std::iota(all.rows.begin(), all.rows.end(), Index{0});
  for (Index i = 0; i < n; ++i) std::swap(all.rows[i], all.rows[pivots.rows[i]]);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      all.a.set(i, j, a(all.rows[i], j));
      all.inverse.set(j, i, x(j, all.rows[i]));
      (j < i ? all.l : all.u).set(i, j, packed(i, j));
    }
    all.l.set(i, i, 1);
    all.pivots.push_back(packed(i, i));
  }
  return all;
}

// A computed real part, and an imaginary part, is off by at most gamma_(N + 2) times its sum of
// magnitudes, and N kLeast, N = 2 n (certify.cpp). Together these sums are at most sums of sizes,
//   |E_kk| <= |G_kk| + gamma (|R| |P A| + I)_kk + 2 N kLeast
//   |(R D)_kk| <= (|R| |D'| + gamma |R| |L| |U| + gamma |R| |P A|)_kk + 2 N kLeast (|R| 1)_k
// for G and D' as computed, with sizes for |.|. (|R| |L|)_ki is at most the size of R's row k from
// column i on times the largest of L's column i.
DiagonalBounds diagonal_bounds(const InvertedFactors& factors, const Matrix& of_e,
                               const Matrix& difference) {
  const auto& [a, l, u, inverse, rows, pivots] = factors;
  const Index n = a.rows();
  // At most 3 n + 15 roundings. Underflows of products of sizes, where L's are at least 1, add up
  // to less than n kLeast, and n kLeast times a row's size.
  const double gamma = gamma_up(2 * n + 2), rounding = 1 + gamma_up(3 * n + 16),
               underflow = 4 * static_cast<double>(n) * kLeast;
  std::vector<double> largest(n, 1.0);  // of L's columns
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < j; ++i) largest[i] = std::max(largest[i], size_of(l(j, i)));
  DiagonalBounds bounds{std::vector<double>(n), std::vector<double>(n)};
  for (Index k = 0; k < n; ++k) {
    double of_a = 0, of_difference = 0, of_factors = 0, rest = 0;
    for (Index i = n; i-- > 0;) {
      const double size = size_of(inverse(k, i));
      rest += size;
      of_a += size * size_of(a(i, k));
      of_difference += size * size_at(difference, i, k);
      if (i <= k) of_factors += rest * (largest[i] * size_of(u(i, k)));
    }
    const double e = size_at(of_e, k, k) + gamma * (of_a + 1) + underflow,
                 rd = of_difference + gamma * (of_factors + of_a) + underflow * rest;
    bounds.of_e[k] = add_up(multiply_up(e, rounding), underflow);
    bounds.of_f[k] = add_up(multiply_up(e + rd, rounding), underflow * (1 + rest));
  }
  return bounds;
}

}  // namespace clgauss
