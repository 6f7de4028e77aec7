#pragma once
/// The parts that the LU for GPUs is put together from: kernels, flags, panels, triangular solves.

#include <array>
#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/lu_spec.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clgauss {

/// Polls after which a persistent kernel gives up, the macro SPIN_LIMIT: about a second.
inline constexpr int kSpinLimit = 400000;

/// Work-items of the exchange kernel of cl/trsm.cl: a power of two, one a row of the block at least.
[[nodiscard]] cl_uint swap_group(cl_uint block);

/// A checked LuSpec for GPUs, read once; see clgauss/lu_spec.hpp for what each number means.
struct LuTuning {
  static constexpr std::array kRows{"ROWS_1", "ROWS_2", "ROWS_3", "ROWS_4"};
  static constexpr std::array kSubGroups{"SUB_GROUPS_1", "SUB_GROUPS_2", "SUB_GROUPS_3",
                                         "SUB_GROUPS_4", "SUB_GROUPS_5"};

  explicit LuTuning(const LuSpec& spec);

  cl_uint nb, group_rows, tournament_group, strip, solve_block, small_n, small_group;
  bool persistent;
  int spin_limit;
  std::array<cl_uint, kRows.size()> rows;
  std::array<cl_uint, kSubGroups.size()> sub_groups;

  /// Sub-groups with rows in a work-group of the persistent panel of `m` rows.
  [[nodiscard]] cl_uint sub_groups_for(cl_uint m) const;
};

/// The kernels of one LU, by file, name and macros; each is built when it is first asked for.
class KernelMemo {
 public:
  KernelMemo(DeviceContext& context, RealType type) : context_(context), type_(type) {}

  /// `macros` come on top of real_defines().
  Kernel& get(const std::string& file, const std::string& name, const Defines& macros);
  /// Builds side by side the programs of all kernels that `ask` asks for; what get() returns there is no kernel.
  void build_all(const std::function<void()>& ask);
  [[nodiscard]] DeviceContext& context() { return context_; }
  [[nodiscard]] RealType type() const { return type_; }

 private:
  DeviceContext& context_;
  RealType type_;
  std::map<std::string, Kernel> kernels_;
  std::vector<ProgramRequest>* asked_ = nullptr;  // during build_all()
  Kernel none_;
};

/// What kernels report without anybody waiting: two ints on the device.
class LuFlags {
 public:
  explicit LuFlags(const DeviceContext& context);

  struct Values {
    std::optional<Index> first_bad_pivot;  // lowest column with a zero or NaN pivot
    bool gave_up =
        false;  // a persistent kernel waited in vain for another work-group: the factors are worthless
  };

  [[nodiscard]] const cl::Buffer& buffer() const { return buffer_; }
  void reset(const cl::CommandQueue& queue) const;
  /// Waits for the queue.
  [[nodiscard]] Values read(const cl::CommandQueue& queue) const;

 private:
  cl::Buffer buffer_;
};

/// Factors panels, P A = L U for a tall A of at most kPanelWidth columns, by the kernel that suits device and height.
class LuPanels {
 public:
  static constexpr cl_uint kPanelWidth = 32;

  /// `tournament`: never the persistent kernel. Else it is used where a probe with the real kernel shows that all its
  /// work-groups are resident at once, which OpenCL does not promise (occupancy-bound execution: Sorensen et al., OOPSLA 2016).
  LuPanels(KernelMemo& kernels, const LuFlags& flags, const LuTuning& tuning, Index n,
           bool tournament);

  /// Builds the kernels for panels of `m` rows.
  void prepare(cl_uint m);

  /// The m-by-width panel at `a`, whose first row is row `row` of the matrix; pivots[row + j] becomes the row exchanged
  /// with row + j.
  void factor(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m, cl_uint width,
              cl_uint row, const cl::Buffer& pivots);

  /// Whether work-groups were shown to be resident at once, so that kernels may wait for one another.
  [[nodiscard]] bool persistent() const { return persistent_; }

