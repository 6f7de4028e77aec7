#pragma once
/// Scales a system and its solution without rounding.

#include <clgauss/matrix.hpp>
#include <vector>

namespace clgauss {

/// A' = R A C, B' = R B S and X' = C^-1 X S, with powers of two. If the rows and columns of A are
/// far from 1, these bring A', and X' with it, near 1. If a number would be rounded, all powers are
/// 1.
class ExactScaling {
 public:
  /// `system` must outlive it.
  ExactScaling(const System& system, const Matrix& answer);

  /// Whether A, B and X have neither NaN nor Inf. If not, nothing else is valid.
  [[nodiscard]] bool finite() const { return finite_; }
  [[nodiscard]] Index n() const { return system_.a.rows(); }
  [[nodiscard]] Index nrhs() const { return system_.b.cols(); }
  [[nodiscard]] const Matrix& a() const { return system_.a; }  // unscaled
  [[nodiscard]] const Matrix& x() const { return x_; }         // X', transposed
  [[nodiscard]] const Matrix& b() const { return b_; }         // B', transposed
  /// Exponents of R and C; empty: all 0.
  [[nodiscard]] const std::vector<int>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<int>& columns() const { return columns_; }
  /// The exponent of X(i, c) / X'(c, i).
  [[nodiscard]] int back(Index i, Index c) const { return column(i) - right_hand_sides_[c]; }

  /// B' - A' X' of one row and right-hand side, computed in twice the precision.
  [[nodiscard]] double residual(Index i, Index c) const;
  /// A' times a vector of +-1, in f64.
  [[nodiscard]] std::vector<double> times(const std::vector<double>& signs) const;

 private:
  [[nodiscard]] int row(Index i) const { return rows_.empty() ? 0 : rows_[i]; }
  [[nodiscard]] int column(Index j) const { return columns_.empty() ? 0 : columns_[j]; }
  void choose();
  bool take(const Matrix& answer);

  const System& system_;
  std::vector<int> rows_, columns_, right_hand_sides_;
  Matrix x_, b_;
  bool finite_ = true;
};

}  // namespace clgauss
