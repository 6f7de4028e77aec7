/// The least solution of a trapezoid on the host.

#include <doctest/doctest.h>

#include <clgauss/lab/generate.hpp>
#include <cmath>

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
