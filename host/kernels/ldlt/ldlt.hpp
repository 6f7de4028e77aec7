#pragma once
/// The part of A = L D L^T with 2 x 2 pivots, or of a complex A = L D L^H, that is not a matrix
/// product: cl/ldlt/ldlt.cl and cl/ldlt/ldlt_panel_waiting.cl.

#include <array>
#include <optional>
#include <vector>

#include "kernels/common/variants.hpp"
#include "kernels/ldlt/ldlt_waiting.hpp"
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
/// The same with panels by work-groups of `rows` rows that wait for each other.
[[nodiscard]] bool ldlt_waiting_works(Context& context, RealType type, cl_uint rows);
[[nodiscard]] bool complex_ldlt_waiting_works(Context& context, RealType type, cl_uint rows);

/// Which panels are taken; a GPU has several kinds.
struct LdltPanels {
  enum Which {
    fastest,  // by work-groups that wait for each other where they work, else by one
    one_group,
    rook,    // by one, with rook pivoting
    waiting  // by work-groups that wait for each other; DeviceLimit where one waits in vain
  };
  Which which = fastest;
  cl_uint rows = 0;  // of those that wait; 0: the usual number for n
};

/// What the factors of the caller take: Pivoting::rook, or the usual pivots.
[[nodiscard]] inline LdltPanels ldlt_panels_for(Pivoting pivoting) {
  return {pivoting == Pivoting::rook ? LdltPanels::rook : LdltPanels::fastest};
}

/// How a variant cuts n columns: at most `width` in a panel, and their rows into pieces of `piece`.
struct LdltCut {
  Index n, width, piece;
};
[[nodiscard]] LdltCut ldlt_cut(const DeviceProfile& device, NumberType number, LuFamily family,
                               Index n);

/// The leading dimension of a panel's rows, in numbers.
[[nodiscard]] Index ld_of_ldlt_panel(NumberType number, Index n);

/// The results of a panel that are stored outside of A, and its workspace; see ldlt_panel.clh.
struct LdltBuffers {
  /// Throws OutOfMemory.
  LdltBuffers(const Context& context, NumberType number, const LdltCut& cut);
  [[nodiscard]] static std::uint64_t bytes(NumberType number, const LdltCut& cut);

  MatrixView w;  // counted in numbers
  cl::Buffer d, kinds, exchanges, order, rows, ends, sources, work, done, team;
};

/// What a panel left in LdltBuffers::done, on its way. Its functions wait, and so does its end.
class LdltDone {
 public:
  LdltDone(const cl::CommandQueue& queue, const cl::Buffer& done);
  ~LdltDone();
  LdltDone(const LdltDone&) = delete;
  LdltDone& operator=(const LdltDone&) = delete;

  /// Columns that it took.
  [[nodiscard]] cl_uint count() { return read()[0]; }
  /// Whether a work-group waited in vain.
  [[nodiscard]] bool gave_up() { return read()[2] != 0; }

 private:
  const std::array<cl_uint, 3>& read();

  std::array<cl_uint, 3> done_{};
  cl::Event event_;
};

/// Views are counted in numbers.
class LdltKernels {
 public:
  /// Kinds of columns, as the kernels write them: a 1 x 1 pivot, the first or the second column of
  /// a 2 x 2 pivot.
  static constexpr cl_uint kSingle = 0, kFirst = 1, kSecond = 2;

  /// `family` is the LU family of the variant; `kernels` determines the type of numbers.
  LdltKernels(KernelMemo& kernels, LuFamily family, Index n, const LdltPanels& panels = {});

  [[nodiscard]] const LdltCut& cut() const { return cut_; }
  /// The most columns of a panel.
  [[nodiscard]] cl_uint width() const { return static_cast<cl_uint>(cut_.width); }
  /// Without the kernels of LdltWaiting.
  [[nodiscard]] KernelBuild build() const;
  [[nodiscard]] KernelBuild build_of_waiting() const { return waiting_.build(); }

  /// Builds all kernels.
  void prepare();

  /// Factors one panel of an n x n matrix, of the `width` columns from `first` on, and writes their
  /// L and U. Returns how many columns it took, width or one less. Waits. Throws DeviceFault.
  [[nodiscard]] cl_uint panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                              cl_uint first, cl_uint width, const LdltBuffers& buffers,
                              const LuFlags& flags);
  /// After all panels: applies the exchanges of later panels.
  void exchange(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                const LdltBuffers& buffers);
  /// X <- rows of B in this order. With `back`: rows of B in this order <- X.
  void permute(const cl::CommandQueue& queue, const MatrixView& b, cl_uint n, Index nrhs,
               const cl::Buffer& order, const cl::Buffer& x, bool back);

 private:
  Kernel& kernel(const char* name);
  void spread(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n, cl_uint first,
              const LdltBuffers& buffers);
  /// Whether the panels of `rows` rows are those of LdltWaiting.
  [[nodiscard]] bool waits(cl_uint rows);
  void bring(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n, cl_uint first,
             cl_uint width, const MatrixView& w);
  void panel_of_one_group(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                          cl_uint first, cl_uint width, const LdltBuffers& buffers,
                          const LuFlags& flags);
  [[nodiscard]] Defines macros() const { return with_parameters(variant_, parameters_, {}); }
  /// Launches a kernel over `count` rows or columns, each of which has `columns` to share.
  void launch_chunks(const cl::CommandQueue& queue, const Kernel& kernel, cl_uint count,
                     cl_uint columns = 1) const;

  KernelMemo& kernels_;
  const KernelVariant& variant_;
  Parameters parameters_;
  LdltCut cut_;
  cl_uint local_, chunk_, groups_;  // groups_: at most, of a panel of ldlt.cl
  LdltPanels::Which panels_;
  LdltWaiting waiting_;
  std::optional<bool> waiting_works_;
};

}  // namespace clgauss