 private:
  [[nodiscard]] bool probe_co_residency();
  [[nodiscard]] bool probe_height(cl_uint m);
  [[nodiscard]] bool fits_persistent(cl_uint m) const;
  [[nodiscard]] bool fits_persistent_up_to(cl_uint n) const;
  [[nodiscard]] cl_uint group_size(cl_uint m) const;
  Kernel& persistent_kernel(cl_uint m, int spin_limit);
  Kernel& group_kernel(cl_uint m);
  Kernel& tournament_kernel(const char* name);
  void factor_persistent(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m,
                         cl_uint width, cl_uint row, const cl::Buffer& pivots, int spin_limit);
  void factor_in_group(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m, cl_uint width,
                       cl_uint row, const cl::Buffer& pivots);
  void factor_by_tournament(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m,
                            cl_uint width, cl_uint row, const cl::Buffer& pivots);

  KernelMemo& kernels_;
  const LuFlags& flags_;
  const LuTuning& tuning_;
  cl_uint compute_units_;
  cl::Buffer exchange_;       // packets of the persistent kernel, each tagged with an epoch
  cl::Buffer candidates_[2];  // rows of a tournament's rounds, if there can be one
  cl_uint epoch_ = 1;
  bool persistent_ = false;
};

/// Row exchanges and triangular solves with the factors.
class LuSolves {
 public:
  /// `substitute`: solve with diagonal blocks by substitution instead of by their inverses, to check against.
  LuSolves(KernelMemo& kernels, const LuFlags& flags, Gemm& gemm, const LuTuning& tuning, Index n,
           bool persistent, bool substitute);

  /// Builds the kernels for blocks of `block` rows and solves with `nrhs` right-hand sides.
  void prepare(cl_uint block, Index nrhs);

  /// For the columns of `b` outside [hole_begin, hole_end): the exchanges pivots[row ..] of `block` rows, and, from hole_end
  /// on if `solve`, B(0:block, :) <- L11^-1 B(0:block, :) with the unit lower triangle at `diagonal`. One pass over B.
  void swap_and_solve(const cl::CommandQueue& queue, const MatrixView& diagonal,
                      const MatrixView& b, cl_uint block, cl_uint columns, cl_uint hole_begin,
                      cl_uint hole_end, bool solve, const cl::Buffer& pivots, cl_uint row);

  /// B <- U^-1 L^-1 P B.
  void solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
             const cl::Buffer& pivots, const MatrixView& b, cl_uint nrhs);

 private:
  /// `solve`: it can also solve with the unit lower triangle.
  Kernel& swap_kernel(cl_uint block, bool solve);
  Kernel& block_solve_kernel();
  Kernel& one_solve_kernel(bool upper);
  void solve_many(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                  const MatrixView& b, cl_uint nrhs);
  void solve_one_persistent(const cl::CommandQueue& queue, const MatrixView& t, cl_uint n,
                            const MatrixView& b, bool upper);
  void solve_one_stepwise(const cl::CommandQueue& queue, const MatrixView& t, cl_uint n,
                          const MatrixView& b, bool upper);

  KernelMemo& kernels_;
  const LuFlags& flags_;
  Gemm& gemm_;
  const LuTuning& tuning_;
  bool persistent_;
  std::string substitute_;  // the macro's value
  cl::Buffer
      packets_;  // persistent: parts of x on their way between work-groups, tagged with an epoch
  cl::Buffer work_;  // not persistent: x as far as it is known
  cl_uint packets_epoch_ = 0;
};

/// Adds a view's buffer, offset and leading dimension, as every kernel of the LU takes them.
void pass_view(Kernel& kernel, cl_uint& index, const MatrixView& view);

/// `groups` work-groups of `local` work-items.
void launch_groups(const cl::CommandQueue& queue, const Kernel& kernel, std::size_t groups,
                   std::size_t local);

}  // namespace clgauss
