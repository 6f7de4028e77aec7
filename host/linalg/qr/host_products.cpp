#include "linalg/qr/host_products.hpp"

#include <algorithm>
#include <cmath>

#include "matrix/max_or_nan.hpp"
#include "matrix/row_passes.hpp"
#include "parallel.hpp"

namespace clgauss {

Matrix transposed_in_parallel(const Matrix& a) {
  constexpr Index kTile = 16;
  Matrix turned(a.cols(), a.rows());
  in_parallel(a.cols(), kElementsPerThread / a.rows() + kTile, [&](Index first, Index last) {
    for (Index i = 0; i < a.rows(); i += kTile)
      for (Index j = first; j < last; ++j)
        for (Index k = i; k < std::min(i + kTile, a.rows()); ++k) turned(j, k) = a(k, j);
  });
  return turned;
}

namespace {

constexpr Index kColumnsOfStrip = 8;  // columns that stay together, the numbers of a cache line

/// Cores share the columns of A, so that each sum has the same order with any number of them.
Matrix transposed_product(const Matrix& a, const Matrix& x) {
  Matrix y(a.cols(), x.cols());
  const Index strips = (a.cols() + kColumnsOfStrip - 1) / kColumnsOfStrip;
  in_parallel(strips, kElementsPerThread / (kColumnsOfStrip * std::max<Index>(a.rows(), 1)) + 1,
              [&](Index first, Index last) {
                const Index begin = first * kColumnsOfStrip,
                            count = std::min(last * kColumnsOfStrip, a.cols()) - begin;
                for (Index c = 0; c < x.cols(); ++c) {
                  Values sums(count, 0.0);
                  for (Index i = 0; i < a.rows(); ++i) {
                    const double* const row = a.row(i).data() + begin;
                    const double by = x(i, c);
                    for (Index j = 0; j < count; ++j) sums[j] += row[j] * by;
                  }
                  for (Index j = 0; j < count; ++j) y(begin + j, c) = sums[j];
                }
              });
  return y;
}

}  // namespace

Matrix product(const Matrix& a, const Matrix& x, bool transpose) {
  if (transpose) return transposed_product(a, x);
  Matrix y(a.rows(), x.cols());
  in_parallel(a.rows(), kElementsPerThread / std::max<Index>(a.cols(), 1) + 1,
              [&](Index first, Index last) {
                Values column(a.cols());
                for (Index c = 0; c < x.cols(); ++c) {
                  for (Index j = 0; j < a.cols(); ++j) column[j] = x(j, c);
                  for (Index i = first; i < last; ++i) {
                    const double* const row = a.row(i).data();
                    double sums[8] = {};  // independent, to be vectorized
                    Index j = 0;
                    for (; j + 8 <= a.cols(); j += 8)
                      for (Index k = 0; k < 8; ++k) sums[k] += row[j + k] * column[j + k];
                    for (; j < a.cols(); ++j) sums[0] += row[j] * column[j];
                    y(i, c) = ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
                              ((sums[2] + sums[6]) + (sums[3] + sums[7]));
                  }
                }
              });
  return y;
}

void subtract(Matrix& from, const Matrix& what) {
  for (Index i = 0; i < from.values().size(); ++i) from.values()[i] -= what.values()[i];
}

double largest_in_column(const Matrix& x, Index c) {
  double largest = 0;
  for (Index i = 0; i < x.rows(); ++i) largest = max_or_nan(largest, std::abs(x(i, c)));
  return largest;
}

double norm2_of_column(const Matrix& x, Index c) {
  const double largest = largest_in_column(x, c);
  if (!(largest > 0) || !std::isfinite(largest)) return largest;
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) sum += (x(i, c) / largest) * (x(i, c) / largest);
  return largest * std::sqrt(sum);
}

double norm_inf_of(const Matrix& a) {
  std::vector<double> sums(a.rows());
  in_parallel(a.rows(), kElementsPerThread / std::max<Index>(a.cols(), 1) + 1,
              [&](Index first, Index last) {
                for (Index i = first; i < last; ++i) sums[i] = size_of_row(a.row(i)).sum;
              });
  double largest = 0;
  for (const double sum : sums) largest = max_or_nan(largest, sum);
  return largest;
}

}  // namespace clgauss
