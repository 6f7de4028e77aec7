/// Solves with L and U in host memory: by every kind of vectors, in both layouts and directions.

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "linalg/estimates/host_triangles.hpp"

namespace clgauss {

namespace {

template <typename Number>
struct KindOf {
  using Wide = double;
  static Wide of(const Matrix& parts, Index i, Index c) { return parts(i, c); }
  static void set(Matrix& parts, Index i, Index c, Wide number) { parts(i, c) = number; }
};
template <typename Part>
struct KindOf<std::complex<Part>> {
  using Wide = std::complex<double>;
  static Wide of(const Matrix& parts, Index i, Index c) {
    return {parts(2 * i, c), parts(2 * i + 1, c)};
  }
  static void set(Matrix& parts, Index i, Index c, const Wide& number) {
    parts(2 * i, c) = number.real();
    parts(2 * i + 1, c) = number.imag();
  }
};
template <typename Number>
using Wide = typename KindOf<Number>::Wide;
template <typename Number>
constexpr Index kParts = sizeof(Wide<Number>) / sizeof(double);

template <typename Number>
std::vector<Number> random_numbers(Index count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<Number> numbers(count);
  for (Number& number : numbers) {
    Matrix parts(kParts<Number>, 1);
    for (double& part : parts.values()) part = normal(engine);
    number = static_cast<Number>(KindOf<Number>::of(parts, 0, 0));
  }
  return numbers;
}

Values random_values(Index count, unsigned seed) {
  const std::vector<double> numbers = random_numbers<double>(count, seed);
  return {numbers.begin(), numbers.end()};
}

/// Numbers beside the diagonal that are small enough for a matrix of condition near 1.
template <typename Number>
std::vector<Number> triangles(Index n, Index step) {
  std::vector<Number> numbers = random_numbers<Number>(n * step, 5);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < step; ++j) {
      Number& number = numbers[i * step + j];
      const auto size = std::abs(number);
      if (i == j)
        number *= (2 + size) / size;
      else if (j >= n)
        number = std::numeric_limits<decltype(size)>::quiet_NaN();
      else
        number /= static_cast<decltype(size)>(n);
    }
  return numbers;
}

/// (L U) x, or its transpose times x, where `m` says which diagonal is 1.
template <typename Number>
std::vector<Wide<Number>> product(const HostTriangles<Number>& m,
                                  const std::vector<Wide<Number>>& x, bool transposed) {
  const auto times = [&](const std::vector<Wide<Number>>& v, bool upper) {
    std::vector<Wide<Number>> result(m.n, 0.0);
    const bool unit = upper != m.is_unit_lower;
    for (Index i = 0; i < m.n; ++i)
      for (Index j = upper ? i : 0; j < (upper ? m.n : i + 1); ++j) {
        const Wide<Number> t = i == j && unit ? 1.0 : Wide<Number>(m.numbers[i * m.step + j]);
        result[transposed ? j : i] += t * v[transposed ? i : j];
      }
    return result;
  };
  return times(times(x, !transposed), transposed);
}

template <typename Number>
void check_solves(Index n) {
  using Kind = KindOf<Number>;
  CAPTURE(n);
  CAPTURE(kParts<Number>);
  const Index step = n + 3, rows = kParts<Number> * n;
  const std::vector<Number> numbers = triangles<Number>(n, step);
  for (const bool is_unit_lower : {true, false})
    for (const bool transposed : {true, false})
      for (const Index columns : {1, 2, 3}) {
        CAPTURE(is_unit_lower);
        CAPTURE(transposed);
        const HostTriangles<Number> m{numbers.data(), n, step, is_unit_lower};
        const Matrix x(rows, columns, random_values(rows * columns, 6));
        Matrix b(rows, columns);
        for (Index c = 0; c < columns; ++c) {
          std::vector<Wide<Number>> column(n);
          for (Index i = 0; i < n; ++i) column[i] = Kind::of(x, i, c);
          column = product(m, column, transposed);
          for (Index i = 0; i < n; ++i) Kind::set(b, i, c, column[i]);
        }
        const Matrix found = m.solve(b, transposed);
        REQUIRE(found.rows() == rows);
        double worst = 0;
        for (Index i = 0; i < rows; ++i)
          for (Index c = 0; c < columns; ++c)
            worst = std::fmax(worst, std::isnan(found(i, c)) ? 1 : std::abs(found(i, c) - x(i, c)));
        CHECK(worst <= 1e-12);
      }
}

/// With the upper triangle alone.
template <typename Real>
void check_upper(Index n) {
  CAPTURE(n);
  const std::vector<Real> numbers = triangles<Real>(n, n + 3);
  const HostTriangles<Real> m{numbers.data(), n, n + 3};
  for (const bool transposed : {true, false}) {
    CAPTURE(transposed);
    const Matrix x(n, 3, random_values(n * 3, 6));
    Matrix b(n, 3);
    for (Index i = 0; i < n; ++i)
      for (Index j = i; j < n; ++j)
        for (Index c = 0; c < 3; ++c)
          b(transposed ? j : i, c) += double{numbers[i * (n + 3) + j]} * x(transposed ? i : j, c);
    const Matrix found = m.solve_upper(b, transposed);
    for (Index i = 0; i < x.values().size(); ++i)
      CHECK(std::abs(found.values()[i] - x.values()[i]) <= 1e-12);
  }
}

template <typename Real>
void check_loops() {
  for (const HostTriangleLoops<Real>& loops : all_host_triangle_loops<Real>()) {
    if (!loops.runs_here()) continue;
    CAPTURE(loops.name);
    for (const Index rows : {0, 1, 3, 4, 9})
      for (const Index columns : {0, 1, 7, 8, 37}) {
        CAPTURE(rows);
        CAPTURE(columns);
        const Index step = columns + 1, next = 40;
        const std::vector<Real> t = random_numbers<Real>(rows * step + 1, 7);
        const Values x = random_values(2 * next, 8), y = random_values(2 * next, 9);
        Values dots = y, lines = y, right_dots = y, right_lines = y;
        for (Index c = 0; c < 2; ++c)
          for (Index i = 0; i < rows; ++i)
            for (Index j = 0; j < columns; ++j) {
              right_dots[c * next + i] -= double{t[i * step + j]} * x[c * next + j];
              right_lines[c * next + j] -= double{t[i * step + j]} * x[c * next + i];
            }
        loops.subtract_dots(rows, columns, t.data(), step, x.data(), dots.data(), next);
        loops.subtract_rows(rows, columns, t.data(), step, x.data(), lines.data(), next);
        for (Index i = 0; i < 2 * next; ++i) {
          CHECK(std::abs(dots[i] - right_dots[i]) <= 1e-13);
          CHECK(std::abs(lines[i] - right_lines[i]) <= 1e-13);
        }
      }
  }
}

}  // namespace

