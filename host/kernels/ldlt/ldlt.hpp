#pragma once
/// What of A = L D L^T with 2 x 2 pivots is no product: cl/ldlt/ldlt.cl.

#include <vector>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// For CPUs whose work-group is a core, a work-item of which takes a panel; for any device, by a
/// work-group.
[[nodiscard]] const KernelVariant& ldlt_cpu_variant();
[[nodiscard]] const KernelVariant& ldlt_variant();

/// The one for the family.
[[nodiscard]] const KernelVariant& ldlt_variant_of(LuFamily family);

/// Whether its kernels passed their self-test, a whole factorisation with them;
/// linalg/ldlt/sytrf.cpp.
[[nodiscard]] bool ldlt_works(Context& context, RealType type, LuFamily family);

/// What a panel leaves beside A on the device, and what it works in: see ldlt_panel.clh. Of
/// n columns, `width` in a panel.
struct LdltBuffers {
  /// Throws OutOfMemory.
  LdltBuffers(const Context& context, RealType type, Index n, Index width);
  [[nodiscard]] static std::uint64_t bytes(RealType type, Index n, Index width);

  MatrixView w;
  cl::Buffer d, kinds, exchanges, order, rows, ends, work, done;
};

class LdltKernels {
 public:
  /// Kinds of columns, as the kernels write them: of a 1 x 1 pivot, the first and the second of a
  /// 2 x 2 pivot.
  static constexpr cl_uint kOne = 0, kFirst = 1, kSecond = 2;

  /// For the LU family whose variant it is.
  LdltKernels(KernelMemo& kernels, LuFamily family, Index n);

  /// Columns of a panel at most.
  [[nodiscard]] cl_uint width() const { return width_; }
  [[nodiscard]] KernelBuild build() const;

  /// Builds all of them.
  void prepare();

  /// One panel: of an n x n matrix the `width` columns from `first` on come into their rows and are
  /// factored; `buffers.done` says how many.
  void panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n, cl_uint first,
             cl_uint width, const LdltBuffers& buffers, const LuFlags& flags);
  /// L and U of the `count` columns that it took.
  void spread(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n, cl_uint first,
              cl_uint count, const LdltBuffers& buffers);
  /// When all panels are done: the exchanges of later ones.
  void exchange(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                const LdltBuffers& buffers);
  /// X <- rows of B in this order, or where `back` rows of B in this order <- X.
  void permute(const cl::CommandQueue& queue, const MatrixView& b, cl_uint n, Index nrhs,
               const cl::Buffer& order, const cl::Buffer& x, bool back);

 private:
  Kernel& kernel(const char* name);
  /// A kernel of `count` rows or columns.
  void launch_chunks(const cl::CommandQueue& queue, const Kernel& kernel, cl_uint count) const;

  KernelMemo& kernels_;
  const KernelVariant& variant_;
  Parameters parameters_;
  cl_uint width_, local_, chunk_;
};

}  // namespace clgauss
