/// The least solution of a trapezoid on the host.

#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <vector>

#include "linalg/qr/host_products.hpp"
#include "linalg/qr/tzrzf.hpp"

using namespace clgauss;

namespace {

/// r-by-k, its first r columns an upper triangle of a small condition.
Matrix trapezoid(Index r, Index k) {
  Matrix w = random_matrix(r, k, 11);
  for (Index i = 0; i < r; ++i)
    for (Index j = 0; j < r; ++j)
      w(i, j) = i == j ? 1 + w(i, j) / 2 : j > i ? w(i, j) / static_cast<double>(r) : 0;
  return w;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  REQUIRE(a.rows() == b.rows());
  double largest = 0;
  for (Index i = 0; i < a.values().size(); ++i)
    largest = std::max(largest, std::abs(a.values()[i] - b.values()[i]));
  return largest;
}

double frobenius(const Matrix& a) {
  double sum = 0;
  for (const double value : a.values()) sum += value * value;
  return std::sqrt(sum);
}

/// The same by one reflection after the other, in long double.
class Oracle {
 public:
  explicit Oracle(const Matrix& w)
      : r_(w.rows()), k_(w.cols()), w_(w.values().begin(), w.values().end()), taus_(r_) {
    for (Index i = r_; i-- > 0;) {
      long double square = 0;
      for (Index j = r_; j < k_; ++j) square += at(i, j) * at(i, j);
      if (square == 0) continue;
      const long double alpha = at(i, i);
      const long double beta = -std::copysign(std::sqrt(alpha * alpha + square), alpha);
      for (Index j = r_; j < k_; ++j) at(i, j) /= alpha - beta;
      at(i, i) = beta;
      taus_[i] = (beta - alpha) / beta;
      for (Index q = 0; q < i; ++q) reflect(i, &at(q, 0), 1);
    }
  }

  [[nodiscard]] Matrix least_solution(const Matrix& b) {
    const Index n = b.cols();
    std::vector<long double> x(k_ * n);
    for (Index c = 0; c < n; ++c) {
      for (Index i = r_; i-- > 0;) {
        long double sum = b(i, c);
        for (Index j = i + 1; j < r_; ++j) sum -= at(i, j) * x[j * n + c];
        x[i * n + c] = sum / at(i, i);
      }
      for (Index i = 0; i < r_; ++i) reflect(i, &x[c], n);
    }
    return as_double(x, k_, n);
  }

  [[nodiscard]] Matrix transposed_fit(const Matrix& b) {
    const Index n = b.cols();
    std::vector<long double> y(b.values().begin(), b.values().end());
    for (Index c = 0; c < n; ++c) {
      for (Index i = r_; i-- > 0;) reflect(i, &y[c], n);
      for (Index i = 0; i < r_; ++i) {
        for (Index j = 0; j < i; ++j) y[i * n + c] -= at(j, i) * y[j * n + c];
        y[i * n + c] /= at(i, i);
      }
    }
    return as_double(y, r_, n);
  }

 private:
  long double& at(Index i, Index j) { return w_[i * k_ + j]; }
  /// Reflects a vector with elements `step` apart.
  void reflect(Index i, long double* x, Index step) {
    long double sum = x[i * step];
    for (Index j = r_; j < k_; ++j) sum += at(i, j) * x[j * step];
    sum *= taus_[i];
    x[i * step] -= sum;
    for (Index j = r_; j < k_; ++j) x[j * step] -= sum * at(i, j);
  }
  [[nodiscard]] static Matrix as_double(const std::vector<long double>& x, Index rows,
                                        Index columns) {
    Matrix result(rows, columns);
    std::transform(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(rows * columns),
                   result.values().begin(), [](long double value) { return double(value); });
    return result;
  }

  Index r_, k_;
  std::vector<long double> w_, taus_;
};

Matrix unit(Index n) {
  Matrix one(n, n);
  for (Index i = 0; i < n; ++i) one(i, i) = 1;
  return one;
}

}  // namespace

TEST_CASE("tzrzf: the least solution, and the fit by the transpose, of every shape") {
  for (const auto& [r, k] : {std::pair<Index, Index>(1, 1),
                             {1, 5},
                             {4, 5},
                             {5, 5},
                             {63, 64},
                             {70, 73},
                             {64, 129},
                             {130, 400},
                             {300, 331}}) {
    CAPTURE(r);
    CAPTURE(k);
    const Matrix w = trapezoid(r, k);
    const Tzrzf tzrzf(w);
    const double digits = 1e-13 * static_cast<double>(k) * static_cast<double>(k);
    // x in the range of W^T is the least of all with the same W x.
    const Matrix x = product(w, random_matrix(r, 2, 12), true);
    CHECK(largest_difference(tzrzf.least_solution(product(w, x, false)), x) <= digits);
    const Matrix b = random_matrix(k, 3, 13), y = tzrzf.transposed_fit(b);
    Matrix left = b;
    subtract(left, product(w, y, true));
    CHECK(largest_difference(product(w, left, false), Matrix(r, 3)) <= digits);
  }
}

TEST_CASE("tzrzf: as good as one reflection after the other, however large columns are") {
  constexpr double kEps = 0x1p-53;
  for (const auto& [r, k] : {std::pair<Index, Index>(1, 2),
                             {1, 200},
                             {2, 3},
                             {31, 32},
                             {32, 33},
                             {33, 40},
                             {64, 72},
                             {65, 66},
                             {96, 400},
                             {200, 231},
                             {250, 256}})
    for (const int spread : {0, 10, 30})  // columns are up to 2^spread times larger than others
      for (const bool zero_tails : {false, true}) {
        CAPTURE(r);
        CAPTURE(k);
        CAPTURE(spread);
        CAPTURE(zero_tails);
        Matrix w = trapezoid(r, k);
        for (Index i = 0; i < r; ++i)
          for (Index j = 0; j < k; ++j) {
            w(i, j) = std::ldexp(w(i, j), -static_cast<int>((7 * j) % 11) * spread / 10);
            if (zero_tails && i % 3 == 1 && j >= r) w(i, j) = 0;
          }
        const Tzrzf tzrzf(w);
        Oracle oracle(w);
        const double norm = frobenius(w),
                     condition = norm * frobenius(oracle.least_solution(unit(r))),
                     rounding = static_cast<double>(k) * kEps;
        for (const Index columns : {1, 3, 17}) {
          CAPTURE(columns);
          const Matrix b = random_matrix(r, columns, 14), x = oracle.least_solution(b);
          Matrix off = tzrzf.least_solution(b);
          CHECK(off.cols() == columns);
          subtract(off, x);
          CHECK(frobenius(off) <= rounding * condition * frobenius(x));
          const Matrix c = random_matrix(k, columns, 15), y = oracle.transposed_fit(c);
          Matrix left = c, off_y = tzrzf.transposed_fit(c);
          subtract(left, product(w, y, true));
          subtract(off_y, y);
          CHECK(frobenius(off_y) <=
                rounding * condition * (frobenius(y) + condition * frobenius(left) / norm));
        }
      }
}
