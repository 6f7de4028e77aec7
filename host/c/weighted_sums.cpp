#include "c/weighted_sums.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "matrix/max_or_nan.hpp"

namespace clgauss::c {

namespace {

constexpr double kBound = 30;  // of LAPACK's own tests

enum class Part { whole, lower, strictly_lower, strictly_upper, upper };

/// The columns of the row `index`, or the rows of the column `index`, that belong to a part.
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

template <typename Real>
HostMatrix<const Real> transposed(HostMatrix<const Real> a) {
  std::swap(a.rows, a.columns);
  std::swap(a.row_step, a.column_step);
  return a;
}

/// Of each column of a matrix: the sum of its numbers times weights, and that of their magnitudes.
struct ColumnSums {
  explicit ColumnSums(Index columns) : weighted(columns, 0.0), magnitudes(columns, 0.0) {}

  void add(const ColumnSums& other) {
    for (Index j = 0; j < weighted.size(); ++j) {
      weighted[j] += other.weighted[j];
      magnitudes[j] += other.magnitudes[j];
    }
  }

  std::vector<double> weighted, magnitudes;
};

/// Of one column: w is as long as it.
template <typename Real>
std::pair<double, double> dot(const Real* column, const double* w, Index count) {
  constexpr Index kSums = 8;  // side by side, for the processor's vectors
  double weighted[kSums] = {}, magnitudes[kSums] = {};
  const Index whole = count / kSums * kSums;
  for (Index i = 0; i < whole; i += kSums)
    for (Index l = 0; l < kSums; ++l) {
      const double value = column[i + l];
      weighted[l] += w[i + l] * value;
      magnitudes[l] += std::abs(value);
    }
  for (Index i = whole; i < count; ++i) {
    const double value = column[i];
    weighted[0] += w[i] * value;
    magnitudes[0] += std::abs(value);
  }
  for (Index l = 1; l < kSums; ++l) {
    weighted[0] += weighted[l];
    magnitudes[0] += magnitudes[l];
  }
  return {weighted[0], magnitudes[0]};
}

/// w^T M for the part of M, on all cores, line by line as it lies.
template <typename Real>
ColumnSums column_sums(const HostMatrix<const Real>& m, Part part, const std::vector<double>& w) {
  ColumnSums sums(m.columns);
  if (m.row_step == 1 && m.column_step != 1) {
    in_parallel(m.columns, kElementsPerThread / m.rows + 1, [&](Index first, Index last) {
      for (Index j = first; j < last; ++j) {
        const Range range = range_of(part, false, j, m.rows);
        std::tie(sums.weighted[j], sums.magnitudes[j]) =
            dot(m.data + j * m.column_step + range.first, w.data() + range.first,
                range.last - range.first);
      }
    });
    return sums;
  }
  const Index parts = parts_of(m.rows, kElementsPerThread / m.columns + 1);
  std::vector<ColumnSums> of_part(parts, sums);
  in_parallel(parts, 1, [&](Index first_part, Index last_part) {
    for (Index p = first_part; p < last_part; ++p) {
      double* const weighted = of_part[p].weighted.data();
      double* const magnitudes = of_part[p].magnitudes.data();
      for (Index i = p * m.rows / parts; i < (p + 1) * m.rows / parts; ++i) {
        const Range range = range_of(part, true, i, m.columns);
        const Real* const row = m.data + i * m.row_step;
        for (Index j = range.first; j < range.last; ++j) {
          const double value = row[j * m.column_step];
          weighted[j] += w[i] * value;
          magnitudes[j] += std::abs(value);
        }
      }
    }
  });
  for (const ColumnSums& some : of_part) sums.add(some);
  return sums;
}

/// The same each time, of magnitudes between a half and one: with signs alone columns of L whose
/// numbers are few would cancel, and what they are multiplied by would not be seen.
std::vector<double> weights(Index n) {
  std::vector<double> w(n);
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (double& weight : w) {  // xorshift64
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    const double magnitude = 0.5 + static_cast<double>(state >> 12U) * 0x1p-53;
    weight = (state & 1U) != 0 ? magnitude : -magnitude;
  }
  return w;
}

WeightedSums weighted_sums_of(ColumnSums sums) {
  WeightedSums result{std::move(sums.weighted), 0};
  for (const double magnitude : sums.magnitudes) result.norm1 = max_or_nan(result.norm1, magnitude);
  return result;
}

template <typename Real>
bool are_near(const WeightedSums& of_a, const std::vector<double>& of_factors) {
  const double bound = kBound * static_cast<double>(of_factors.size()) *
                       std::numeric_limits<Real>::epsilon() / 2 * of_a.norm1;
  for (Index j = 0; j < of_factors.size(); ++j)
    if (!(std::abs(of_factors[j] - of_a.sums[j]) <= bound)) return false;
  return std::isfinite(bound);
}

}  // namespace

template <typename Real>
WeightedSums weighted_sums(const HostMatrix<const Real>& a) {
  return weighted_sums_of(column_sums(a, Part::whole, weights(a.rows)));
}

template <typename Real>
WeightedSums weighted_sums_of_symmetric(const HostMatrix<const Real>& a) {
  const std::vector<double> w = weights(a.rows);
  ColumnSums sums = column_sums(a, Part::lower, w);
  sums.add(column_sums(transposed(a), Part::strictly_upper, w));
  return weighted_sums_of(std::move(sums));
}

template <typename Real>
bool agree(const WeightedSums& of_a, const HostMatrix<const Real>& lu,
           std::span<const Index> exchanges) {
  std::vector<double> w = weights(lu.rows);
  for (Index k = 0; k < exchanges.size(); ++k) {
    if (exchanges[k] >= w.size()) return false;
    std::swap(w[k], w[exchanges[k]]);
  }
  const ColumnSums below = column_sums(lu, Part::strictly_lower, w);
  for (Index j = 0; j < w.size(); ++j) w[j] += below.weighted[j];
  return are_near<Real>(of_a, column_sums(lu, Part::upper, w).weighted);
}

template <typename Real>
bool agree_symmetric(const WeightedSums& of_a, const HostMatrix<const Real>& ldl) {
  std::vector<double> w = weights(ldl.rows);
  const ColumnSums below = column_sums(ldl, Part::strictly_lower, w);
  for (Index j = 0; j < w.size(); ++j)
    w[j] = (w[j] + below.weighted[j]) * ldl.data[j * (ldl.row_step + ldl.column_step)];
  const ColumnSums above = column_sums(transposed(ldl), Part::strictly_upper, w);
  for (Index j = 0; j < w.size(); ++j) w[j] += above.weighted[j];
  return are_near<Real>(of_a, w);
}

template <typename Real>
bool is_answer(const WeightedSums& of_a, const HostMatrix<const Real>& b,
               const HostMatrix<const Real>& x) {
  const ColumnSums of_b = column_sums(b, Part::whole, weights(b.rows));
  const ColumnSums of_x = column_sums(x, Part::whole, of_a.sums);
  for (Index c = 0; c < b.columns; ++c) {
    const double bound = kBound * std::numeric_limits<Real>::epsilon() / 2 *
                         (of_a.norm1 * of_x.magnitudes[c] + of_b.magnitudes[c]);
    if (!(std::abs(of_b.weighted[c] - of_x.weighted[c]) <= bound && std::isfinite(bound)))
      return false;
  }
  return true;
}

#define CLGAUSS_FOR(Real)                                                                          \
  template WeightedSums weighted_sums(const HostMatrix<const Real>&);                              \
  template WeightedSums weighted_sums_of_symmetric(const HostMatrix<const Real>&);                 \
  template bool agree(const WeightedSums&, const HostMatrix<const Real>&, std::span<const Index>); \
  template bool agree_symmetric(const WeightedSums&, const HostMatrix<const Real>&);               \
  template bool is_answer(const WeightedSums&, const HostMatrix<const Real>&,                      \
                          const HostMatrix<const Real>&);
CLGAUSS_FOR(float)
CLGAUSS_FOR(double)
#undef CLGAUSS_FOR

}  // namespace clgauss::c
