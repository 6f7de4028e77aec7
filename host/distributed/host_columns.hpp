#pragma once
/// A as the hosts of all ranks read its columns from where it comes, again and again. All ranks
/// make every call.

#include <clgauss/distributed.hpp>

#include "distributed/column_cut.hpp"
#include "matrix/exponents.hpp"

namespace clgauss {

class HostColumns {
 public:
  HostColumns(const Ranks& ranks, const ColumnSource& source, const ColumnCut& cut);

  /// Columns of this rank. Throws FileError.
  /// n-by-columns, row-major; until the next call of anything here.
  [[nodiscard]] std::span<double> read(Index first, Index columns) const;
  /// Notes their sizes. Throws ValueError for a number that is none.
  void measure(Index first, Index columns, std::span<const double> numbers);
  /// After every rank has noted all of its own.
  void add_up();

  /// Of A as it is.
  [[nodiscard]] MatrixSize size() const { return size_of(sizes_); }
  [[nodiscard]] Scaling scaling(RealType type, Equilibration equilibration) const;

  /// B - A X in f64, and |B| + |A| |X| at `magnitudes`, if that is asked for.
  [[nodiscard]] Matrix subtract_product(const Matrix& b, const Matrix& x, Matrix* magnitudes) const;
  /// What r = B - A X says of X; `scaled` for the unit roundoff eps.
  [[nodiscard]] Residual judge(const Matrix& b, const Matrix& x, const Matrix& r, double eps) const;

 private:
  [[nodiscard]] Exponents exponents(std::span<const int> rows, std::span<const int> columns) const;

  const Ranks& ranks_;
  const ColumnSource& source_;
  ColumnCut cut_;
  Sizes sizes_;
  std::vector<double> row_sums_;
  mutable std::vector<double> numbers_;  // read last
};

}  // namespace clgauss
