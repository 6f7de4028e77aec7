/// QR with column exchanges on the host, and the rank that it ends at.

#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>

#include "linalg/qr/geqp3.hpp"
#include "support/gallery.hpp"
#include "support/padded_matrix.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

using namespace clgauss;

namespace {

constexpr double kPrecision = 0x1p-52;

Matrix of_rank(Index m, Index n, Index rank, std::uint64_t seed) {
  return rank == std::min(m, n)
             ? random_matrix(m, n, seed)
             : test::product(random_matrix(m, rank, seed), random_matrix(rank, n, seed + 1));
}

/// R of A = Q R in the order of A's columns, with random numbers up to `noise` added.
Matrix triangle_of(Matrix a, double noise) {
  const Index n = a.cols();
  const Matrix added = random_matrix(n, n, 9);
  for (Index k = 0; k < n; ++k)
    for (Index i = k + 1; i < n; ++i) {  // Givens
      const double length = std::hypot(a(k, k), a(i, k));
      if (length == 0) continue;
      const double c = a(k, k) / length, s = a(i, k) / length;
      for (Index j = k; j < n; ++j) {
        const double above = a(k, j), below = a(i, j);
        a(k, j) = c * above + s * below;
        a(i, j) = c * below - s * above;
      }
      a(i, k) = 0;
    }
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < n; ++j) a(i, j) += noise * added(i, j);
  return a;
}

/// of_triangle() of an R without full rank.
Geqp3 deficient(const Matrix& r, double tolerance) {
  std::optional<Geqp3> qr = Geqp3::of_triangle(r, tolerance);
  REQUIRE(qr.has_value());
  return *std::move(qr);
}

/// Q R, or only what it differs by from A P.
double off(const Matrix& a, const Geqp3& qr) {
  Matrix r(a.rows(), a.cols());
  for (Index i = 0; i < qr.rank(); ++i) std::ranges::copy(qr.row(i), r.row(i).subspan(i).begin());
  qr.apply(r, false);
  double largest = 0;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j)
      largest = std::max(largest, std::abs(a(i, qr.order()[j]) - r(i, j)));
  return largest;
}

/// Its last columns are nearly dependent, which R's diagonal hides; each is a little shorter than
/// the one before it, so that rounding exchanges none.
Matrix shrinking_kahan(Index n) {
  Matrix a = test::kahan(n, 1.28);
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < n; ++j) a(i, j) *= 1 - 1e-6 * static_cast<double>(j);
  return a;
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK

Index lapack_rank(Matrix a, double tolerance) {
  const auto m = static_cast<lapack_int>(a.rows()), n = static_cast<lapack_int>(a.cols());
  std::vector<double> b(std::max(a.rows(), a.cols()), 1.0);
  std::vector<lapack_int> order(a.cols(), 0);
  lapack_int rank = 0;
  REQUIRE(LAPACKE_dgelsy(LAPACK_ROW_MAJOR, m, n, 1, a.values().data(), n, b.data(), 1, order.data(),
                         tolerance, &rank) == 0);
  return static_cast<Index>(rank);
}

#endif

}  // namespace

TEST_CASE("geqp3: A P = Q R, the longest column first, of every shape, size and rank") {
  for (const auto& [m, n] : {std::pair(1, 1),
                             {2, 2},
                             {31, 31},
                             {32, 32},
                             {33, 33},
                             {65, 64},
                             {64, 65},
                             {300, 7},
                             {7, 300},
                             {257, 257}}) {
    const auto rows = static_cast<Index>(m), columns = static_cast<Index>(n);
    const Index most = std::min(rows, columns);
    for (const Index rank : {Index{0}, Index{1}, most / 2, most - 1, most}) {
      CAPTURE(m);
      CAPTURE(n);
      CAPTURE(rank);
      const Matrix a = of_rank(rows, columns, rank, 3);
      const double size = static_cast<double>(std::max(rows, columns));
      const Geqp3 qr(a, kPrecision * size);
      CHECK(qr.rank() == rank);
      CHECK(off(a, qr) <= 20 * size * kPrecision * static_cast<double>(std::max<Index>(rank, 1)));
      std::vector<Index> order(qr.order().begin(), qr.order().end());
      for (Index k = 0; k < rank; ++k) {  // no column is longer than the one that was taken
        double longest = 0;
        for (Index j = k; j < columns; ++j) {
          double square = 0;
          for (Index i = k; i <= std::min(j, rank - 1); ++i)
            square += qr.row(i)[j - i] * qr.row(i)[j - i];
          longest = std::max(longest, std::sqrt(square));
        }
        CHECK(std::abs(qr.row(k)[0]) >= longest * (1 - 1e-6));
      }
      std::ranges::sort(order);
      for (Index j = 0; j < columns; ++j) CHECK(order[j] == j);
    }
  }
}

