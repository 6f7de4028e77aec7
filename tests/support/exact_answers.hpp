#pragma once
/// Exact answers of systems of doubles, which are rational numbers.

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/matrix.hpp>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace clgauss::test {

using Integer = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;

/// A double as integer 2^exponent.
inline Integer integer_of(double value, int exponent) {
  if (value == 0) return 0;
  int own = 0;
  const double fraction = std::frexp(value, &own);
  const Integer digits(static_cast<std::int64_t>(std::ldexp(fraction, 53)));
  REQUIRE(own - 53 >= exponent);
  return digits << static_cast<unsigned>(own - 53 - exponent);
}

inline Rational rational_of(double value) {
  const int exponent = value == 0 ? 0 : std::ilogb(value) - 53;
  const Integer one = 1, digits = integer_of(value, exponent);
  return exponent >= 0 ? Rational(digits << static_cast<unsigned>(exponent))
                       : Rational(digits, one << static_cast<unsigned>(-exponent));
}

/// Eliminates n rows of at least n integers, real or Gaussian, without fractions (Bareiss). Returns
/// the last pivot, det m but for the sign of the row exchanges, by which `sign` is multiplied; 0:
/// singular.
template <typename Number>
Number eliminate(std::vector<std::vector<Number>>& m, int& sign) {
  Number last = 1;
  const Index n = m.size();
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    while (pivot < n && m[pivot][k] == Number(0)) ++pivot;
    if (pivot == n) return 0;
    if (pivot != k) sign = -sign;
    std::swap(m[k], m[pivot]);
    for (Index i = k + 1; i < n; ++i) {
      for (Index j = k + 1; j < m[i].size(); ++j)
        m[i][j] = (m[k][k] * m[i][j] - m[i][k] * m[k][j]) / last;
      m[i][k] = 0;
    }
    last = m[k][k];
  }
  return last;
}

/// [A | b] after elimination in integers, each row times a power of two.
struct EliminatedIntegers {
  std::vector<std::vector<Integer>> m;
  Integer last =
      1;         // the last pivot, det A but for the sign and the rows' powers of two; 0: singular
  int sign = 1;  // of the row exchanges
  int exponent = 0;  // det A = sign last 2^exponent

  explicit EliminatedIntegers(const System& system) {
    const Index n = system.a.rows(), width = n + system.b.cols();
    m.assign(n, std::vector<Integer>(width));
    for (Index i = 0; i < n; ++i) {
      const auto value = [&](Index j) { return j < n ? system.a(i, j) : system.b(i, j - n); };
      int least = 2000;
      for (Index j = 0; j < width; ++j)
        if (value(j) != 0) least = std::min(least, std::ilogb(value(j)) - 53);
      for (Index j = 0; j < width; ++j) m[i][j] = integer_of(value(j), least);
      exponent += least;
    }
    last = eliminate(m, sign);
  }
};

/// value 2^exponent
inline Rational shifted(const Integer& value, int exponent) {
  const Integer one = 1;
  return exponent >= 0 ? Rational(value << static_cast<unsigned>(exponent))
                       : Rational(value, one << static_cast<unsigned>(-exponent));
}

/// det A.
inline Rational exact_determinant(const Matrix& a) {
  const EliminatedIntegers eliminated(System{a, Matrix(a.rows(), 0)});
  return shifted(eliminated.sign * eliminated.last, eliminated.exponent);
}

/// re + im i
struct GaussianInteger {
  Integer re, im = 0;

  GaussianInteger(Integer real, Integer imaginary = 0)
      : re(std::move(real)), im(std::move(imaginary)) {}
  GaussianInteger(int real = 0) : re(real) {}
  friend bool operator==(const GaussianInteger&, const GaussianInteger&) = default;
  friend GaussianInteger operator*(const GaussianInteger& x, const GaussianInteger& y) {
    return {Integer(x.re * y.re - x.im * y.im), Integer(x.re * y.im + x.im * y.re)};
  }
  friend GaussianInteger operator-(const GaussianInteger& x, const GaussianInteger& y) {
    return {Integer(x.re - y.re), Integer(x.im - y.im)};
  }
  /// Of a multiple of y.
  friend GaussianInteger operator/(const GaussianInteger& x, const GaussianInteger& y) {
    const Integer square = y.re * y.re + y.im * y.im;
    const GaussianInteger product = x * GaussianInteger(y.re, Integer(-y.im));
    return {Integer(product.re / square), Integer(product.im / square)};
  }
};

struct GaussianRational {
  Rational re, im;
};

/// det A.
inline GaussianRational exact_determinant(const ComplexMatrix& a) {
  const Index n = a.rows();
  std::vector<std::vector<GaussianInteger>> m(n);
  int exponent = 0, sign = 1;
  for (Index i = 0; i < n; ++i) {
    int least = 2000;
    for (const double part : a.parts().row(i))
      if (part != 0) least = std::min(least, std::ilogb(part) - 53);
    for (Index j = 0; j < n; ++j)
      m[i].emplace_back(integer_of(a(i, j).real(), least), integer_of(a(i, j).imag(), least));
    exponent += least;
  }
  const GaussianInteger last = eliminate(m, sign);
  return {shifted(sign * last.re, exponent), shifted(sign * last.im, exponent)};
}

/// The exact answers; empty if A is singular.
inline std::vector<std::vector<Rational>> exact_answers(const System& system) {
  const Index n = system.a.rows();
  const EliminatedIntegers eliminated(system);
  const auto& [m, last, sign, exponent] = eliminated;
  if (last == 0) return {};
  std::vector<std::vector<Rational>> answers(system.b.cols(), std::vector<Rational>(n));
  std::vector<Integer> y(n);  // det A times x
  for (Index c = 0; c < system.b.cols(); ++c)
    for (Index i = n; i-- > 0;) {
      Integer sum = last * m[i][n + c];
      for (Index j = i + 1; j < n; ++j) sum -= m[i][j] * y[j];
      y[i] = sum / m[i][i];
      answers[c][i] = last > 0 ? Rational(y[i], last) : Rational(-y[i], -last);
    }
  return answers;
}

}  // namespace clgauss::test
