#include "linalg/estimates/determinant_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "linalg/estimates/error_bounds.hpp"
#include "linalg/estimates/upward.hpp"

namespace clgauss {

namespace {

/// How far the host's log10 and log1p may be off, relatively.
constexpr double kLogarithm = 0x1p-48;

/// (re + im i) 2^exponent = product (1 + error) of complex factors that are not 0, with
/// |error| <= gamma_(3 factors).
///
/// For z = a + b i and w = c + d i, the real part of the computed z w is off by at most
/// u |a c - b d| + (1 + u) u (|a c| + |b d|), by less with fma, and the imaginary part likewise.
/// The modulus of (|a c| + |b d|) + (|a d| + |b c|) i is at most sqrt(2) |z w|, as its square is
/// |z w|^2 + 4 |a b c d|. So the product is off by at most (1 + (1 + u) sqrt(2)) u |z w|, less than
/// 2.5 u |z w|. Both factors have a larger part of [1/2, 1], so |z w| >= 1/4, and the underflows,
/// also those of scaling, of less than 8 kLeast in all, stay within 3 u |z w|.
struct PivotProduct {
  double re = 1, im = 0;
  std::int64_t exponent = 0;
  Index factors = 0;

  void multiply(std::complex<double> by) {
    double by_re = by.real(), by_im = by.imag();
    exponent += normalise(by_re, by_im);
    const double real = re * by_re - im * by_im, imaginary = re * by_im + im * by_re;
    re = real;
    im = imaginary;
    exponent += normalise(re, im);
    ++factors;
  }
  /// re^2 + im^2, of [1/4, 2), off by at most 3 u relatively.
  [[nodiscard]] double square() const { return re * re + im * im; }
  /// A bound of |ln |product| - ln |re + im i| - exponent ln 2|, and of the angle between the
  /// product and re + im i. As gamma_(3 factors) is below 2^-20, it is above its arcsine and above
  /// -ln(1 - gamma_(3 factors)).
  [[nodiscard]] double off() const { return gamma_up(4 * factors); }

 private:
  /// Takes 2^result out of the number.
  static int normalise(double& real, double& imaginary) {
    const double larger = std::max(std::abs(real), std::abs(imaginary));
    int by = 0;
    (void)std::frexp(larger, &by);
    real = std::ldexp(real, -by);
    imaginary = std::ldexp(imaginary, -by);
    return by;
  }
};

/// An interval that holds the sum of the numbers added, each off by kLogarithm relatively.
struct LogarithmSum {
  double value = 0, off = 0;