TEST_CASE("geqp3: of a triangle with a clear rank columns that depend on others come last") {
  for (const Index n : {1, 2, 33, 64, 257})
    for (const Index step : {1, 2, 3, 40})  // from one such column to the next
      for (const bool at_the_end : {false, true}) {
        CAPTURE(n);
        CAPTURE(step);
        CAPTURE(at_the_end);
        const Matrix random = random_matrix(n, n, 7);
        const auto size = static_cast<double>(n);
        const Index many = (n + step - 1) / step;
        const auto depends = [&](Index j) { return at_the_end ? j + many >= n : j % step == 0; };
        Matrix r(n, n);
        std::vector<Index> taken;
        for (Index j = 0; j < n; ++j) {
          if (!depends(j)) taken.push_back(j);
          for (Index i = 0; i <= j; ++i)
            r(i, j) = i < j ? random(i, j) / size : depends(j) ? 0 : 1 + random(i, j) / 2;
        }
        for (Index j = 0; j < n; ++j)  // the sum of those before it
          for (Index i = 0; i < j && depends(j); ++i) {
            r(i, j) = 0;
            for (Index k = i; k < j; ++k)
              if (!depends(k)) r(i, j) += r(i, k) / size;
          }
        const Geqp3 qr = deficient(r, kPrecision * size);
        CHECK(qr.rank() == taken.size());
        CHECK(off(r, qr) <= 20 * size * kPrecision);
        CHECK(std::equal(taken.begin(), taken.end(), qr.order().begin()));
        std::vector<Index> order(qr.order().begin(), qr.order().end());
        std::ranges::sort(order);
        for (Index j = 0; j < n; ++j) CHECK(order[j] == j);
      }
}

TEST_CASE("geqp3: of a triangle of a deficient rank columns are taken in their order") {
  for (const auto& [n, rank, noise] : {std::tuple<Index, Index, double>(40, 30, 0),
                                       {200, 175, 0},
                                       {300, 290, 1e-7},
                                       {300, 262, 1e-7},
                                       {300, 100, 1e-7}}) {
    CAPTURE(n);
    CAPTURE(rank);
    CAPTURE(noise);
    const auto size = static_cast<double>(n);
    const double tolerance = size * (noise == 0 ? kPrecision : 0x1p-23);
    const Matrix r = triangle_of(of_rank(n, n, rank, 3), noise);
    const Geqp3 qr = deficient(r, tolerance);
    CHECK(qr.rank() == rank);
    CHECK(qr.rank() == Geqp3(r, tolerance).rank());
    CHECK(off(r, qr) <= tolerance * size);
    CHECK(std::ranges::is_sorted(qr.order().first(rank)));  // not exchanged by length
  }
}

TEST_CASE(
    "geqp3: of a triangle a column goes that is nearly another one, not one that tells them "
    "apart") {
  for (const Index n : {20, 130}) {
    CAPTURE(n);
    Matrix a = random_matrix(n, n, 14);
    for (Index i = 0; i < n; ++i) a(i, 5) = a(i, 3) + 1e-10 * a(i, n - 1);
    const Matrix r = triangle_of(a, 0);
    const double tolerance = kPrecision * static_cast<double>(n);
    const Geqp3 qr = deficient(r, tolerance);
    CHECK(qr.rank() == n - 1);
    CHECK((qr.order()[n - 1] == 5 || qr.order()[n - 1] == 3));
    CHECK(std::ranges::is_sorted(qr.order().first(n - 1)));
    CHECK(off(r, qr) <= 20 * tolerance);
  }
}

TEST_CASE("geqp3: a triangle has full rank down to its smallest singular value") {
  for (const std::uint64_t seed : {21, 22, 23, 24, 25, 26, 27, 28}) {
    CAPTURE(seed);
    const Index n = 60;
    const Matrix r = triangle_of(random_matrix(n, n, seed), 0);
    // Powers of R^T R, and of its inverse
    std::vector<double> up(n, 1.0), down(n, 1.0);
    double largest = 0, smallest = 0;
    for (int step = 0; step < 300; ++step) {
      std::vector<double> product(n), turned(n);
      for (Index i = 0; i < n; ++i)
        for (Index j = i; j < n; ++j) product[i] += r(i, j) * up[j];
      for (Index i = 0; i < n; ++i)
        for (Index j = i; j < n; ++j) turned[j] += r(i, j) * product[i];
      for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < j; ++i) down[j] -= r(i, j) * down[i];
        down[j] /= r(j, j);
      }
      for (Index i = n; i-- > 0;) {
        for (Index j = i + 1; j < n; ++j) down[i] -= r(i, j) * down[j];
        down[i] /= r(i, i);
      }
      const auto unit = [](std::vector<double>& x) {
        const double length = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
        for (double& value : x) value /= length;
        return std::sqrt(length);
      };
      largest = unit(turned);
      smallest = 1 / unit(down);
      up = turned;
    }
    CHECK_FALSE(Geqp3::of_triangle(r, 0.5 * smallest / largest).has_value());
    CHECK(Geqp3::of_triangle(r, 1.5 * smallest / largest).has_value());
  }
}

