#pragma once
/// Sums over the rows of an A that lies by columns, as residuals need them.

#include <clgauss/matrix.hpp>
#include <span>

#include "linalg/refinement/row_sums.hpp"

namespace clgauss {

/// Of a few rows of A side by side, so that A^T, by which it lies, is read along its own rows.
class ColumnSums {
 public:
  /// Rows that are worth it, with so many right-hand sides: parts of a line of memory that are long
  /// enough to be fetched ahead, and sums that stay in a near cache.
  [[nodiscard]] static Index rows_at_once(Index nrhs);

  /// Of rows first .. first + count of A, n-by-n; `turned` holds A^T, x is n-by-nrhs, row-major.
  ColumnSums(std::span<const double> turned, Index n, std::span<const double> x, Index nrhs,
             Index first, Index count);

  /// Of row first + i and column c of x.
  [[nodiscard]] RowSums of(Index i, Index c) const {
    return {product_[c * count_ + i], magnitude_[c * count_ + i], row_[i]};
  }

 private:
  template <Index Rows>
  void add(const double* turned, Index n, const double* x, Index nrhs);

  Index count_;
  Values product_, magnitude_, row_;  // nrhs x count, of the rows alone 1 x count
};

}  // namespace clgauss
