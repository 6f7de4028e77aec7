#pragma once
/// What of an LU of complex numbers is no product: panels, row exchanges and triangular solves;
/// cl/complex/complex_lu.cl.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// COLUMNS of a panel and BLOCK, those that are updated with together, are this variant's; both are
/// counted in complex numbers.
[[nodiscard]] const KernelVariant& complex_lu_variant();

/// What stands in place of B in products of complex numbers; linalg/lu/updates.cpp.
[[nodiscard]] const KernelVariant& complex_pairs_variant();
/// KernelVariant::ask of it, and of the other kernels that a complex LU on a GPU takes;
/// linalg/complex/complex_lu.cpp.
void ask_complex_blocks(Context& context, RealType type);

[[nodiscard]] Parameters usual_complex_lu_parameters(const Setting& setting);

/// Whether its kernels, built with these parameters or the usual ones, passed their self-test, a
/// whole LU with them; linalg/complex/complex_lu.cpp.
[[nodiscard]] bool complex_lu_works(Context& context, RealType type);
[[nodiscard]] bool complex_lu_works(Context& context, RealType type, const Parameters& parameters);

/// A matrix of complex numbers is the real one of twice as many columns, in which each number's
/// imaginary part follows its real part: so views, leading dimensions and columns are counted in
/// REALs. Columns are whole panels, with zeros where there is nothing.
class ComplexLuKernels {
 public:
  /// For matrices of `n` rows and up to `columns` columns of REALs.
  ComplexLuKernels(KernelMemo& kernels, Index n, Index columns, const Parameters& parameters);

  /// Bytes of its buffers.
  [[nodiscard]] static std::uint64_t bytes(RealType type, Index n, Index columns,
                                           const Parameters& parameters);

  /// Complex numbers of a row of a panel at most, and of the blocks that are updated with.
  [[nodiscard]] cl_uint panel_columns() const { return panel_columns_; }
  [[nodiscard]] cl_uint block() const { return block_; }

  /// Forgets the exchanges and the failed column.
  void reset(const cl::CommandQueue& queue) const;

  /// A = P^T L U of the rows x columns panel at `a`, whose first row is row `top` of the matrix;
  /// columns <= panel_columns(), rows.
  void factor_panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint rows,
                    cl_uint columns, cl_uint top);

  /// The exchanges of rows first .. first + count - 1 in `columns` columns of REALs at `a`, whose
  /// row 0 is that of the matrix.
  void exchange(const cl::CommandQueue& queue, const MatrixView& a, Index columns, cl_uint first,
                cl_uint count);

  /// B <- L^-1 B or U^-1 B for `count` <= block() rows, where the triangle and B lie in one buffer;
  /// W, of twice as many rows, is then what a product takes in place of B.
  void solve(const cl::CommandQueue& queue, bool upper, const MatrixView& triangle,
             const MatrixView& b, Index columns, cl_uint count);
  [[nodiscard]] const MatrixView& w() const { return w_; }

  /// Row that was exchanged with row k, as cl_uint.
  [[nodiscard]] const cl::Buffer& pivots() const { return pivots_; }
  /// Number of the first column whose pivot will not do, as cl_int; above all where there is none.
  [[nodiscard]] const cl::Buffer& info() const { return info_; }
  /// The first column whose pivot is 0 or not finite, or which others noted in info(). Waits.
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
