#pragma once
/// Solves with the L and U of a matrix in host memory by the host's cores: what a few right-hand
/// sides take is to read the factors, and a device would have to be sent them first.

#include <clgauss/matrix.hpp>
#include <span>

namespace clgauss {

/// The n-by-n L\U of M = L U as its lines lie, number j of line i at numbers[i * step + j]: by rows
/// where the diagonal of the lower triangle is 1 and not stored, and where that of the upper
/// triangle is, by columns, as M^T. What is computed with them is in f64.
template <typename Real>
struct HostTriangles {
  const Real* numbers = nullptr;
  Index n = 0, step = 0;
  bool is_unit_lower = true;  // else the upper one is

  /// M^-1 B, or M^-T B, for an n-by-k B; not finite where the numbers leave the range of f64.
  [[nodiscard]] Matrix solve(const Matrix& b, bool transposed) const;
};

/// The loops with one kind of vectors. X has two columns of numbers that lie together, the second
/// `next` behind the first.
template <typename Real>
struct HostTriangleLoops {
  const char* name;
  bool (*runs_here)();  // whether this processor has its vectors

  /// y_i <- y_i - sum of t_ij x_j, for `rows` rows and `columns` columns of T, `step` apart.
  void (*subtract_dots)(Index rows, Index columns, const Real* t, Index step, const double* x,
                        double* y, Index next);
  /// y_j <- y_j - sum of t_ij x_i.
  void (*subtract_rows)(Index rows, Index columns, const Real* t, Index step, const double* x,
                        double* y, Index next);
};

/// All of them, the widest first; the last runs everywhere.
template <typename Real>
[[nodiscard]] std::span<const HostTriangleLoops<Real>> all_host_triangle_loops();

}  // namespace clgauss
