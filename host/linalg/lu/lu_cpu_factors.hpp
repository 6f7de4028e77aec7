#pragma once
/// The factors of an LU of real or complex numbers on CPU devices, by cl/lu/lu_cpu.cl, and the
/// solve with one right-hand side. Views are counted in numbers.

#include <clgauss/progress.hpp>
#include <clgauss/view.hpp>
#include <optional>

#include "kernels/lu/lu_cpu.hpp"
#include "kernels/substitution/trsv.hpp"
#include "kernels/substitution/trsv_columns_cpu.hpp"

namespace clgauss {

class LuCpuFactors {
 public:
  /// For n-by-n matrices and smaller ones. `spec` is a checked one of the family. Throws
  /// OutOfMemory.
  LuCpuFactors(Context& context, NumberType number, Index n, const LuSpec& spec);

  /// P A = L U for the n-by-n `a`, where n is at most that of the constructor.
  void factor(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
              const ProgressCallback& callback);
  /// b <- U^-1 L^-1 P b for a contiguous b, block by block, with the n-by-n factors `lu` of the
  /// last factor(). Leaves NaN in b if that failed.
  void solve_one(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
                 cl_uint n);

  [[nodiscard]] cl_uint n() const { return cut_.n; }
  /// The row order of the last factorisation, of n rows.
  [[nodiscard]] RowOrder row_order(cl_uint n) const {
    return {buffers_.ids, cl_ulong{ceil_div(n, cut_.nb) - 1} * n};
  }
  [[nodiscard]] std::optional<Index> failed_column(const cl::CommandQueue& queue) const {
    return read_failed_column(queue, buffers_.info, cut_.n);
  }
  [[nodiscard]] const LuCpuBuffers& buffers() const { return buffers_; }
  [[nodiscard]] const Kernel& diagonal_kernel() const { return kernels_.diagonal; }

 private:
  void clear_counters(const cl::CommandQueue& queue, cl_uint phases) const;

  NumberType number_;
  LuCpuBlocking cut_;
  LuCpuPhases phases_;
  LuCpuBuffers buffers_;
  LuCpuKernels kernels_;
};

}  // namespace clgauss
