#include "linalg/refinement/column_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "pairs.hpp"

namespace clgauss {

namespace {

void store_pair(double* to, const Pair& pair) { std::memcpy(to, &pair, sizeof pair); }

/// sum[i] += |a[0][i]| + |a[1][i]| + .. for `Rows` rows, `ld` numbers apart.
template <Index Rows>
void add_magnitudes(const double* a, Index ld, Index count, double* sum) {
  Index i = 0;
  for (; i + 2 <= count; i += 2) {
    Pair all = load_pair(sum + i);
    for (Index j = 0; j < Rows; ++j) all += magnitude_of(load_pair(a + j * ld + i));
    store_pair(sum + i, all);
  }
  for (; i < count; ++i)
    for (Index j = 0; j < Rows; ++j) sum[i] += std::abs(a[j * ld + i]);
}

/// product[i] += a[0][i] x[0] + a[1][i] x[1] + .., and the same with magnitudes.
template <Index Rows>
void add_products(const double* a, Index ld, Index count, const std::array<double, Rows>& x,
                  double* product, double* magnitude) {
  Index i = 0;
  for (; i + 2 <= count; i += 2) {
    Pair sum = load_pair(product + i), size = load_pair(magnitude + i);
    for (Index j = 0; j < Rows; ++j) {
      const Pair term = load_pair(a + j * ld + i) * Pair{x[j], x[j]};
      sum += term;
      size += magnitude_of(term);
    }
    store_pair(product + i, sum);
    store_pair(magnitude + i, size);
  }
  for (; i < count; ++i)
    for (Index j = 0; j < Rows; ++j) {
      const double term = a[j * ld + i] * x[j];
      product[i] += term;
      magnitude[i] += std::abs(term);
    }
}

}  // namespace

Index ColumnSums::rows_at_once(Index nrhs) {
  constexpr Index kMost = 256, kSums = 4096, kLeast = 16;
  return std::clamp(kSums / std::max<Index>(nrhs, 1), kLeast, kMost);
}

ColumnSums::ColumnSums(std::span<const double> turned, Index n, std::span<const double> x,
                       Index nrhs, Index first, Index count)
    : count_(count), product_(nrhs * count, 0.0), magnitude_(nrhs * count, 0.0), row_(count, 0.0) {
  constexpr Index kTogether = 8;
  const double* const of_rows = turned.data() + first;
  Index j = 0;
  for (; j + kTogether <= n; j += kTogether)
    add<kTogether>(of_rows + j * n, n, x.data() + j * nrhs, nrhs);
  for (; j < n; ++j) add<1>(of_rows + j * n, n, x.data() + j * nrhs, nrhs);
}

template <Index Rows>
void ColumnSums::add(const double* turned, Index n, const double* x, Index nrhs) {
  add_magnitudes<Rows>(turned, n, count_, row_.data());
  std::array<double, Rows> of_one;
  for (Index c = 0; c < nrhs; ++c) {
    for (Index j = 0; j < Rows; ++j) of_one[j] = x[j * nrhs + c];
    add_products(turned, n, count_, of_one, product_.data() + c * count_,
                 magnitude_.data() + c * count_);
  }
}

}  // namespace clgauss
