#include "c/weighted_sums.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include "constants.hpp"
#include "matrix/max_or_nan.hpp"

namespace clgauss::c {

namespace {

constexpr double kBound = 30;  // the bound of LAPACK's own tests

enum class Part { whole, lower, strictly_lower, strictly_upper, upper };

/// The columns of row `index`, or the rows of column `index`, that belong to a part.
struct Range {
  Index first, last;
};

Range range_of(Part part, bool of_row, Index index, Index length) {
  const bool lower = part == Part::lower || part == Part::strictly_lower;
  const Index diagonal = part == Part::lower || part == Part::upper ? 1 : 0;
  if (part == Part::whole) return {0, length};
  if (lower == of_row) return {0, std::min(index + diagonal, length)};
  return {std::min(index + 1 - diagonal, length), length};
}

double product(double a, double b) { return a * b; }
double magnitude(double a) { return std::abs(a); }

using Complex = std::complex<double>;
/// Multiplies without the NaN handling of operator*.
Complex product(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
double magnitude(const Complex& a) { return std::abs(a.real()) + std::abs(a.imag()); }

/// For each column of a matrix: the weighted sum of its numbers and the sum of their magnitudes.
template <typename Sum>
struct ColumnSums {
  explicit ColumnSums(Index columns) : weighted(columns), magnitudes(columns) {}

  void add(const ColumnSums& other) {
    for (Index j = 0; j < weighted.size(); ++j) {
      weighted[j] += other.weighted[j];
      magnitudes[j] += other.magnitudes[j];
    }
  }

  std::vector<Sum> weighted;
  std::vector<double> magnitudes;
};

/// The two sums of one column of `count` numbers.
template <typename Number, typename Sum, typename Of>
std::pair<Sum, double> dot(const Number* column, const Sum* w, Index count, const Of& of) {
  constexpr Index kSums = 8;  // independent sums, for the processor's vectors
  Sum weighted[kSums] = {};
  double magnitudes[kSums] = {};
  const auto add = [&](Index l, Index i) {
    const Sum value(of(Sum(column[i])));
    weighted[l] += product(w[i], value);
    magnitudes[l] += magnitude(value);
  };
  const Index whole = count / kSums * kSums;
  for (Index i = 0; i < whole; i += kSums)
    for (Index l = 0; l < kSums; ++l) add(l, i + l);
  for (Index i = whole; i < count; ++i) add(0, i);
  for (Index l = 1; l < kSums; ++l) {
    weighted[0] += weighted[l];
    magnitudes[0] += magnitudes[l];
  }
  return {weighted[0], magnitudes[0]};
}

/// Calls body(i) and body(count - 1 - i) for i = first .. last. In a triangle, each pair is a long
/// line and a short one, so that every core gets the same amount of work.
template <typename Body>
void in_pairs(Index first, Index last, Index count, const Body& body) {
  for (Index i = first; i < last; ++i) {
    body(i);
    if (count - 1 - i != i) body(count - 1 - i);
  }
}

/// w^T M for a part of M, with `of` applied to each number. Runs on all cores, line by line in
/// memory order.
template <typename Number, typename Sum, typename Of = std::identity>
ColumnSums<Sum> column_sums(const HostMatrix<const Number>& m, Part part, const std::vector<Sum>& w,
                            const Of& of = {}) {
  ColumnSums<Sum> sums(m.columns);
  if (m.empty()) return sums;
  const bool by_columns = m.row_step == 1 && m.column_step != 1;
  const Index lines = by_columns ? m.columns : m.rows, length = by_columns ? m.rows : m.columns;
  const Index pairs = (lines + 1) / 2, grain = kElementsPerThread / (2 * length) + 1;
  if (by_columns) {
    in_parallel(pairs, grain, [&](Index first, Index last) {
      in_pairs(first, last, lines, [&](Index j) {
        const Range range = range_of(part, false, j, length);
        std::tie(sums.weighted[j], sums.magnitudes[j]) =
            dot(m.data + j * m.column_step + range.first, w.data() + range.first,
                range.last - range.first, of);
      });
    });
    return sums;
  }
  const Index parts = parts_of(pairs, grain);
  std::vector<ColumnSums<Sum>> of_part(parts, sums);
  in_parallel(parts, 1, [&](Index first_part, Index last_part) {
    for (Index p = first_part; p < last_part; ++p) {
      Sum* const weighted = of_part[p].weighted.data();
      double* const magnitudes = of_part[p].magnitudes.data();
      in_pairs(p * pairs / parts, (p + 1) * pairs / parts, lines, [&](Index i) {
        const Range range = range_of(part, true, i, length);
        const Number* const row = m.data + i * m.row_step;
        for (Index j = range.first; j < range.last; ++j) {
          const Sum value(of(Sum(row[j * m.column_step])));
          weighted[j] += product(w[i], value);
          magnitudes[j] += magnitude(value);
        }
      });
    }
  });
  for (const ColumnSums<Sum>& some : of_part) sums.add(some);
  return sums;
}

/// w^T T for a triangle T. `is_unit`: its diagonal is one and not stored.
template <typename Number, typename Sum, typename Of = std::identity>
std::vector<Sum> triangle_sums(const HostMatrix<const Number>& t, Part part, bool is_unit,
                               const std::vector<Sum>& w, const Of& of = {}) {
  if (is_unit) part = part == Part::lower ? Part::strictly_lower : Part::strictly_upper;
  std::vector<Sum> sums = column_sums(t, part, w, of).weighted;
  for (Index j = 0; is_unit && j < sums.size(); ++j) sums[j] += w[j];
  return sums;
}

/// The same weights on every call, of magnitudes between a half and one. With signs alone, sparse
/// columns of L could cancel, and errors in the numbers they multiply would go unnoticed.
template <typename Sum>
std::vector<Sum> weights(Index n) {
  std::vector<Sum> w(n);
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (Sum& weight : w) {  // xorshift64
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    const double magnitude = 0.5 + static_cast<double>(state >> 12U) * 0x1p-53;
    weight = (state & 1U) != 0 ? magnitude : -magnitude;
  }
  return w;
}

template <typename Number>
WeightedSums<Number> weighted_sums_of(ColumnSums<Wide<Number>> sums) {
  WeightedSums<Number> result{std::move(sums.weighted), 0};
  for (const double sum : sums.magnitudes) result.norm1 = max_or_nan(result.norm1, sum);
  return result;
}

template <typename Number>
inline constexpr double kUnitRoundoff = (sizeof(Number) == sizeof(Wide<Number>)
                                             ? std::numeric_limits<double>::epsilon()
                                             : std::numeric_limits<float>::epsilon()) /
                                        2.0;

template <typename Number>
bool are_near(const WeightedSums<Number>& of_a, const std::vector<Wide<Number>>& of_factors) {
  const double bound =
      kBound * static_cast<double>(of_factors.size()) * kUnitRoundoff<Number> * of_a.norm1;
  for (Index j = 0; j < of_factors.size(); ++j)
    if (!(magnitude(of_factors[j] - of_a.sums[j]) <= bound)) return false;
  return std::isfinite(bound);
}

/// Whether every column of A X, whose sums are `of_ax`, equals that of B within `errors` eps
/// (||A||_1 ||X||_1 + ||B||_1), in the 1-norm.
template <typename Number>
bool are_near(double norm1_of_a, const ColumnSums<Wide<Number>>& of_ax,
              const ColumnSums<Wide<Number>>& of_b, double errors) {
  for (Index c = 0; c < of_b.weighted.size(); ++c) {
    const double bound =
        errors * kUnitRoundoff<Number> * (norm1_of_a * of_ax.magnitudes[c] + of_b.magnitudes[c]);
    if (!(magnitude(of_b.weighted[c] - of_ax.weighted[c]) <= bound && std::isfinite(bound)))
      return false;
  }
  return true;
}

template <typename Number>
bool is_identity(double norm1_of_a, const ColumnSums<Wide<Number>>& of_ax) {
  const Index n = of_ax.weighted.size();
  ColumnSums<Wide<Number>> of_identity(n);
  of_identity.weighted = weights<Wide<Number>>(n);
  of_identity.magnitudes.assign(n, 1.0);
  return are_near<Number>(norm1_of_a, of_ax, of_identity, kBound * static_cast<double>(n));
}

/// The real part of diagonal element i.
template <typename Number>
double real_part(const HostMatrix<const Number>& a, Index i) {
  return std::real(a.data[i * (a.row_step + a.column_step)]);
}

/// w^T A for the symmetric or Hermitian A whose lower triangle is in `a`.
template <typename Number>
ColumnSums<Wide<Number>> symmetric_sums(const HostMatrix<const Number>& a,
                                        const std::vector<Wide<Number>>& w) {
  auto sums = column_sums(a, Part::strictly_lower, w);
  sums.add(column_sums(transposed(a), Part::strictly_upper, w,
                       [](const Wide<Number>& value) { return conjugated(value); }));
  for (Index i = 0; i < w.size(); ++i) {
    sums.weighted[i] += w[i] * real_part(a, i);
    sums.magnitudes[i] += std::abs(real_part(a, i));
  }
  return sums;
}

/// Column j of M.
template <typename Number>
std::vector<Wide<Number>> column_of_product(const Triangles<Number>& m, Index j) {
  std::vector<Wide<Number>> of_upper(m.lower.rows);
  for (Index k = 0; k <= j; ++k) {
    const Number& stored = m.upper.data[k * m.upper.row_step + j * m.upper.column_step];
    of_upper[k] = k == j && m.is_unit_upper ? 1.0 : Wide<Number>(m.of_upper(stored));
  }
  return triangle_sums(transposed(m.lower), Part::upper, m.is_unit_lower, of_upper);
}

}  // namespace

template <typename Number>
WeightedSums<Number> weighted_sums(const HostMatrix<const Number>& a) {
  return weighted_sums_of<Number>(column_sums(a, Part::whole, weights<Wide<Number>>(a.rows)));
}

template <typename Number>
WeightedSums<Number> weighted_sums_of_symmetric(const HostMatrix<const Number>& a) {
  return weighted_sums_of<Number>(symmetric_sums(a, weights<Wide<Number>>(a.rows)));
}

template <typename Number>
WeightedSums<Number> weighted_sums_of_product(const Triangles<Number>& m) {
  constexpr double kLargestGrowth = 10;  // times n; of random matrices with n = 10 to 2000 1.3
  const Index n = m.lower.rows;
  const auto sums_of = [&](std::vector<Wide<Number>> w, const auto& of_lower,
                           const auto& of_upper) {
    w = triangle_sums(m.lower, Part::lower, m.is_unit_lower, w, of_lower);
    return triangle_sums(m.upper, Part::upper, m.is_unit_upper, w, of_upper);
  };
  WeightedSums<Number> result{sums_of(weights<Wide<Number>>(n), std::identity{},
                                      [&](const Wide<Number>& value) { return m.of_upper(value); }),
                              0};
  const auto size = [](const Wide<Number>& sum) {
    return std::isnan(magnitude(sum)) ? kInfinity : magnitude(sum);
  };
  const auto largest = std::ranges::max_element(result.sums, {}, size);
  if (largest == result.sums.end()) return result;
  for (const Wide<Number>& number : column_of_product(m, largest - result.sums.begin()))
    result.norm1 += magnitude(number);
  double grown = 0;
  for (const Wide<Number>& sum : sums_of(std::vector<Wide<Number>>(n, 1.0), size, size))
    grown = max_or_nan(grown, std::real(sum));
  if (!(grown <= kLargestGrowth * static_cast<double>(n) * result.norm1)) result.norm1 = grown;
  return result;
}

template <typename Number>
bool agree(const WeightedSums<Number>& of_a, const HostMatrix<const Number>& lu,
           std::span<const Index> exchanges) {
  auto w = weights<Wide<Number>>(lu.rows);
  for (Index k = 0; k < exchanges.size(); ++k) {
    if (exchanges[k] >= w.size()) return false;
    std::swap(w[k], w[exchanges[k]]);
  }
  w = triangle_sums(lu, Part::lower, true, w);
  return are_near(of_a, triangle_sums(lu, Part::upper, false, w));
}

template <typename Number>
bool agree_symmetric(const WeightedSums<Number>& of_a, const HostMatrix<const Number>& ldl) {
  auto w = weights<Wide<Number>>(ldl.rows);
  w = triangle_sums(ldl, Part::lower, true, w);
  for (Index j = 0; j < w.size(); ++j) w[j] *= real_part(ldl, j);
  return are_near(of_a, triangle_sums(transposed(ldl), Part::upper, true, w,
                                      [](const Wide<Number>& value) { return conjugated(value); }));
}

template <typename Number>
bool is_answer(const WeightedSums<Number>& of_a, const HostMatrix<const Number>& b,
               const HostMatrix<const Number>& x) {
  const auto of_b = column_sums(b, Part::whole, weights<Wide<Number>>(b.rows));
  return are_near<Number>(of_a.norm1, column_sums(x, Part::whole, of_a.sums), of_b, kBound);
}

template <typename Number>
bool is_inverse(const WeightedSums<Number>& of_a, const HostMatrix<const Number>& x) {
  return is_identity<Number>(of_a.norm1, column_sums(x, Part::whole, of_a.sums));
}

template <typename Number>
bool is_symmetric_inverse(const WeightedSums<Number>& of_a, const HostMatrix<const Number>& x) {
  return is_identity<Number>(of_a.norm1, symmetric_sums(x, of_a.sums));
}

#define CLGAUSS_FOR(Number)                                                                    \
  template WeightedSums<Number> weighted_sums(const HostMatrix<const Number>&);                \
  template bool agree(const WeightedSums<Number>&, const HostMatrix<const Number>&,            \
                      std::span<const Index>);                                                 \
  template bool is_answer(const WeightedSums<Number>&, const HostMatrix<const Number>&,        \
                          const HostMatrix<const Number>&);                                    \
  template WeightedSums<Number> weighted_sums_of_product(const Triangles<Number>&);            \
  template WeightedSums<Number> weighted_sums_of_symmetric(const HostMatrix<const Number>&);   \
  template bool agree_symmetric(const WeightedSums<Number>&, const HostMatrix<const Number>&); \
  template bool is_inverse(const WeightedSums<Number>&, const HostMatrix<const Number>&);      \
  template bool is_symmetric_inverse(const WeightedSums<Number>&, const HostMatrix<const Number>&);
CLGAUSS_FOR(float)
CLGAUSS_FOR(double)
CLGAUSS_FOR(std::complex<float>)
CLGAUSS_FOR(std::complex<double>)
#undef CLGAUSS_FOR

}  // namespace clgauss::c
