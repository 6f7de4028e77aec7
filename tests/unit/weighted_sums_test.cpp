#include "c/weighted_sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

using namespace clgauss;
using namespace clgauss::c;

namespace {

/// With two numbers more between its rows, or its columns.
struct Stored {
  Stored(Index rows, Index columns, bool by_rows)
      : rows(rows),
        columns(columns),
        by_rows(by_rows),
        ld((by_rows ? columns : rows) + 2),
        numbers((by_rows ? rows : columns) * ld, 1e9) {}
  Stored(Index n, bool by_rows) : Stored(n, n, by_rows) {}

  double& at(Index i, Index j) { return numbers[by_rows ? i * ld + j : j * ld + i]; }
  [[nodiscard]] HostMatrix<const double> view() const {
    return {numbers.data(), rows, columns, by_rows ? ld : 1, by_rows ? 1 : ld};
  }

  Index rows, columns;
  bool by_rows;
  Index ld;
  std::vector<double> numbers;
};

double number_of(Index i, Index j) {
  return i == j ? 0.25 : static_cast<double>((i * 31 + j * 17) % 13) - 6;
}

/// L and U with pivots, m-by-n, m >= n, and their product P^T L U in numbers of moderate size.
struct Example {
  Example(Index m, Index n, bool by_rows) : a(m, n, by_rows), lu(m, n, by_rows), exchanges(n) {
    std::vector<std::vector<double>> rows(m, std::vector<double>(n));
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        lu.at(i, j) = i > j ? number_of(i, j) / 8 : number_of(i, j);
        for (Index k = 0; k <= std::min(i, j); ++k)
          rows[i][j] += (k == i ? 1 : number_of(i, k) / 8) * number_of(k, j);
      }
    for (Index k = 0; k < n; ++k) exchanges[k] = k + (k * 7 + 3) % (m - k);
    for (Index k = n; k-- > 0;) std::swap(rows[k], rows[exchanges[k]]);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) a.at(i, j) = rows[i][j];
  }

  Stored a, lu;
  std::vector<Index> exchanges;
};

}  // namespace

TEST_CASE("weighted sums: factors agree with A, and no number of them can be wrong unseen") {
  constexpr std::pair<Index, Index> kShapes[] = {{1, 1}, {2, 2},  {9, 9},  {40, 40},
                                                 {2, 1}, {40, 1}, {40, 9}, {10, 9}};
  for (const auto& [m, n] : kShapes)
    for (const bool by_rows : {true, false})
      for (const bool factors_by_rows : {true, false}) {
        CAPTURE(m);
        CAPTURE(n);
        Example example(m, n, by_rows);
        const WeightedSums of_a = weighted_sums(example.a.view());
        Stored lu = Example(m, n, factors_by_rows).lu;
        CHECK(agree(of_a, lu.view(), example.exchanges));
        for (Index i = 0; i < m; ++i)
          for (Index j = 0; j < n; ++j) {
            const double was = lu.at(i, j);
            lu.at(i, j) += 1e-3;
            CHECK_FALSE(agree(of_a, lu.view(), example.exchanges));
            lu.at(i, j) = std::nan("");
            CHECK_FALSE(agree(of_a, lu.view(), example.exchanges));
            lu.at(i, j) = was;
          }
        if (m < 2) continue;
        for (const Index row : {m, example.exchanges[0] + 1 == m ? m - 2 : m - 1}) {
          std::vector<Index> exchanges = example.exchanges;
          exchanges[0] = row;
          CHECK_FALSE(agree(of_a, lu.view(), exchanges));
        }
      }
}

