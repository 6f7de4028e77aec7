#pragma once
/// The least solution of a full-rank system that is triangular but for some more columns, in host
/// memory.

#include <clgauss/matrix.hpp>
#include <vector>

namespace clgauss {

/// W = (T, 0) Z of an r-by-k W, r <= k, whose first r columns are upper triangular, by
/// Householder's reflections from the last row up (LAPACK's tzrzf): T is upper triangular, Z
/// orthogonal. 2 r^2 (k - r) flops in f64, by all cores. The squares of W's numbers, and their
/// sums, are in range.
class Tzrzf {
 public:
  explicit Tzrzf(const Matrix& w);

  /// The least X with W X = B, for each column: Z^T (T^-1 B; 0), k-by-columns.
  [[nodiscard]] Matrix least_solution(const Matrix& b) const;
  /// The Y with the least ||B - W^T Y||, for each column: T^-T of the first r rows of Z B.
  [[nodiscard]] Matrix transposed_fit(Matrix b) const;

 private:
  void reflect_rows(Index first, Index last, Index from, Index to);
  void make_reflection(Index i);
  void reflect(Index i, Matrix& x) const;

  Index r_, k_;
  Matrix t_;     // r-by-r
  Matrix tail_;  // reflection i is I - tau v v^T; v is 1 in row i and row i of this from row r on
  std::vector<double> taus_;
};

}  // namespace clgauss