TEST_CASE("geqp3: a triangle of full rank is left as it is") {
  for (const Index n : {1, 2, 33, 300}) {
    CAPTURE(n);
    const Matrix r = triangle_of(random_matrix(n, n, 12), 0);
    CHECK_FALSE(Geqp3::of_triangle(r, 1e-3 / static_cast<double>(n * n)).has_value());
  }
}

TEST_CASE("geqp3: of a triangle whose rank is not clear it is what it is of any matrix") {
  Matrix graded(60, 60);
  for (Index i = 0; i < 60; ++i)
    for (Index j = i; j < 60; ++j) graded(i, j) = std::pow(10, -static_cast<double>(j) / 5);
  for (const double tolerance : {0.5, 1e-2, 1e-5, 1e-9}) {
    const Geqp3 all(graded, tolerance), triangle = deficient(graded, tolerance);
    CHECK(triangle.rank() == all.rank());
    CHECK(std::ranges::equal(triangle.order(), all.order()));
  }
}

TEST_CASE(
    "geqp3: of a triangle that misleads exchanges by length the rank is that of its singular "
    "values") {
  // Kahan's: one is tiny, and no other is below sin(1.28)^89 = 0.02 of its diagonal.
  const Matrix r = shrinking_kahan(90);
  for (const double tolerance : {1e-5, 1e-9}) {
    CHECK(Geqp3(r, tolerance).rank() < 89);
    CHECK(deficient(r, tolerance).rank() == 89);
  }
}

TEST_CASE("geqp3: Q^T Q = I") {
  const Geqp3 qr(random_matrix(70, 50, 5), 0);
  const Matrix c = random_matrix(70, 3, 6);
  Matrix there = c;
  qr.apply(there, true);
  for (Index i = 0; i < 3; ++i) CHECK(there(i, i) != doctest::Approx(c(i, i)));
  qr.apply(there, false);
  for (Index i = 0; i < c.values().size(); ++i)
    CHECK(there.values()[i] == doctest::Approx(c.values()[i]));
}

TEST_CASE("geqp3: the rank to a tolerance, also where R's diagonal does not show it") {
  Matrix graded = random_matrix(60, 60, 8);
  for (Index i = 0; i < 60; ++i)
    for (Index j = 0; j < 60; ++j) graded(i, j) *= std::pow(10, -static_cast<double>(i) / 5);
  for (const double tolerance : {0.5, 1e-2, 1e-5, 1e-9, 1e-11}) {
    CAPTURE(tolerance);
    const Index of_graded = Geqp3(graded, tolerance).rank(),
                of_kahan = Geqp3(shrinking_kahan(90), tolerance).rank();
    CHECK(of_graded < 60);
    CHECK(of_kahan < 90);
#ifdef CLGAUSS_TESTS_WITH_LAPACK
    CHECK(of_graded == lapack_rank(graded, tolerance));
    CHECK(of_kahan == lapack_rank(shrinking_kahan(90), tolerance));
#endif
  }
  CHECK(Geqp3(graded, 0).rank() == 60);
  CHECK(Geqp3(Matrix(4, 3), 0).rank() == 0);  // a zero is none, to any tolerance
}

TEST_CASE("geqp3: two left null vectors that compete hide no small singular value") {
  constexpr double d = 1e-8;
  Matrix r(6, 6);  // singular values 1.7, 1.4, 1, 8e-9, 7e-17, 0
  r(0, 0) = r(0, 1) = r(0, 5) = 1;
  r(1, 1) = d;
  r(2, 2) = r(2, 3) = 1;
  r(3, 3) = 1.001 * d;
  r(3, 4) = 1;
  r(4, 4) = d;
  constexpr double kTolerance = 1.3e-15;
  CHECK(deficient(r, kTolerance).rank() == 4);
  CHECK(Geqp3(r, kTolerance).rank() == 4);
}
