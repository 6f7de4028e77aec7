#pragma once
/// Solves with the factors of an LU, or with their transposes, for a few right-hand sides. These
/// are stored as columns of contiguous numbers.

#include <clgauss/lab/variant.hpp>
#include <memory>
#include <vector>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// The row order of P A: row i of P A is row rows[first + i] of A. `rows` is a buffer of cl_uint.
struct RowOrder {
  cl::Buffer rows;
  cl_ulong first = 0;
};

/// One way to compute B <- A^-1 B (P B, L^-1, U^-1) and B <- A^-T B (U^-T, L^-T, P^T) with P A = L
/// U, n-by-n. For complex numbers, the transposes are conjugated, and views and columns are counted
/// in complex numbers.
class ColumnSolves {
 public:
  /// The most right-hand sides at once.
  static constexpr cl_uint kMostColumns = 8;
  [[nodiscard]] virtual cl_uint most_columns() const { return kMostColumns; }

  ColumnSolves(Context& context, NumberType number) : context_(context), memo_(context_, number) {}
  virtual ~ColumnSolves() = default;
  ColumnSolves(const ColumnSolves&) = delete;
  ColumnSolves& operator=(const ColumnSolves&) = delete;

  [[nodiscard]] virtual const KernelVariant& variant() const = 0;
  /// True if it can solve only with the transposes of the factors.
  [[nodiscard]] virtual bool transposed_only() const = 0;

  /// Whether the kernels for `nrhs` <= most_columns() right-hand sides passed their self-test.
  bool works(cl_uint nrhs);

  /// The row order that results from the n row exchanges `pivots`.
  RowOrder order(const cl::CommandQueue& queue, const cl::Buffer& pivots, cl_uint n);

  /// Solves for `nrhs` <= most_columns() right-hand sides.
  void solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n, const RowOrder& order,
             const MatrixView& b, cl_uint nrhs, bool transposed);

 protected:
  /// The macros of the kernels for this many right-hand sides.
  [[nodiscard]] virtual Defines macros_for(cl_uint columns) const = 0;
  /// The n of a self-test that covers all cases of every kernel.
  [[nodiscard]] virtual Index rows_of_question() const = 0;
  /// X <- U^-1 L^-1 X; if `transposed`, X <- L^-T U^-T X. `x` holds `columns` columns of n
  /// contiguous numbers.
  virtual void substitute(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                          const cl::Buffer& x, cl_uint columns, bool transposed) = 0;

  [[nodiscard]] Context& context() { return context_; }
  [[nodiscard]] NumberType number() const { return memo_.number(); }
  [[nodiscard]] std::size_t element_bytes() const { return memo_.number().bytes(); }
  Kernel& kernel(const char* name, cl_uint columns);
  /// Allocates `buffer` if it is missing or too small.
  void require_buffer(cl::Buffer& buffer, std::uint64_t bytes) const;

 private:
  void launch_rows(const cl::CommandQueue& queue, const Kernel& kernel, cl_uint n) const;

  Context context_;
  KernelMemo memo_;
  cl::Buffer x_, rows_;
};

/// With vectors along the rows of the factors, for CPUs where a work-group is one core.
[[nodiscard]] const KernelVariant& trsv_columns_cpu_variant();
/// Only transposed: inverts the diagonal blocks, then one launch per block of rows.
[[nodiscard]] const KernelVariant& trsv_transposed_variant();

/// All ways that the device supports, in the order in which they are tried, with their usual
/// parameters for systems of n. For complex numbers only trsv_transposed_variant(). `may_wait`: if
/// not null, work-groups of these solves may wait for each other, as those of TrsvKernel do.
[[nodiscard]] std::vector<std::unique_ptr<ColumnSolves>> make_column_solves(
    Context& context, NumberType number, Index n, const LuSetting* may_wait = nullptr);

}  // namespace clgauss
