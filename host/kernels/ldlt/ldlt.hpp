#pragma once
/// The part of A = L D L^T with 2 x 2 pivots, or of a complex A = L D L^H, that is not a matrix
/// product: cl/ldlt/ldlt.cl.

#include <vector>

#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// ldlt_cpu_variant(): for CPUs where a work-group is one core; one work-item factors a panel, with
/// the help of the others where fences reach them.
/// ldlt_variant(): for any device; one work-group factors a panel.
[[nodiscard]] const KernelVariant& ldlt_cpu_variant();
[[nodiscard]] const KernelVariant& ldlt_variant();

/// The variant for the family.
[[nodiscard]] const KernelVariant& ldlt_variant_of(LuFamily family);

/// Whether its kernels passed their self-test, a whole factorisation; see linalg/ldlt/sytrf.cpp,
/// and linalg/complex/complex_ldlt.cpp for complex numbers.
[[nodiscard]] bool ldlt_works(Context& context, RealType type, LuFamily family);
[[nodiscard]] bool complex_ldlt_works(Context& context, RealType type, LuFamily family);

/// How a variant cuts n columns: at most `width` in a panel, and their rows into pieces of `piece`.
struct LdltCut {
  LdltCut(const Parameters& parameters, Index n);

  Index n, width, piece;
};

/// The results of a panel that are stored outside of A, and its workspace; see ldlt_panel.clh.
struct LdltBuffers {
  /// Throws OutOfMemory.
  LdltBuffers(const Context& context, NumberType number, const LdltCut& cut);
  [[nodiscard]] static std::uint64_t bytes(NumberType number, const LdltCut& cut);

  MatrixView w;  // counted in numbers
  cl::Buffer d, kinds, exchanges, order, rows, ends, work, done, team;
};

/// Views are counted in numbers.
class LdltKernels {
 public:
  /// Kinds of columns, as the kernels write them: a 1 x 1 pivot, the first or the second column of
  /// a 2 x 2 pivot.
  static constexpr cl_uint kSingle = 0, kFirst = 1, kSecond = 2;

  /// `family` is the LU family of the variant; `kernels` determines the type of numbers.
  LdltKernels(KernelMemo& kernels, LuFamily family, Index n);

  [[nodiscard]] const LdltCut& cut() const { return cut_; }
  /// The most columns of a panel.
  [[nodiscard]] cl_uint width() const { return static_cast<cl_uint>(cut_.width); }
  [[nodiscard]] KernelBuild build() const;

  /// Builds all kernels.
  void prepare();

  /// Factors one panel of an n x n matrix: copies the `width` columns from `first` on to the rows
  /// of `buffers.w` and factors them. `buffers.done` receives the number of factored columns.
  void panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n, cl_uint first,
             cl_uint width, const LdltBuffers& buffers, const LuFlags& flags);
  /// Writes L and U of the `count` columns that the panel factored.
  void spread(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n, cl_uint first,
              cl_uint count, const LdltBuffers& buffers);
  /// After all panels: applies the exchanges of later panels.
  void exchange(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                const LdltBuffers& buffers);
  /// X <- rows of B in this order. With `back`: rows of B in this order <- X.
  void permute(const cl::CommandQueue& queue, const MatrixView& b, cl_uint n, Index nrhs,
               const cl::Buffer& order, const cl::Buffer& x, bool back);

 private:
  Kernel& kernel(const char* name);
  [[nodiscard]] Defines macros() const { return with_parameters(variant_, parameters_, {}); }
  /// Launches a kernel over `count` rows or columns.
  void launch_chunks(const cl::CommandQueue& queue, const Kernel& kernel, cl_uint count) const;

  KernelMemo& kernels_;
  const KernelVariant& variant_;
  Parameters parameters_;
  LdltCut cut_;
  cl_uint local_, chunk_, groups_;  // groups_: at most, of a panel
};

}  // namespace clgauss
