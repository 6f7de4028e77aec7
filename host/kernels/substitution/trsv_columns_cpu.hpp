#pragma once
/// Solves with the factors of an LU and a few right-hand sides, which are taken as columns of
/// contiguous numbers; also transposed.

#include <clgauss/lab/variant.hpp>
#include <memory>
#include <vector>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// Which of its rows P A has where: row i of P A is row rows[first + i] of A; `rows` is a buffer of
/// cl_uint.
struct RowOrder {
  cl::Buffer rows;
  cl_ulong first = 0;
};

/// One way to do B <- A^-1 B (P B, L^-1, U^-1) and B <- A^-T B (U^-T, L^-T, P^T) with P A = L U,
/// n-by-n. Of complex numbers, in which views and columns are counted then, the transposes are
/// conjugated.
class ColumnSolves {
 public:
  /// Right-hand sides that are taken at once, at most.
  static constexpr cl_uint kMostColumns = 8;
  [[nodiscard]] virtual cl_uint most_columns() const { return kMostColumns; }

  ColumnSolves(Context& context, NumberType number) : context_(context), memo_(context_, number) {}
  virtual ~ColumnSolves() = default;
  ColumnSolves(const ColumnSolves&) = delete;
  ColumnSolves& operator=(const ColumnSolves&) = delete;

  [[nodiscard]] virtual const KernelVariant& variant() const = 0;
  /// Whether it can solve with the factors as they are, or with their transposes only.
  [[nodiscard]] virtual bool transposed_only() const = 0;

  /// Whether the kernels for `nrhs` <= most_columns() right-hand sides passed their self-test.
  bool works(cl_uint nrhs);

  /// P of the n row exchanges `pivots`.
  RowOrder order(const cl::CommandQueue& queue, const cl::Buffer& pivots, cl_uint n);

  /// `nrhs` <= most_columns().
  void solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n, const RowOrder& order,
             const MatrixView& b, cl_uint nrhs, bool transposed);

 protected:
  /// Of the kernels for so many right-hand sides.
  [[nodiscard]] virtual Defines macros_for(cl_uint columns) const = 0;
  /// Rows of a system in which every kernel has all of its cases.
  [[nodiscard]] virtual Index rows_of_question() const = 0;
  /// X <- U^-1 L^-1 X or X <- L^-T U^-T X in `x`: `columns` columns of n contiguous numbers.
  virtual void substitute(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                          const cl::Buffer& x, cl_uint columns, bool transposed) = 0;

  [[nodiscard]] Context& context() { return context_; }
  [[nodiscard]] NumberType number() const { return memo_.number(); }
  [[nodiscard]] std::size_t element_bytes() const { return memo_.number().bytes(); }
  Kernel& kernel(const char* name, cl_uint columns);
  /// Makes `buffer` when it is first needed, and again when it is too small.
  void require_buffer(cl::Buffer& buffer, std::uint64_t bytes) const;

 private:
  void launch_rows(const cl::CommandQueue& queue, const Kernel& kernel, cl_uint n) const;

  Context context_;
  KernelMemo memo_;
  cl::Buffer x_, rows_;
};

/// By vectors along the rows of the factors, for CPUs whose work-group is a core.
[[nodiscard]] const KernelVariant& trsv_columns_cpu_variant();
/// Transposed, a launch a block of rows, after the diagonal blocks were inverted.
[[nodiscard]] const KernelVariant& trsv_transposed_variant();

/// All ways on the device, in the order of trying, with their usual parameters for systems of n;
/// of complex numbers that by steps alone. `may_wait`: work-groups of these solves may wait for
/// each other, as TrsvKernel's do; null: they may not.
[[nodiscard]] std::vector<std::unique_ptr<ColumnSolves>> make_column_solves(
    Context& context, NumberType number, Index n, const LuSetting* may_wait = nullptr);

}  // namespace clgauss
