#pragma once
/// The least-norm solution of a full-rank system that is upper trapezoidal, in host memory.

#include <clgauss/matrix.hpp>

namespace clgauss {

/// W = (T, 0) Z for an r-by-k W, r <= k, whose first r columns are upper triangular. Uses
/// Householder reflections from the last row up, applied to the rows above in blocks (LAPACK's
/// tzrzf). T is upper triangular, Z orthogonal. 2 r^2 (k - r) flops in f64, on all cores. The
/// squares of W's numbers and their sums must be in range.
class Tzrzf {
 public:
  /// What `w` has left of its diagonal does not count.
  explicit Tzrzf(Matrix w);

  /// The least X with W X = B, column by column: Z^T (T^-1 B; 0), k-by-columns. Of B only the first
  /// r rows count.
  [[nodiscard]] Matrix least_solution(const Matrix& b) const;
  /// The Y that minimizes ||B - W^T Y||, column by column: T^-T times the first r rows of Z B.
  [[nodiscard]] Matrix transposed_fit(const Matrix& b) const;

 private:
  struct Block;
  [[nodiscard]] Block block_at(Index first) const;
  void make_reflections(Index first, Index last);
  void make_reflection(Index i, double& tau);
  void make_factor(const Block& block);
  void reflect_rows_above(const Block& block);
  void reflect(Index first, bool transposed, Matrix& x) const;

  Index r_, k_;
  Matrix w_;        // T
  Matrix tails_;    // columns r .. k - 1 of the reflections' v, each 1 in element i, too
  Matrix factors_;  // the factors S of the blocks, one below the other
};

}  // namespace clgauss