TEST_CASE("host triangles: every kind of vectors subtracts the same products") {
  check_loops<float>();
  check_loops<double>();
}

TEST_CASE("host triangles: solves as they lie and transposed, beyond a block, on several cores") {
  for (const Index n : {1, 2, 5, 64, 255, 257, 600, 1500}) {
    check_solves<float>(n);
    check_solves<double>(n);
    check_solves<std::complex<float>>(n);
    check_solves<std::complex<double>>(n);
    check_upper<float>(n);
    check_upper<double>(n);
  }
}

TEST_CASE_TEMPLATE("host triangles: a number that is none reaches every answer that it belongs to",
                   Number, double, std::complex<double>) {
  const Index n = 300, rows = kParts<Number> * n;
  std::vector<Number> numbers = triangles<Number>(n, n + 3);
  numbers[7 * (n + 3) + 200] = std::numeric_limits<double>::quiet_NaN();
  const HostTriangles<Number> m{numbers.data(), n, n + 3, true};
  for (const bool transposed : {true, false}) {
    const Matrix x = m.solve(Matrix(rows, 1, Values(rows, 1.0)), transposed);
    bool any = false;
    for (Index i = 0; i < rows; ++i) any = any || std::isnan(x(i, 0));
    CHECK(any);
  }
}

}  // namespace clgauss
