#pragma once
/// Least squares with a ridge and weights as a problem without.

#include <clgauss/least_squares.hpp>
#include <clgauss/matrix.hpp>
#include <vector>

namespace clgauss {

/// Throws UsageError for a ridge or a weight that is negative or not finite, DimensionError unless
/// there are `rows` weights, or none.
void require_ridge_and_weights(const LeastSquaresOptions& options, Index rows);

/// A* = (W^1/2 A; ridge^1/2 I) and b* = (W^1/2 b; 0), or, if A is wide, A* = (W^1/2 A, ridge^1/2 I)
/// and b* = W^1/2 b: of all (x; y) with A* (x; y) = b* the least one has the x with the least
/// ||W^1/2 (b - A x)||^2 / ridge + ||x||^2, as y = W^1/2 (b - A x) / ridge^1/2. The rows of A*, or,
/// if A is wide, its columns, are sorted from the one with the largest number down.
class RidgeAndWeights {
 public:
  /// About (m + n) min(m, n) numbers more than A has.
  RidgeAndWeights(const Matrix& a, const Matrix& b, const LeastSquaresOptions& options);

  [[nodiscard]] const Matrix& a() const { return a_; }
  [[nodiscard]] const Matrix& b() const { return b_; }
  /// x, of the answer to A* and b*.
  [[nodiscard]] Matrix x_of(const Matrix& answer) const;

 private:
  void sort_rows(const Matrix& f, double root);

  bool wide_;
  Index n_;
  std::vector<Index> order_;  // of A*'s rows or columns; the identity's come last in it
  Matrix a_, b_;
};

/// Fills in residual_norms and objective_norms.
void measure_objective(const Matrix& a, const Matrix& b, const LeastSquaresOptions& options,
                       LeastSquares& answer);

}  // namespace clgauss
