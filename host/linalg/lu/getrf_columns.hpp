#pragma once
/// The steps of an LU with partial pivoting whose matrix lies in blocks of columns, on one device.
/// Exchanges reach the blocks on the right alone: a factored block stays as it is, and a solve
/// makes the exchanges of every block when it comes to it.

#include <clgauss/context.hpp>
#include <clgauss/lab/variant.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <cstdint>
#include <memory>

namespace clgauss {

/// The update kernels for CPUs, cl/lu/lu_columns_cpu.cl.
[[nodiscard]] const KernelVariant& lu_columns_cpu_variant();

/// A block from its first diagonal element on: rows x columns, rows >= columns.
struct ColumnBlock {
  MatrixView view;
  cl_uint rows, columns;
};

/// A factored one. `pivots` holds, for each of its columns, the row exchanged with the row of that
/// number, counted from the block's first; then the two numbers of PanelOutcome.
struct FactoredBlock {
  ColumnBlock block;
  cl::Buffer pivots;
  std::uint64_t version;  // other contents have another one
};

/// What stands behind the pivots.
struct PanelOutcome {
  static constexpr cl_uint kCount = 2;
  cl_int first_bad_pivot;  // of the block; its width or more: none
  cl_int gave_up;          // not 0: work-groups waited for each other in vain
};

/// Enqueues on the context's queue and waits for nothing.
class ColumnSteps {
 public:
  ColumnSteps() = default;
  virtual ~ColumnSteps() = default;
  ColumnSteps(const ColumnSteps&) = delete;
  ColumnSteps& operator=(const ColumnSteps&) = delete;

  /// Builds, and self-tests, what all steps of an n-by-n matrix take. Throws
  /// NoUsableKernel.
  virtual void prepare(Index nrhs) = 0;
  /// P A = L U in place.
  virtual void panel(const FactoredBlock& a) = 0;
  /// B1 <- L11^-1 (P B)1, B2 <- (P B)2 - L21 B1, for B as high as L.
  virtual void update(const FactoredBlock& l, const MatrixView& b, cl_uint columns) = 0;
  /// B <- P B, for B as high as L.
  virtual void exchange(const FactoredBlock& l, const MatrixView& b, cl_uint columns) = 0;
  /// As update() for right-hand sides, of which there may be few.
  virtual void forward(const FactoredBlock& l, const MatrixView& b, cl_uint nrhs) = 0;
  /// X <- U11^-1 Y for the rows of Y from `first` on that belong to the block, Y0 <- Y0 - U01 X for
  /// the `first` rows above. The view `u` begins with the block's first row of the matrix, not of
  /// the diagonal.
  virtual void backward(const MatrixView& u, cl_uint first, cl_uint columns, const MatrixView& y,
                        cl_uint nrhs) = 0;
};

/// Columns of a block that suit the device, for an n-by-n matrix.
[[nodiscard]] cl_uint usual_block_columns(Context& context, RealType type, Index n);

/// The steps for blocks of `columns` (the last may have less) of an n-by-n matrix. Throws
/// DeviceLimit where the device has no kernels with partial pivoting, NoUsableKernel, OutOfMemory.
[[nodiscard]] std::unique_ptr<ColumnSteps> make_column_steps(Context& context, RealType type,
                                                             Index n, cl_uint columns);

}  // namespace clgauss
