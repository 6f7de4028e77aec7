#pragma once
/// The parts of a complex LU that are not matrix products: panels, row exchanges and triangular
/// solves; cl/complex/complex_lu.cl.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// COLUMNS of a panel and BLOCK, the columns that update the rest together, are parameters of this
/// variant, counted in complex numbers.
[[nodiscard]] const KernelVariant& complex_lu_variant();

/// Builds the matrix that replaces B in products of complex numbers; see linalg/lu/updates.cpp.
[[nodiscard]] const KernelVariant& complex_pairs_variant();
/// KernelVariant::ask of complex_pairs_variant(), and of the other kernels that a complex LU on a
/// GPU uses; see linalg/complex/complex_lu.cpp.
void ask_complex_blocks(Context& context, RealType type);

[[nodiscard]] Parameters usual_complex_lu_parameters(const Setting& setting);

/// Whether its kernels, built with these or the usual parameters, passed their self-test, a whole
/// LU; see linalg/complex/complex_lu.cpp.
[[nodiscard]] bool complex_lu_works(Context& context, RealType type);
[[nodiscard]] bool complex_lu_works(Context& context, RealType type, const Parameters& parameters);

/// A complex matrix is stored as a real one with twice as many columns, where each number's
/// imaginary part follows its real part. Views, leading dimensions and columns are therefore
/// counted in REALs. The columns are padded with zeros to whole panels.
class ComplexLuKernels {
 public:
  /// For matrices of `n` rows and up to `columns` columns of REALs.
  ComplexLuKernels(KernelMemo& kernels, Index n, Index columns, const Parameters& parameters);

  /// Bytes of the buffers for these sizes.
  [[nodiscard]] static std::uint64_t bytes(RealType type, Index n, Index columns,
                                           const Parameters& parameters);

  /// The most columns of a panel, and the columns that update the rest together, in complex
  /// numbers.
  [[nodiscard]] cl_uint panel_columns() const { return panel_columns_; }
  [[nodiscard]] cl_uint block() const { return block_; }

  /// Clears the exchanges and the failed column.
  void reset(const cl::CommandQueue& queue) const;

  /// A = P^T L U for the rows x columns panel at `a`, whose first row is row `top` of the matrix.
  /// columns <= panel_columns() and columns <= rows.
  void factor_panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint rows,
                    cl_uint columns, cl_uint top);

  /// Applies the exchanges of rows first .. first + count - 1 to `columns` columns of REALs at `a`,
  /// whose row 0 is that of the matrix.
  void exchange(const cl::CommandQueue& queue, const MatrixView& a, Index columns, cl_uint first,
                cl_uint count);

  /// B <- L^-1 B or U^-1 B for `count` <= block() rows; the triangle and B are in one buffer. It
  /// also fills w(), with twice as many rows, which replaces B in the following product.
  void solve(const cl::CommandQueue& queue, bool upper, const MatrixView& triangle,
             const MatrixView& b, Index columns, cl_uint count);
  [[nodiscard]] const MatrixView& w() const { return w_; }

  /// For each row k, the row that it was exchanged with, as cl_uint.
  [[nodiscard]] const cl::Buffer& pivots() const { return pivots_; }
  /// The first column whose pivot is unusable, as cl_int; larger than any column if there is none.
  [[nodiscard]] const cl::Buffer& info() const { return info_; }
  /// The first column whose pivot is 0 or not finite, or that other kernels recorded in info().
  /// Waits.
  [[nodiscard]] std::optional<Index> failed_column(const cl::CommandQueue& queue, Index n) const;

 private:
  Kernel& kernel(const char* name);
  void enqueue_strips(const cl::CommandQueue& queue, const Kernel& kernel, Index columns) const;

  KernelMemo& kernels_;
  Parameters parameters_;
  cl_uint panel_columns_, block_, width_, group_;
  bool in_one_launch_;
  MatrixView w_;
  cl::Buffer panels_[2], sizes_, best_rows_, pivots_, info_;
};

}  // namespace clgauss