TEST_CASE("weighted sums: of the product of two triangles, and a bound of its norm") {
  for (const Index n : {Index{1}, Index{2}, Index{9}, Index{40}})
    for (const bool by_rows : {true, false})
      for (const bool is_unit_lower : {true, false}) {
        CAPTURE(n);
        Stored both(n, by_rows), product(n, true), magnitudes(n, true);
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j) both.at(i, j) = number_of(i, j) / 8;
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j) {
            product.at(i, j) = magnitudes.at(i, j) = 0;
            for (Index k = 0; k <= std::min(i, j); ++k) {
              const double term = (k == i && is_unit_lower ? 1 : both.at(i, k)) *
                                  (k == j && !is_unit_lower ? 1 : both.at(k, j));
              product.at(i, j) += term;
              magnitudes.at(i, j) += std::abs(term);
            }
          }
        const auto sums = weighted_sums_of_product(
            Triangles<double>{both.view(), both.view(), is_unit_lower, !is_unit_lower});
        const WeightedSums wanted = weighted_sums(product.view());
        for (Index j = 0; j < n; ++j)
          CHECK(sums.sums[j] == doctest::Approx(wanted.sums[j]).epsilon(1e-12));
        CHECK(sums.norm1 == doctest::Approx(weighted_sums(magnitudes.view()).norm1));
      }
}

TEST_CASE("weighted sums: of the product of two triangles of complex numbers") {
  using Number = std::complex<double>;
  constexpr Index kN = 23;
  std::vector<Number> both(kN * kN), product(kN * kN), magnitudes(kN * kN);
  for (Index i = 0; i < kN; ++i)
    for (Index j = 0; j < kN; ++j)
      both[i * kN + j] = {number_of(i, j) / 8, number_of(j, i + 1) / 4};
  for (const bool is_unit_lower : {true, false}) {
    const auto l = [&](Index i, Index k) {
      return k == i && is_unit_lower ? Number{1} : both[i * kN + k];
    };
    const auto u = [&](Index k, Index j) {
      return k == j && !is_unit_lower ? Number{1} : both[k * kN + j];
    };
    for (Index i = 0; i < kN; ++i)
      for (Index j = 0; j < kN; ++j) {
        Number sum = 0;
        double size = 0;
        for (Index k = 0; k <= std::min(i, j); ++k) {
          const Number left = l(i, k), right = u(k, j);
          sum += left * right;
          size += (std::abs(left.real()) + std::abs(left.imag())) *
                  (std::abs(right.real()) + std::abs(right.imag()));
        }
        product[i * kN + j] = sum;
        magnitudes[i * kN + j] = size;
      }
    const auto view = [](const std::vector<Number>& numbers) {
      return HostMatrix<const Number>{numbers.data(), kN, kN, kN, 1};
    };
    const auto sums = weighted_sums_of_product(
        Triangles<Number>{view(both), view(both), is_unit_lower, !is_unit_lower});
    const WeightedSums wanted = weighted_sums(view(product));
    for (Index j = 0; j < kN; ++j) CHECK(std::abs(sums.sums[j] - wanted.sums[j]) <= 1e-10);
    CHECK(sums.norm1 == doctest::Approx(weighted_sums(view(magnitudes)).norm1));
    CHECK(sums.norm1 >= wanted.norm1);
  }
}

TEST_CASE("weighted sums: an inverse, whole and as a triangle, and one with a wrong number") {
  constexpr Index kN = 17;
  for (const bool by_rows : {true, false}) {
    Stored a(kN, true), x(kN, by_rows);
    for (Index i = 0; i < kN; ++i)  // I + v v^T, whose inverse is I - v v^T / (1 + v^T v)
      for (Index j = 0; j < kN; ++j) {
        const double vv = static_cast<double>((i % 3 + 1) * (j % 3 + 1)) / 8;
        a.at(i, j) = (i == j ? 1 : 0) + vv;
        x.at(i, j) = (i == j ? 1 : 0) - vv / (1 + 75.0 / 8);
      }
    const WeightedSums of_a = weighted_sums(a.view());
    CHECK(is_inverse(of_a, x.view()));
    for (Index i = 0; i < kN; ++i)
      for (Index j = 0; j < kN; ++j) {
        const double was = x.at(i, j);
        for (const double wrong : {was + 1e-8, std::nan("")}) {
          x.at(i, j) = wrong;
          CHECK_FALSE(is_inverse(of_a, x.view()));
          CHECK(is_symmetric_inverse(of_a, x.view()) == (j > i));
        }
        x.at(i, j) = was;
      }
  }
}

