#pragma once
/// Transposed solves with the factors of an LU, a few right-hand sides at a time.

#include <clgauss/lab/variant.hpp>
#include <memory>
#include <vector>

#include "kernels/lu_common.hpp"

namespace clgauss {

/// Where rows come to lie: row i of a matrix becomes row rows[first + i] of another, a buffer of cl_uint.
struct RowTargets {
  cl::Buffer rows;
  cl_ulong first = 0;
};

/// One way to do B <- A^-T B with P A = L U, n-by-n: U^T Y = B, L^T Z = Y, B = P^T Z.
class TransposedKernels {
 public:
  /// Right-hand sides that are taken at once, at most.
  static constexpr cl_uint kMostColumns = 8;

  TransposedKernels(Context& context, RealType type) : context_(context), memo_(context_, type) {}
  virtual ~TransposedKernels() = default;
  TransposedKernels(const TransposedKernels&) = delete;
  TransposedKernels& operator=(const TransposedKernels&) = delete;

  [[nodiscard]] virtual const KernelVariant& variant() const = 0;

  /// Whether the kernels for `nrhs` <= kMostColumns right-hand sides gave their known answer.
  bool works(cl_uint nrhs);

  /// P^T from the n row exchanges of an LU, for solves with `nrhs` right-hand sides.
  RowTargets targets(const cl::CommandQueue& queue, const cl::Buffer& pivots, cl_uint n,
                     cl_uint nrhs);

  /// `nrhs` <= kMostColumns.
  void solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
             const RowTargets& targets, const MatrixView& b, cl_uint nrhs);

 protected:
  /// The macros besides RHS.
  [[nodiscard]] virtual Defines macros() const = 0;
  /// Rows of a system in which every kernel has all of its cases.
  [[nodiscard]] virtual Index rows_of_question() const = 0;
  /// X <- L^-T U^-T X in `x`: `columns` columns of n contiguous numbers.
  virtual void substitute(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                          const cl::Buffer& x, cl_uint columns) = 0;

  [[nodiscard]] Context& context() { return context_; }
  [[nodiscard]] std::size_t element_bytes() const { return bytes_of(memo_.type()); }
  Kernel& kernel(const char* name, cl_uint columns);
  /// Makes `buffer` when it is first needed, and again when it is too small.
  void require_buffer(cl::Buffer& buffer, std::uint64_t bytes) const;

 private:
  [[nodiscard]] Defines macros_for(cl_uint columns) const;
  void launch_rows(const cl::CommandQueue& queue, const Kernel& kernel, cl_uint n) const;

  Context context_;
  KernelMemo memo_;
  cl::Buffer x_, targets_;
};

/// By vectors along the rows of the factors, for CPUs whose work-group is a core.
[[nodiscard]] const KernelVariant& trsv_transposed_cpu_variant();
/// A launch a block of rows, after the diagonal blocks were inverted.
[[nodiscard]] const KernelVariant& trsv_transposed_variant();

/// All ways on the device, in the order of trying, with their usual parameters for systems of n.
[[nodiscard]] std::vector<std::unique_ptr<TransposedKernels>> make_transposed(Context& context,
                                                                              RealType type,
                                                                              Index n);

}  // namespace clgauss
