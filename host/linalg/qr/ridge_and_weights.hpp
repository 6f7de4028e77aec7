#pragma once
/// Turns least squares with a ridge and weights into a problem without them.

#include <clgauss/least_squares.hpp>
#include <clgauss/matrix.hpp>
#include <vector>

namespace clgauss {

/// Throws UsageError if the ridge or a weight is negative or not finite, DimensionError unless
/// there are `rows` weights or none.
void require_ridge_and_weights(const LeastSquaresOptions& options, Index rows);

/// For a tall A: A* = (W^1/2 A; ridge^1/2 I) and b* = (W^1/2 b; 0). For a wide A:
/// A* = (W^1/2 A, ridge^1/2 I) and b* = W^1/2 b. Then y = W^1/2 (b - A x) / ridge^1/2, so the least
/// (x; y) with A* (x; y) = b* has the x that minimizes ||W^1/2 (b - A x)||^2 / ridge + ||x||^2. The
/// rows of A*, or its columns if A is wide, are sorted by their largest number, descending.
class RidgeAndWeights {
 public:
  /// Needs about (m + n) min(m, n) numbers more than A.
  RidgeAndWeights(const Matrix& a, const Matrix& b, const LeastSquaresOptions& options);

  [[nodiscard]] const Matrix& a() const { return a_; }
  [[nodiscard]] const Matrix& b() const { return b_; }
  /// The x in `answer`, the solution for A* and b*.
  [[nodiscard]] Matrix x_of(const Matrix& answer) const;

 private:
  void sort_rows(const Matrix& f, double root);

  bool wide_;
  Index n_;
  std::vector<Index> order_;  // of A*'s rows or columns; indices of the identity's come after A's
  Matrix a_, b_;
};

/// Fills in residual_norms and objective_norms.
void measure_objective(const Matrix& a, const Matrix& b, const LeastSquaresOptions& options,
                       LeastSquares& answer);

}  // namespace clgauss