TEST_CASE("weighted sums: L D L^T of a triangle") {
  for (const Index n : {Index{1}, Index{2}, Index{33}})
    for (const bool by_rows : {true, false}) {
      Stored a(n, by_rows), ldl(n, by_rows);  // above the diagonal there is anything
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j <= i; ++j) {
          ldl.at(i, j) = i == j ? 3 : number_of(i, j) / 8;
          a.at(i, j) = 0;
          for (Index k = 0; k <= j; ++k)
            a.at(i, j) +=
                3 * (k == i ? 1 : number_of(i, k) / 8) * (k == j ? 1 : number_of(j, k) / 8);
        }
      const WeightedSums of_a = weighted_sums_of_symmetric(a.view());
      CHECK(of_a.norm1 < 1e6);
      CHECK(agree_symmetric(of_a, ldl.view()));
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j <= i; ++j) {
          const double was = ldl.at(i, j);
          ldl.at(i, j) += 1e-3;
          CHECK_FALSE(agree_symmetric(of_a, ldl.view()));
          ldl.at(i, j) = was;
        }
    }
}

TEST_CASE("weighted sums: L D L^H of a triangle of complex numbers") {
  using Number = std::complex<double>;
  constexpr Index kN = 33;
  std::vector<Number> a(kN * kN, 1e9), ldl(kN * kN, 1e9);  // above the diagonal there is anything
  const auto l = [](Index i, Index j) {
    return i == j ? Number(1) : Number(number_of(i, j), number_of(j, i)) / 8.0;
  };
  for (Index i = 0; i < kN; ++i)
    for (Index j = 0; j <= i; ++j) {
      ldl[i * kN + j] = i == j ? 3 : l(i, j);
      a[i * kN + j] = 0;
      for (Index k = 0; k <= j; ++k) a[i * kN + j] += 3.0 * l(i, k) * std::conj(l(j, k));
      if (i == j) a[i * kN + j].imag(77);  // nobody reads it
    }
  for (const bool turned : {false, true}) {  // the conjugates, by columns
    const auto view = [&](const std::vector<Number>& numbers) {
      return HostMatrix<const Number>{numbers.data(), kN, kN, kN, 1};
    };
    if (turned)
      for (auto* numbers : {&a, &ldl})
        for (Number& number : *numbers) number = std::conj(number);
    const WeightedSums of_a = weighted_sums_of_symmetric(view(a));
    CHECK(of_a.norm1 < 1e6);
    CHECK(agree_symmetric(of_a, view(ldl)));
    for (Index i = 0; i < kN; ++i)
      for (Index j = 0; j <= i; ++j) {
        const Number was = ldl[i * kN + j];
        ldl[i * kN + j] += i == j ? Number(1e-3) : Number(0, 1e-3);
        CHECK_FALSE(agree_symmetric(of_a, view(ldl)));
        ldl[i * kN + j] = was;
      }
  }
}

TEST_CASE("weighted sums: an answer, and one with a wrong number") {
  constexpr Index kN = 20;
  Example example(kN, kN, false);
  const WeightedSums of_a = weighted_sums(example.a.view());
  std::vector<double> x(2 * kN), b(2 * kN, 0.0);
  for (Index i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 5) - 2;
  for (Index c = 0; c < 2; ++c)
    for (Index i = 0; i < kN; ++i)
      for (Index j = 0; j < kN; ++j) b[c * kN + i] += example.a.at(i, j) * x[c * kN + j];
  const HostMatrix<const double> of_x{x.data(), kN, 2, 1, kN}, of_b{b.data(), kN, 2, 1, kN};
  CHECK(is_answer(of_a, of_b, of_x));
  for (double& number : x) {
    const double was = number;
    number += 1e-9;
    CHECK_FALSE(is_answer(of_a, of_b, of_x));
    number = std::nan("");
    CHECK_FALSE(is_answer(of_a, of_b, of_x));
    number = was;
  }
}
