#include "linalg/refinement/residual_block.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/refinement/row_sums.hpp"
#include "vectors.hpp"

namespace clgauss {

namespace {

constexpr Index kDepth = 128;     // products in one sum
constexpr Index kRowsOfTile = 4;  // whose sums are in registers

/// Columns of the sums in registers: those of d take as much room as those of r.
template <typename V, bool kSizes>
constexpr Index kWidth = (kSizes ? 1 : 2) * V::kLanes;

/// Sums over `depth` columns for kRows rows of A and kWidth columns of x, which lie in `near`.
template <typename V, bool kSizes, Index kRows>
CLGAUSS_INLINE void add_tile(const double* a, const StridedRows& all, Index depth,
                             const double* near, Index columns, double* r, double* d, Index ld) {
  constexpr Index kVectors = kWidth<V, kSizes> / V::kLanes;
  typename V::Numbers sums[kRows][kVectors] = {}, sizes[kRows][kVectors] = {};
  const typename V::Numbers zero = {};
  for (Index k = 0; k < depth; ++k)
    for (Index v = 0; v < kVectors; ++v) {
      const typename V::Numbers x = at<V>(near + k * kWidth<V, kSizes> + v * V::kLanes);
      const typename V::Numbers negative = zero - x, size = x < zero ? negative : x;
      for (Index i = 0; i < kRows; ++i) {
        const double number = a[i * all.row_step + k * all.column_step];
        sums[i][v] += number * x;
        if constexpr (kSizes) sizes[i][v] += std::abs(number) * size;
      }
    }
  double product[kWidth<V, kSizes>], magnitude[kWidth<V, kSizes>];
  for (Index i = 0; i < kRows; ++i) {
    for (Index v = 0; v < kVectors; ++v) {
      at<V>(product + v * V::kLanes) = sums[i][v];
      if constexpr (kSizes) at<V>(magnitude + v * V::kLanes) = sizes[i][v];
    }
    for (Index c = 0; c < columns; ++c) {
      r[i * ld + c] -= product[c];
      if constexpr (kSizes) d[i * ld + c] += magnitude[c];
    }
  }
}

/// add_tile() for the rows `top` .. `end` and all numbers in one row of strips of x.
template <typename V, bool kSizes>
CLGAUSS_INLINE void add_strip(const StridedRows& a, Index top, Index end, Index k, Index depth,
                              const double* near, Index columns, double* r, double* d, Index ld) {
  const double* const of_a = a.numbers + k * a.column_step;
  Index i = top;
  for (; i + kRowsOfTile <= end; i += kRowsOfTile)
    add_tile<V, kSizes, kRowsOfTile>(of_a + i * a.row_step, a, depth, near, columns, r + i * ld,
                                     d + (kSizes ? i * ld : 0), ld);
  for (; i < end; ++i)
    add_tile<V, kSizes, 1>(of_a + i * a.row_step, a, depth, near, columns, r + i * ld,
                           d + (kSizes ? i * ld : 0), ld);
}

template <typename V, bool kSizes>
CLGAUSS_INLINE void add_products_in(const StridedRows& a, const double* x, Index nrhs, double* r,
                                    double* d) {
  constexpr Index kColumns = kWidth<V, kSizes>, kStrips = 64 / kColumns;
  double near[kStrips][kDepth * kColumns];  // x's rows lie on as many pages
  for (Index top = 0; top < a.rows; top += kResidualRows)
    for (Index k = 0; k < a.n; k += kDepth) {
      const Index end = std::min(top + kResidualRows, a.rows), depth = std::min(kDepth, a.n - k);
      for (Index j = 0; j < nrhs; j += kStrips * kColumns) {
        const Index strips = std::min(kStrips, (nrhs - j + kColumns - 1) / kColumns);
        for (Index q = 0; q < depth; ++q)
          for (Index s = 0; s < strips; ++s)
            for (Index c = 0; c < kColumns; ++c) {
              const Index column = j + s * kColumns + c;
              near[s][q * kColumns + c] = column < nrhs ? x[(k + q) * nrhs + column] : 0;
            }
        for (Index s = 0; s < strips; ++s) {
          const Index first = j + s * kColumns;
          add_strip<V, kSizes>(a, top, end, k, depth, near[s], std::min(kColumns, nrhs - first),
                               r + first, d + (kSizes ? first : 0), nrhs);
        }
      }
    }
}

// The function for one width of vectors and one kind of processor.
#define CLGAUSS_RESIDUAL_KERNELS(NAME, LANES, TARGET, RUNS_HERE)                                \
  TARGET void add_products_##NAME(const StridedRows& a, const double* x, Index nrhs, double* r, \
                                  double* d) {                                                  \
    if (d == nullptr)                                                                           \
      add_products_in<Vectors<LANES>, false>(a, x, nrhs, r, d);                                 \
    else                                                                                        \
      add_products_in<Vectors<LANES>, true>(a, x, nrhs, r, d);                                  \
  }

CLGAUSS_EACH_WIDTH(CLGAUSS_RESIDUAL_KERNELS)

#define CLGAUSS_RESIDUAL_KERNELS_ROW(NAME, LANES, TARGET, RUNS_HERE) \
  {#NAME, &RUNS_HERE, &add_products_##NAME},
constexpr ResidualKernels kAllResidualKernels[] = {
    CLGAUSS_EACH_WIDTH(CLGAUSS_RESIDUAL_KERNELS_ROW)};

}  // namespace

std::span<const ResidualKernels> all_residual_kernels() { return kAllResidualKernels; }

void add_products(const StridedRows& a, const double* x, Index nrhs, double* r, double* d) {
  static const ResidualKernels& chosen = first_that_runs_here(kAllResidualKernels);
  chosen.add_products(a, x, nrhs, r, d);
}

void residual_of_rows(const StridedRows& a, std::span<const double> b, const double* x, Index nrhs,
                      double* r, double* d) {
  std::ranges::copy(b, r);
  if (d != nullptr) std::ranges::transform(b, d, [](double number) { return std::abs(number); });
  add_products(a, x, nrhs, r, d);
}

Values row_sums(const StridedRows& a) {
  Values sums(a.rows, 0.0);
  if (a.column_step == 1)
    for (Index i = 0; i < a.rows; ++i) {
      const double* const row = a.numbers + i * a.row_step;
      sums[i] = sums_of_row({row, a.n}, row).row;
    }
  else
    for (Index j = 0; j < a.n; ++j)
      for (Index i = 0; i < a.rows; ++i)
        sums[i] += std::abs(a.numbers[i * a.row_step + j * a.column_step]);
  return sums;
}

}  // namespace clgauss
