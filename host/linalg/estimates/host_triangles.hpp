#pragma once
/// Solves with the L and U of a real or complex matrix in host memory, on the host's cores. With a
/// few right-hand sides the cost is reading the factors, and a device would need them uploaded
/// first.

#include <clgauss/matrix.hpp>
#include <complex>
#include <initializer_list>
#include <span>

namespace clgauss {

/// The n-by-n L\U of M = L U. Element j of line i is numbers[i * step + j]. The lines are rows if
/// the diagonal of L is 1 and not stored. They are columns, so the matrix is M^T, if the diagonal
/// of U is 1. Computes in f64. Of complex numbers, rows 2 i and 2 i + 1 of right-hand sides and
/// answers hold the parts of row i.
template <typename Number>
struct HostTriangles {
  const Number* numbers = nullptr;
  Index n = 0, step = 0;
  bool is_unit_lower = true;  // otherwise U is

  /// M^-1 B or M^-T B, for an n-by-k B. Not finite if numbers leave the range of f64. 2 n^2 k
  /// flops, four times as many with complex numbers.
  [[nodiscard]] Matrix solve(const Matrix& b, bool transposed) const;
  /// The same with U alone, U^-1 B or U^-T B; the lines are rows.
  [[nodiscard]] Matrix solve_upper(const Matrix& b, bool transposed) const;

 private:
  [[nodiscard]] Matrix solve_by(std::initializer_list<bool> uppers, const Matrix& b,
                                bool transposed) const;
};

/// The loops for one kind of vectors. The two columns of X are contiguous, the second one `next`
/// numbers after the first.
template <typename Real>
struct HostTriangleLoops {
  const char* name;
  bool (*runs_here)();  // whether this processor has the vectors

  /// y_i <- y_i - sum_j t_ij x_j, for `rows` rows of T, `step` apart, and `columns` columns.
  void (*subtract_dots)(Index rows, Index columns, const Real* t, Index step, const double* x,
                        double* y, Index next);
  /// y_j <- y_j - sum_i t_ij x_i.
  void (*subtract_rows)(Index rows, Index columns, const Real* t, Index step, const double* x,
                        double* y, Index next);
};

/// All loops, the widest vectors first. The last entry runs everywhere.
template <typename Real>
[[nodiscard]] std::span<const HostTriangleLoops<Real>> all_host_triangle_loops();

}  // namespace clgauss
