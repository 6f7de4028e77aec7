#pragma once
/// QR with column exchanges in host memory, as far as the rank goes.

#include <clgauss/matrix.hpp>
#include <span>
#include <vector>

namespace clgauss {

/// The largest and the smallest singular value of a triangle that grows by a column at a time, as
/// LAPACK's laic1 estimates them (Bischof 1990): the largest from below, the smallest from above,
/// k flops for k numbers of a column each.
class ExtremeSingularValues {
 public:
  /// Whether the smallest of the triangle with the column (above, diagonal) is above 0 and not
  /// below `tolerance` times the largest. If not, the triangle stays without it.
  [[nodiscard]] bool append(std::span<const double> above, double diagonal, double tolerance);
  [[nodiscard]] double largest() const { return largest_.value; }

 private:
  struct Estimate {
    double value = 0;
    std::vector<double> vector;  // of length 1: its product with the triangle is as long as `value`
  };
  Estimate largest_, smallest_;
};

/// A P = Q R of an m-by-n A by Householder's reflections, by blocks of columns, with the longest
/// column that is left next (LAPACK's geqp3, Quintana-Orti, Sun and Bischof 1998). It ends at the
/// rank: the largest k for which the leading k columns of R have no singular value, as estimated,
/// below `tolerance` times the largest (gelsy). What the other columns have below is left out of R.
///
/// 2 rank (2 m n - rank (m + n) + 2/3 rank^2) flops in f64, by all cores. A holds finite numbers,
/// the squares of which, and their sums, are in range.
class Geqp3 {
 public:
  Geqp3(const Matrix& a, double tolerance);

  /// Of an upper triangle R, without exchanges by length where its rank is clear: columns keep
  /// their order, but those that depend on the ones before them come last. It is clear if there are
  /// such, the columns taken have no singular value, as estimated, below 1000 times the tolerance,
  /// and the Frobenius norm of what is left out of R is not above the tolerance times the largest:
  /// that norm bounds the singular values that count as 0. Up to 2 d n^2 flops for d such columns,
  /// none for the last ones. Else the same as Geqp3(r, tolerance).
  [[nodiscard]] static Geqp3 of_triangle(const Matrix& r, double tolerance);

  [[nodiscard]] Index rank() const { return taus_.size(); }
  /// order()[j] is the column of A that is column j of A P.
  [[nodiscard]] std::span<const Index> order() const { return order_; }
  /// R, i < rank().
  [[nodiscard]] double r(Index i, Index j) const { return i <= j ? a_(i, j) : 0; }
  /// C <- Q C, or Q^T C, of a C with m rows.
  void apply(Matrix& c, bool transposed) const;

 private:
  explicit Geqp3(const Matrix& a);
  void take_longest_columns(double tolerance);
  [[nodiscard]] bool take_columns_in_order(double tolerance);
  void measure_columns();
  void swap_columns(Index first, Index second);
  void exchange(Index first);
  [[nodiscard]] double reflect(Index k);
  void reflect_rest(Index k, Index end, double tau);
  [[nodiscard]] bool update_row(Index first, double tau);
  void update_rest(Index first);

  Index m_, n_;
  // Rows are host_ld(n) apart.
  Matrix a_;  // R above, below it the reflections, whose first number is 1
  Matrix f_;  // the block's V is not yet applied to the rest of A, which is A - V F
  std::vector<double> taus_;
  std::vector<Index> order_;
  std::vector<double> norms_, measured_;  // of columns below R; when they were last summed up
  ExtremeSingularValues extremes_;
};

}  // namespace clgauss
