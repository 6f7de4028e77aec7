#pragma once
/// Sums over the rows of a column-major A, for residuals.

#include <clgauss/matrix.hpp>
#include <span>

#include "linalg/refinement/row_sums.hpp"

namespace clgauss {

/// The sums for a few adjacent rows of A. They are computed together, so that A^T, as stored, is
/// read along its own rows.
class ColumnSums {
 public:
  /// The number of rows that pays with nrhs right-hand sides. The pieces read of each row of A^T
  /// are long enough to be prefetched, and the sums stay in a near cache.
  [[nodiscard]] static Index rows_at_once(Index nrhs);

  /// Computes the sums of rows first .. first + count of the n-by-n A. `turned` holds A^T; x is
  /// n-by-nrhs, row-major.
  ColumnSums(std::span<const double> turned, Index n, std::span<const double> x, Index nrhs,
             Index first, Index count);

  /// The sums of row first + i with column c of x.
  [[nodiscard]] RowSums of(Index i, Index c) const {
    return {product_[c * count_ + i], magnitude_[c * count_ + i], row_[i]};
  }

 private:
  template <Index Rows>
  void add(const double* turned, Index n, const double* x, Index nrhs);

  Index count_;
  Values product_, magnitude_, row_;  // nrhs x count; of |a| alone 1 x count
};

}  // namespace clgauss