  void add(double term) {
    value += term;
    off = add_up(off, multiply_up(kLogarithm, std::abs(term)));
    off = add_up(off, multiply_up(2 * kUnit, std::abs(value)));
  }
  void widen(double by) { off = add_up(off, by); }
  [[nodiscard]] double low() const { return std::nextafter(value - off, -HUGE_VAL); }
  [[nodiscard]] double high() const { return up(value + off); }
};

/// log10 |product|
LogarithmSum logarithm_of(const PivotProduct& product, std::int64_t scale) {
  LogarithmSum sum;
  sum.add(0.5 * std::log10(product.square()));
  sum.add(static_cast<double>(product.exponent - scale) * std::log10(2.0));
  sum.widen(multiply_up(0.44, product.off() + 2 * kUnit));  // 1 / ln 10 < 0.44
  return sum;
}

/// The sign of the permutation that takes row rows[i] to place i.
int sign_of(std::vector<Index> rows) {
  int sign = 1;
  for (Index i = 0; i < rows.size(); ++i)
    while (rows[i] != i) {
      std::swap(rows[i], rows[rows[i]]);
      sign = -sign;
    }
  return sign;
}

/// The largest of these sums; infinity if one is NaN.
double norm_of(std::span<const double> of_e, std::span<const double> of_f) {
  double norm = 0;
  for (const std::span<const double> sums : {of_e, of_f})
    for (const double sum : sums) norm = sum <= norm ? norm : sum < HUGE_VAL ? sum : HUGE_VAL;
  return norm;
}

/// Bounds of |1 - pivot| of an elimination of I - E without pivoting, for row sums below 1.
///
/// It goes on with E'_ij = E_ij + E_i1 E_1j / (1 - E_11). If e_i are bounds of the row sums of |E|,
/// they are bounds of those of |E'|, too: row i gains at most
/// |E_i1| (e_1 - |E_11|) / (1 - |E_11|) <= |E_i1| e_1, and loses |E_i1|. So pivot k is at most e_k
/// from 1. With e = max e_i, row k gains at most e times what it loses in all steps, and loses at
/// most e_k and what it gains. So it gains at most e e_k / (1 - e), and pivot k is at most
/// |E_kk| + e e_k / (1 - e) from 1.
std::vector<double> pivots_off(const RowBounds& bounds) {
  const double largest = norm_of(bounds.sums, {}),
               gain = divide_up(largest, complement_down(largest));
  std::vector<double> off(bounds.diagonal.size());
  for (Index k = 0; k < off.size(); ++k)
    off[k] =
        std::min(bounds.sums[k], add_up(bounds.diagonal[k], multiply_up(gain, bounds.sums[k])));
  return off;
}

/// Sets `proof`'s bounds. Of the pivots of eliminations of I - E and I - F without pivoting, `of_e`
/// and `of_f` bound |1 - pivot| < 1. |det(I - E)| lies between the products of all 1 - e and of all
/// 1 + e. det(P A) / det(L U) = det(I - E) / det(I - F)
void enclose(DeterminantEnclosure& proof, const PivotProduct& pivots, const ExactScaling& scaled,
             std::span<const double> of_e, std::span<const double> of_f) {
  const Index n = of_e.size();
  proof.proven = true;
  std::int64_t scale = 0;
  for (const auto* exponents : {&scaled.rows(), &scaled.columns()})
    for (Index i = 0; i < n && !exponents->empty(); ++i) scale += (*exponents)[i];
  LogarithmSum below, above;
  for (Index i = 0; i < n; ++i) {
    below.add(std::log1p(-of_e[i]));
    below.add(-std::log1p(of_f[i]));
    above.add(std::log1p(of_e[i]));
    above.add(-std::log1p(-of_f[i]));
  }
  LogarithmSum low = logarithm_of(pivots, scale), high = low;
  low.add(below.low() / std::log(10.0));
  high.add(above.high() / std::log(10.0));
  proof.log10_low = low.low();
  proof.log10_high = high.high();
}

void enclose_one(DeterminantEnclosure& proof) {
  proof.proven = true;
  proof.log10_low = proof.log10_high = proof.norm_bound = 0;
}

/// An upper bound of asin(sum), 0 <= sum < 1: asin(s) <= tan(asin(s)) = s / sqrt(1 - s^2).
double angle_up(double sum) {
  return divide_up(sum, std::nextafter(std::sqrt(complement_down(sum)), 0.0));
}

std::string no_inverse_near(double norm) {
  return too_ill_conditioned("I - R P A or I - R L U", norm);
}

}  // namespace

DeterminantCertificate determinant_certificate(std::span<const double> pivots,
                                               std::vector<Index> rows, const ExactScaling& scaled,
                                               std::span<const double> of_e,
                                               std::span<const double> of_f) {
  const double norm = norm_of(of_e, of_f);
  if (!(norm < 1)) return unproven_determinant<DeterminantCertificate>(norm, no_inverse_near(norm));
  DeterminantCertificate certificate;
  certificate.norm_bound = norm;
  certificate.sign = sign_of(std::move(rows));
  PivotProduct product;
  for (const double pivot : pivots) {
    if (pivot < 0) certificate.sign = -certificate.sign;
    product.multiply(pivot);
  }
  enclose(certificate, product, scaled, of_e, of_f);
  return certificate;
}

ComplexDeterminantCertificate complex_determinant_certificate(
    std::span<const std::complex<double>> pivots, std::vector<Index> rows,
    const ExactScaling& scaled, const RowBounds& of_e, const RowBounds& of_f) {
  const double norm = norm_of(of_e.sums, of_f.sums);
  if (!(norm < 1))
    return unproven_determinant<ComplexDeterminantCertificate>(norm, no_inverse_near(norm));
  PivotProduct product;
  for (const std::complex<double> pivot : pivots) product.multiply(pivot);
  // The pivots of I - E are at most asin(e) from the positive axis, those of I - F asin(f).
  const std::vector<double> e = pivots_off(of_e), f = pivots_off(of_f);
  double angle = product.off();
  for (Index i = 0; i < pivots.size(); ++i)
    angle = add_up(angle, add_up(angle_up(e[i]), angle_up(f[i])));
  // |e^(i angle) - 1| <= angle; the root is off by less than 3 u, each part of the phase by 4 u.
  const double root = std::sqrt(product.square()), bound = add_up(angle, 5 * kUnit);
  if (!(bound < 1))
    return unproven_determinant<ComplexDeterminantCertificate>(
        norm, fmt::format("A is not singular, but its determinant's phase could only be bounded to "
                          "{:.3g}, and less than 1 is needed",
                          bound));
  ComplexDeterminantCertificate certificate;
  certificate.norm_bound = norm;
  const double sign = sign_of(std::move(rows));
  certificate.phase = {sign * product.re / root, sign * product.im / root};
  certificate.phase_bound = bound;
  enclose(certificate, product, scaled, e, f);
  return certificate;
}

DeterminantCertificate empty_determinant() {
  DeterminantCertificate certificate;
  certificate.sign = 1;
  enclose_one(certificate);
  return certificate;
}

ComplexDeterminantCertificate empty_complex_determinant() {
  ComplexDeterminantCertificate certificate;
  certificate.phase = 1;
  certificate.phase_bound = 0;
  enclose_one(certificate);
  return certificate;
}

}  // namespace clgauss
