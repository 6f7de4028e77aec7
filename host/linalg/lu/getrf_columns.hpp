#pragma once
/// The steps, on one device, of an LU with partial pivoting whose matrix is stored in blocks of
/// columns. Row exchanges are applied only to the blocks on the right. A factored block stays as it
/// is; a solve applies each block's exchanges when it reaches the block.

#include <clgauss/context.hpp>
#include <clgauss/lab/variant.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <cstdint>
#include <memory>

namespace clgauss {

/// The update kernels for CPUs, in cl/lu/lu_columns_cpu.cl.
[[nodiscard]] const KernelVariant& lu_columns_cpu_variant();

/// A block from its first diagonal element down: rows x columns, rows >= columns.
struct ColumnBlock {
  MatrixView view;
  cl_uint rows, columns;
};

/// A factored block. Element j of `pivots` is the row exchanged with row j, both counted from the
/// block's first row. The numbers of PanelOutcome follow.
struct FactoredBlock {
  ColumnBlock block;
  cl::Buffer pivots;
  std::uint64_t version;  // changes whenever the contents change
};

/// The numbers behind a block's pivots.
struct PanelOutcome {
  static constexpr cl_uint kCount = 2;
  cl_int first_bad_pivot;  // column of the block; its width or more: none
  cl_int gave_up;          // nonzero: a work-group waited in vain for another
};

/// Enqueues the steps on the context's queue. No step waits.
class ColumnSteps {
 public:
  ColumnSteps() = default;
  virtual ~ColumnSteps() = default;
  ColumnSteps(const ColumnSteps&) = delete;
  ColumnSteps& operator=(const ColumnSteps&) = delete;

  /// Builds and self-tests the kernels for all steps of an n-by-n matrix. Throws NoUsableKernel.
  virtual void prepare(Index nrhs) = 0;
  /// P A = L U in place.
  virtual void panel(const FactoredBlock& a) = 0;
  /// B1 <- L11^-1 (P B)1, B2 <- (P B)2 - L21 B1, where B has as many rows as L.
  virtual void update(const FactoredBlock& l, const MatrixView& b, cl_uint columns) = 0;
  /// B <- P B, where B has as many rows as L.
  virtual void exchange(const FactoredBlock& l, const MatrixView& b, cl_uint columns) = 0;
  /// As update(), but for right-hand sides; there may be few.
  virtual void forward(const FactoredBlock& l, const MatrixView& b, cl_uint nrhs) = 0;
  /// X <- U11^-1 Y for the block's rows of Y, from row `first` on. Then Y0 <- Y0 - U01 X for the
  /// `first` rows above. The view `u` begins at the matrix's first row, not at the diagonal.
  virtual void backward(const MatrixView& u, cl_uint first, cl_uint columns, const MatrixView& y,
                        cl_uint nrhs) = 0;
};

/// The usual number of columns of a block, for this device and an n-by-n matrix.
[[nodiscard]] cl_uint usual_block_columns(Context& context, RealType type, Index n);

/// The steps for blocks of `columns` of an n-by-n matrix; the last block may be narrower. Throws
/// DeviceLimit if the device has no kernels with partial pivoting, NoUsableKernel, OutOfMemory.
[[nodiscard]] std::unique_ptr<ColumnSteps> make_column_steps(Context& context, RealType type,
                                                             Index n, cl_uint columns);

}  // namespace clgauss
