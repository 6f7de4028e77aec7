#include "c/weighted_sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
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

/// Whether `norm1` is one of these 1-norms of columns, and no small one.
void check_norm1(double norm1, const std::vector<double>& of_columns) {
  const double largest = *std::ranges::max_element(of_columns);
  CHECK(std::ranges::any_of(
      of_columns, [&](double norm) { return std::abs(norm - norm1) <= 1e-12 * largest; }));
  CHECK(norm1 >= 0.4 * largest);
}

TEST_CASE("weighted sums: of the product of two triangles, and the norm of one of its columns") {
  for (const Index n : {Index{1}, Index{2}, Index{9}, Index{40}})
    for (const bool by_rows : {true, false})
      for (const bool is_unit_lower : {true, false}) {
        CAPTURE(n);
        Stored both(n, by_rows), product(n, true);
        std::vector<double> norms(n);
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j) both.at(i, j) = number_of(i, j) / 8;
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j) {
            product.at(i, j) = 0;
            for (Index k = 0; k <= std::min(i, j); ++k)
              product.at(i, j) += (k == i && is_unit_lower ? 1 : both.at(i, k)) *
                                  (k == j && !is_unit_lower ? 1 : both.at(k, j));
            norms[j] += std::abs(product.at(i, j));
          }
        const auto sums = weighted_sums_of_product(
            Triangles<double>{both.view(), both.view(), is_unit_lower, !is_unit_lower});
        const WeightedSums wanted = weighted_sums(product.view());
        for (Index j = 0; j < n; ++j)
          CHECK(sums.sums[j] == doctest::Approx(wanted.sums[j]).epsilon(1e-12));
        check_norm1(sums.norm1, norms);
      }
}

