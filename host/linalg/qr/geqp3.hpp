#pragma once
/// Rank-revealing QR with column exchanges, in host memory.

#include <clgauss/matrix.hpp>
#include <optional>
#include <span>
#include <vector>

namespace clgauss {

/// Estimates the largest and the smallest singular value of a triangle R that grows by one column
/// at a time, as LAPACK's laic1 does (Bischof 1990). The largest is estimated from below, the
/// smallest from above. For each it keeps x^T A, where A is what R's rows have in the columns that
/// may still be appended, and |x| = 1: a row of k numbers takes 6 k flops.
class ExtremeSingularValues {
 public:
  /// For `columns` columns that may be appended, none of which has a row yet.
  explicit ExtremeSingularValues(Index columns);

  /// Appends column j, whose element below R's rows is `diagonal`, and returns true if the
  /// triangle's smallest singular value is then above 0 and at least `tolerance` times the largest.
  /// Otherwise leaves the triangle unchanged.
  [[nodiscard]] bool append(Index j, double diagonal, double tolerance);
  /// The row that the column appended last adds: `row`[j - first] in column j >= first. The columns
  /// before `first` must not be appended any more.
  void add_row(Index first, const double* row);
  void swap_columns(Index first, Index second);
  [[nodiscard]] double largest() const { return largest_.value; }
  [[nodiscard]] double smallest() const { return smallest_.value; }

 private:
  struct Estimate {
    double value = 0;              // the length of x^T R
    double of_x = 0, of_last = 1;  // x is of_x times what it was, and then of_last
    std::vector<double> products;  // x^T A
  };
  bool is_empty_ = true;
  Estimate largest_, smallest_;
};

/// A P = Q R of an m-by-n A by Householder reflections, in blocks of columns. The longest remaining
/// column comes next (LAPACK's geqp3, Quintana-Orti, Sun and Bischof 1998). It stops at the rank:
/// the largest k for which the leading k columns of R have no estimated singular value below
/// `tolerance` times the largest (as in gelsy). R omits what the other columns have below row k.
///
/// 2 rank (2 m n - rank (m + n) + 2/3 rank^2) flops in f64, on all cores. A must be finite, and the
/// squares of its numbers and their sums must be in range.
class Geqp3 {
 public:
  Geqp3(const Matrix& a, double tolerance);

  /// QR of an upper triangle R without full rank. Returns nothing if R has full rank: if neither
  /// the estimates for its columns in their order nor some steps of inverse iteration find a
  /// singular value below the tolerance times the largest.
  ///
  /// If the rank is clear, columns are not exchanged by length: they keep their order, except that
  /// those that depend on earlier ones come last. The rank is clear if the columns taken have full
  /// rank, by the same test, no estimated singular value below `clear` times the tolerance times
  /// their largest, and the
  /// Frobenius norm of what R omits is at most 1 / 16 of the tolerance times the largest and of the
  /// smallest singular value. That norm bounds the singular values that count as 0. Up to 2 d n^2
  /// flops for d such columns, none if they are the last ones.
  ///
  /// If it is not clear, columns taken are exchanged with others in which they have a large part,
  /// until no part is above 8 (Gu and Eisenstat 1996): d n^2 flops, and 2 d n each exchange. In
  /// this order the rank is clear if the columns taken have full rank, and R omits at most the
  /// tolerance times the largest and 1 / 16 of the smallest singular value; `clear` does not count,
  /// because no other columns have a much larger one. Otherwise as Geqp3(r, tolerance).
  [[nodiscard]] static std::optional<Geqp3> of_triangle(const Matrix& r, double tolerance,
                                                        double clear = 1);

  [[nodiscard]] Index rank() const { return taus_.size(); }
  /// Column order()[j] of A is column j of A P.
  [[nodiscard]] std::span<const Index> order() const { return order_; }
  /// Row i of R from its diagonal on, i < rank().
  [[nodiscard]] std::span<const double> row(Index i) const { return a_.row(i).subspan(i, n_ - i); }
  /// C <- Q C or Q^T C, for a C with m rows.
  void apply(Matrix& c, bool transposed) const;

 private:
  /// A P with the columns in `order`, none of them taken. start() is for another order.
  Geqp3(const Matrix& a, std::vector<Index> order);
  void start(const Matrix& a, std::vector<Index> order);
  void take_longest_columns(double tolerance);
  void take_columns_in_order(double tolerance, Index first);
  [[nodiscard]] bool is_clear(double most, double tolerance) const;
  [[nodiscard]] std::vector<Index> better_order() const;
  void measure_columns();
  void swap_columns(Index first, Index second);
  void exchange(Index first);
  void reflect(Index k, Index end);
  void reflect_rest(Index k);
  [[nodiscard]] bool update_row(Index first, Index k);
  void update_rest(Index first);

  Index m_, n_;
  // Rows are host_ld<double>(n) apart.
  Matrix a_;  // R; below it the reflections' v without their 1
  Matrix f_;  // the rest of A is A - V F, until V of the block is applied
  std::vector<double> taus_;
  std::vector<Index> ends_;  // of the rows that a reflection changes
  std::vector<Index> order_;
  std::vector<double> norms_, measured_;  // of columns below R; when last summed
  ExtremeSingularValues extremes_;
};

}  // namespace clgauss
