#pragma once
/// LU with partial pivoting of a matrix that has more rows than columns, on one device.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "linalg/lu/getrf_columns.hpp"

namespace clgauss {

/// P A = L U of an m-by-n A, m >= n > 0, by blocks of columns. Each block is factored over all
/// remaining rows, as in LAPACK's getrf; m n^2 - n^3 / 3 flops.
class TallLu {
 public:
  /// Builds the kernels. Throws DimensionError, DeviceLimit, NoUsableKernel, OutOfMemory.
  TallLu(Context& context, RealType type, Index m, Index n);

  /// Enqueues A <- L and U on the context's queue, stored as LAPACK does. Call it once.
  void factor(const MatrixView& a);

  /// The first column whose pivot is 0 or not finite. Waits. Throws CoResidencyLost if work-groups
  /// waited in vain, DeviceFault if the device reports an impossible column.
  [[nodiscard]] std::optional<Index> failed_column() const;
  /// The n rows exchanged with rows 0 .. n - 1. Waits. Throws DeviceFault.
  [[nodiscard]] std::vector<Index> pivots() const;

 private:
  /// What a block reported: its pivots, then PanelOutcome.
  [[nodiscard]] std::vector<cl_int> report_of(const FactoredBlock& block) const;

  Context& context_;
  cl_uint m_, n_, width_;
  std::unique_ptr<ColumnSteps> steps_;
  std::vector<FactoredBlock> blocks_;
};

}  // namespace clgauss
