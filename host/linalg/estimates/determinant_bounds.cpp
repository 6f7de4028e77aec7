#include "linalg/estimates/determinant_bounds.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "linalg/estimates/error_bounds.hpp"
#include "linalg/estimates/upward.hpp"

namespace clgauss {

namespace {

/// How far the host's log10 and log1p may be off, relatively.
constexpr double kLogarithm = 0x1p-48;

/// low 2^low_exponent <= |product| <= high 2^high_exponent, with low and high in [1/2, 1), or at
/// most 1.
struct Magnitude {
  double low = 1, high = 1;
  std::int64_t low_exponent = 0, high_exponent = 0;

  void multiply(double by) {
    int exponent = 0;
    const double factor = std::frexp(std::abs(by), &exponent);
    low = std::nextafter(low * factor, 0.0);
    high = multiply_up(high, factor);
    low_exponent += exponent + normalise(low);
    high_exponent += exponent + normalise(high);
  }

 private:
  static int normalise(double& value) {
    int exponent = 0;
    value = std::frexp(value, &exponent);
    return exponent;
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
  [[nodiscard]] double low() const { return std::nextafter(value - off, -HUGE_VAL); }
  [[nodiscard]] double high() const { return up(value + off); }
};

LogarithmSum logarithm_of(double mantissa, std::int64_t exponent) {
  LogarithmSum sum;
  sum.add(std::log10(mantissa));
  sum.add(static_cast<double>(exponent) * std::log10(2.0));
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

}  // namespace

DeterminantCertificate determinant_certificate(std::span<const double> pivots,
                                               std::vector<Index> rows, const ExactScaling& scaled,
                                               std::span<const double> of_e,
                                               std::span<const double> of_f) {
  double norm = 0;
  for (const std::span<const double> sums : {of_e, of_f})
    for (const double sum : sums) norm = norm >= sum || std::isnan(norm) ? norm : sum;
  if (std::isnan(norm)) norm = HUGE_VAL;
  if (!(norm < 1))
    return unproven_determinant(norm, too_ill_conditioned("I - R P A or I - R L U", norm));
  DeterminantCertificate certificate;
  certificate.proven = true;
  certificate.norm_bound = norm;
  certificate.sign = sign_of(std::move(rows));
  Magnitude product;
  for (const double pivot : pivots) {
    if (pivot < 0) certificate.sign = -certificate.sign;
    product.multiply(pivot);
  }
  std::int64_t scale = 0;
  for (const int exponent : scaled.rows()) scale += exponent;
  for (const int exponent : scaled.columns()) scale += exponent;
  // The product over rows of 1 - e bounds det(I - E) below (Ostrowski), that of 1 + e above
  // (Hadamard). det(P A) / det(L U) = det(I - E) / det(I - F)
  LogarithmSum below, above;
  for (Index i = 0; i < of_e.size(); ++i) {
    below.add(std::log1p(-of_e[i]));
    below.add(-std::log1p(of_f[i]));
    above.add(std::log1p(of_e[i]));
    above.add(-std::log1p(-of_f[i]));
  }
  LogarithmSum low = logarithm_of(product.low, product.low_exponent - scale),
               high = logarithm_of(product.high, product.high_exponent - scale);
  low.add(below.low() / std::log(10.0));
  high.add(above.high() / std::log(10.0));
  certificate.log10_low = low.low();
  certificate.log10_high = high.high();
  return certificate;
}

DeterminantCertificate unproven_determinant(double norm_bound, std::string reason) {
  DeterminantCertificate certificate;
  certificate.norm_bound = norm_bound;
  certificate.reason = std::move(reason);
  return certificate;
}

DeterminantCertificate empty_determinant() {
  DeterminantCertificate certificate;
  certificate.proven = true;
  certificate.sign = 1;
  certificate.log10_low = certificate.log10_high = certificate.norm_bound = 0;
  return certificate;
}

}  // namespace clgauss