TEST_CASE("weighted sums: of the product of two triangles of complex numbers") {
  using Number = std::complex<double>;
  constexpr Index kN = 23;
  std::vector<Number> both(kN * kN), product(kN * kN);
  for (Index i = 0; i < kN; ++i)
    for (Index j = 0; j < kN; ++j)
      both[i * kN + j] = {number_of(i, j) / 8, number_of(j, i + 1) / 4};
  for (const auto& [is_unit_lower, is_upper_conjugated] :
       {std::pair{true, false}, {false, false}, {true, true}, {false, true}}) {
    const auto l = [&, unit = is_unit_lower](Index i, Index k) {
      return k == i && unit ? Number{1} : both[i * kN + k];
    };
    const auto u = [&, unit = !is_unit_lower, conjugated = is_upper_conjugated](Index k, Index j) {
      const Number number = k == j && unit ? Number{1} : both[k * kN + j];
      return conjugated ? std::conj(number) : number;
    };
    std::vector<double> norms(kN);
    for (Index i = 0; i < kN; ++i)
      for (Index j = 0; j < kN; ++j) {
        Number sum = 0;
        for (Index k = 0; k <= std::min(i, j); ++k) sum += l(i, k) * u(k, j);
        product[i * kN + j] = sum;
        norms[j] += std::abs(sum.real()) + std::abs(sum.imag());
      }
    const auto view = [](const std::vector<Number>& numbers) {
      return HostMatrix<const Number>{numbers.data(), kN, kN, kN, 1};
    };
    const auto sums = weighted_sums_of_product(Triangles<Number>{
        view(both), view(both), is_unit_lower, !is_unit_lower, is_upper_conjugated});
    const WeightedSums wanted = weighted_sums(view(product));
    for (Index j = 0; j < kN; ++j) CHECK(std::abs(sums.sums[j] - wanted.sums[j]) <= 1e-10);
    check_norm1(sums.norm1, norms);
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

TEST_CASE("weighted sums: a Hermitian inverse, and one with a wrong number") {
  using Number = std::complex<double>;
  constexpr Index kN = 17;
  std::vector<Number> a(kN * kN), x(kN * kN);
  double size = 0;
  const auto v = [](Index i) {
    return Number(static_cast<double>(i % 3 + 1), static_cast<double>(i % 5) - 2) / 4.0;
  };
  for (Index i = 0; i < kN; ++i) size += std::norm(v(i));
  for (Index i = 0; i < kN; ++i)  // I + v v^H, whose inverse is I - v v^H / (1 + v^H v)
    for (Index j = 0; j < kN; ++j) {
      const Number vv = v(i) * std::conj(v(j)), one = i == j ? 1 : 0;
      a[i * kN + j] = one + vv;
      x[i * kN + j] = one - vv / (1 + size);
    }
  const auto view = [](const std::vector<Number>& numbers) {
    return HostMatrix<const Number>{numbers.data(), kN, kN, kN, 1};
  };
  const WeightedSums of_a = weighted_sums(view(a));
  CHECK(is_inverse(of_a, view(x)));
  CHECK(is_symmetric_inverse(of_a, view(x)));
  for (Index i = 0; i < kN; ++i)
    for (Index j = 0; j < kN; ++j) {
      const Number was = x[i * kN + j];
      for (const Number wrong : {was + 1e-8, was + Number(0, 1e-8), Number(0, std::nan(""))}) {
        x[i * kN + j] = wrong;
        CHECK_FALSE(is_inverse(of_a, view(x)));
        // Of the diagonal the real parts are read.
        const bool is_seen = j < i || (j == i && wrong.real() != was.real());
        CHECK(is_symmetric_inverse(of_a, view(x)) == !is_seen);
      }
      x[i * kN + j] = was;
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

TEST_CASE("weighted sums: of one element of X that is lost, by factors of f32 alone") {
  constexpr Index kN = 300;
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> lu(kN * kN), x(kN), b(kN);
  for (float& number : lu) number = normal(random);
  for (Index i = 0; i < kN; ++i)
    for (Index j = 0; j < i; ++j) lu[i * kN + j] = std::remainder(lu[i * kN + j], 2.0F);
  for (float& number : x) number = normal(random);
  std::vector<double> ux(kN);
  for (Index i = 0; i < kN; ++i)
    for (Index j = i; j < kN; ++j) ux[i] += double(lu[i * kN + j]) * x[j];
  for (Index i = 0; i < kN; ++i) {
    double sum = ux[i];
    for (Index k = 0; k < i; ++k) sum += double(lu[i * kN + k]) * ux[k];
    b[i] = static_cast<float>(sum);
  }
  const auto view = [](const std::vector<float>& numbers, Index columns) {
    return HostMatrix<const float>{numbers.data(), kN, columns, columns, 1};
  };
  const auto of_lu =
      weighted_sums_of_product(Triangles<float>{view(lu, kN), view(lu, kN), true, false});
  CHECK(is_answer(of_lu, view(b, 1), view(x, 1)));
  Index unseen = 0;  // where w^T L U happens to be small
  for (float& number : x) {
    const float was = std::exchange(number, 0.0F);
    unseen += std::abs(was) >= 0.5F && is_answer(of_lu, view(b, 1), view(x, 1)) ? 1 : 0;
    number = was;
  }
  CHECK(unseen <= 6);
}

TEST_CASE("weighted sums: answers by factors that have grown are as near as |L| |U| lets them be") {
  constexpr Index kN = 24;
  std::vector<float> lu(kN * kN), b(kN), x(kN);
  for (Index i = 0; i < kN;
       ++i) {  // Wilkinson's: 1, below it -1, and 1, 2, 4, .. in the last column
    for (Index j = 0; j < kN; ++j) lu[i * kN + j] = i == j ? 1.0F : i > j ? -1.0F : 0.0F;
    lu[i * kN + kN - 1] = std::ldexp(1.0F, static_cast<int>(i));
    b[i] = static_cast<float>((i * 37 + 11) % 23) / 7 - 1.5F;
  }
  x = b;
  for (Index i = 0; i < kN; ++i)
    for (Index j = 0; j < i; ++j) x[i] -= lu[i * kN + j] * x[j];
  for (Index i = kN; i-- > 0;) {
    for (Index j = i + 1; j < kN; ++j) x[i] -= lu[i * kN + j] * x[j];
    x[i] /= lu[i * kN + i];
  }
  const HostMatrix<const float> m{lu.data(), kN, kN, kN, 1}, of_b{b.data(), kN, 1, 1, 1},
      of_x{x.data(), kN, 1, 1, 1};
  const WeightedSums sums = weighted_sums_of_product(Triangles<float>{m, m, true, false});
  CHECK(is_answer(sums, of_b, of_x));
  x[kN - 1] = std::nanf("");
  CHECK_FALSE(is_answer(sums, of_b, of_x));
}
