#pragma once
/// A as the hosts of all ranks read its columns, repeatedly, from its source. All ranks must make
/// every call.

#include <clgauss/distributed.hpp>

#include "distributed/column_cut.hpp"
#include "matrix/exponents.hpp"

namespace clgauss {

class HostColumns {
 public:
  HostColumns(const Ranks& ranks, const ColumnSource& source, const ColumnCut& cut);

  /// Reads columns of this rank: n-by-columns, row-major, valid until the next call of any member.
  /// Throws FileError.
  [[nodiscard]] std::span<double> read(Index first, Index columns) const;
  /// Records the magnitudes of these columns. Throws ValueError for NaN and Inf.
  void measure(Index first, Index columns, std::span<const double> numbers);
  /// Combines the ranks' measurements; call it after every rank has measured all of its columns.
  void add_up();

  /// The size of A without scaling.
  [[nodiscard]] MatrixSize size() const { return size_of(sizes_); }
  [[nodiscard]] Scaling scaling(RealType type, Equilibration equilibration) const;

  /// B - A X in f64. If `magnitudes` is not null, it receives |B| + |A| |X|.
  [[nodiscard]] Matrix subtract_product(const Matrix& b, const Matrix& x, Matrix* magnitudes) const;
  /// The residual of X, from r = B - A X; `scaled` refers to the unit roundoff eps.
  [[nodiscard]] Residual judge(const Matrix& b, const Matrix& x, const Matrix& r, double eps) const;

 private:
  [[nodiscard]] Exponents exponents(std::span<const int> rows, std::span<const int> columns) const;

  const Ranks& ranks_;
  const ColumnSource& source_;
  ColumnCut cut_;
  Sizes sizes_;
  std::vector<double> row_sums_;
  mutable std::vector<double> numbers_;  // columns of the last read()
};

}  // namespace clgauss
