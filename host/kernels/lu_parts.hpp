#pragma once
/// The parts that the LU for GPUs is put together from: kernels, flags, panels, triangular solves.

#include <array>
#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/lab/lu_spec.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clgauss {

/// Polls after which a persistent kernel gives up, the macro SPIN_LIMIT: about a second.
inline constexpr int kSpinLimit = 400000;

/// The compute capability, major number, whose redux.sync the persistent panel takes.
inline constexpr unsigned kPersistentCapability = 8;

/// Work-items of the exchange kernel of cl/trsm.cl: a power of two, one a row of the block at least.
[[nodiscard]] cl_uint swap_group(cl_uint block);

/// Columns of a panel.
inline constexpr cl_uint kPanelWidth = 32;

/// What cl/trsm.cl builds, the macro KERNEL: exchanges alone, exchanges and a solve, a solve.
enum class StripKernel { swap = 0, swap_solve = 1, block_solve = 2 };

/// Rows of a block of the solves with one right-hand side.
inline constexpr cl_uint kTrsvBlock = 64;

/// A checked LuSpec for GPUs, read once; see clgauss/lab/lu_spec.hpp for what each number means.
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
  /// Work-items of the one group of a panel of `m` rows.
  [[nodiscard]] cl_uint group_size(cl_uint m) const { return m <= 64 ? 64 : group_rows; }

  // The macros that the kernel files are built with, on top of real_defines().
  [[nodiscard]] Defines persistent_macros(cl_uint m, int spins) const;
  [[nodiscard]] Defines group_macros(cl_uint m) const;
  [[nodiscard]] Defines tournament_macros() const;
  [[nodiscard]] Defines strip_macros(StripKernel kernel, cl_uint group,
                                     const std::string& substitute) const;
  [[nodiscard]] static Defines step_macros(bool upper);
  [[nodiscard]] Defines one_launch_macros(bool upper) const;
};

/// real_defines() with `macros` on top.
[[nodiscard]] Defines with_real(RealType type, const Defines& macros);

/// The kernels of one LU, by file, name and macros; each is built when it is first asked for.
class KernelMemo {
 public:
  KernelMemo(Context& context, RealType type) : context_(context), type_(type) {}

  /// `macros` come on top of real_defines().
  Kernel& get(const std::string& file, const std::string& name, const Defines& macros);

  /// Whether the kernels of `file` with these macros gave their known answer, for which `ask` asks; see KernelTrials.
  bool works(const std::string& file, const Defines& macros, const std::function<void()>& ask);
  /// The same for one kernel of several in a file, with a name of its own.
  bool works_as(const std::string& name, const std::string& file, const Defines& macros,
                const std::function<void()>& ask);

  /// Throws NoUsableKernel with what was found out about the kernels of these files.
  [[noreturn]] void none_works(const char* operation, const std::vector<std::string>& files);

  [[nodiscard]] Context& context() { return context_; }
  [[nodiscard]] RealType type() const { return type_; }

 private:
  Context& context_;
  RealType type_;
  std::map<std::string, Kernel> kernels_;
};

/// What kernels report without anybody waiting: two ints on the device.
class LuFlags {
 public:
  static constexpr cl_int kNoBadPivot = std::numeric_limits<cl_int>::max();

  explicit LuFlags(const Context& context);

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
  /// `tournament`: never the persistent kernel. Else it is used where it gives a known answer, and where a probe with the real
  /// kernel shows that all its work-groups are resident at once, which OpenCL does not promise (occupancy-bound execution:
  /// Sorensen et al., OOPSLA 2016).
  LuPanels(KernelMemo& kernels, const LuFlags& flags, const LuTuning& tuning, Index n,
           bool tournament);

  /// Builds the kernels for panels of `m` rows. Throws NoUsableKernel.
  void prepare(cl_uint m);

  /// The m-by-width panel at `a`, whose first row is row `row` of the matrix; pivots[row + j] becomes the row exchanged
  /// with row + j.
  void factor(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m, cl_uint width,
              cl_uint row, const cl::Buffer& pivots);

  /// Whether work-groups were shown to be resident at once, so that kernels may wait for one another.
  [[nodiscard]] bool persistent() const { return persistent_; }

 private:
  enum class Way { persistent, group, tournament };

  /// The first way that suits `m` rows and whose kernel gives its known answer.
  Way way_for(cl_uint m);
  bool group_works(cl_uint m);
  bool tournament_works();
  bool persistent_works(Index n);
  [[nodiscard]] bool all_resident(cl_uint m);
  [[nodiscard]] bool fits_persistent(cl_uint m) const;
  [[nodiscard]] bool fits_persistent_up_to(cl_uint n) const;
  Kernel& persistent_kernel(cl_uint m, int spins);
  Kernel& group_kernel(cl_uint m);
  Kernel& tournament_kernel(const char* name);
  /// With the kernel that panels of `as_for` rows take.
  void factor_persistent(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m,
                         cl_uint width, cl_uint row, const cl::Buffer& pivots, int spins,
                         cl_uint as_for);
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
  std::map<cl_uint, std::optional<bool>> group_works_;  // by work-group
  std::optional<bool> tournament_works_;
};

/// Row exchanges and triangular solves with the factors.
class LuSolves {
 public:
  /// `substitute`: solve with diagonal blocks by substitution instead of by their inverses, to check against.
  LuSolves(KernelMemo& kernels, const LuFlags& flags, Gemm& gemm, const LuTuning& tuning, Index n,
           bool persistent, bool substitute);

  /// Builds the kernels for blocks of `block` rows and solves with `nrhs` right-hand sides. Throws NoUsableKernel.
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
  /// A kernel that is built, and was not asked for its answer.
  Kernel& swap_kernel(cl_uint block, bool solve, const std::string& substitute);
  Kernel& block_solve_kernel(const std::string& substitute);
  Kernel& one_solve_kernel(bool persistent, bool upper);

  /// Kernels that gave their known answers. With substitution where the inverses of diagonal blocks do not. Throw NoUsableKernel.
  Kernel& working_swap_kernel(cl_uint block, bool solve);
  Kernel& working_block_solve_kernel();

  /// How one right-hand side is solved for: in one launch, step by step, or as many are.
  enum class One { persistent, steps, blocks };
  One way_for_one();
  bool one_solve_works(bool persistent);

  void launch_swap(const cl::CommandQueue& queue, Kernel& swap, const MatrixView& diagonal,
                   const MatrixView& b, cl_uint block, cl_uint columns, cl_uint hole_begin,
                   cl_uint hole_end, bool solve, const cl::Buffer& pivots, cl_uint row) const;
  void launch_block_solve(const cl::CommandQueue& queue, Kernel& kernel, const MatrixView& t,
                          const MatrixView& b, cl_uint size, cl_uint nrhs, bool upper) const;
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
  Index n_;
  bool persistent_;
  std::string substitute_;  // the macro's value
  std::map<std::pair<cl_uint, bool>, Kernel*>
      swap_kernels_;  // that work; by work-group, and whether they solve
  Kernel* block_solve_ = nullptr;
  std::optional<One> way_for_one_;
  cl::Buffer
      packets_;  // persistent: parts of x on their way between work-groups, tagged with an epoch
  cl::Buffer work_;  // not persistent: x as far as it is known
  cl_uint packets_epoch_ = 0;
};

/// Where kernels left how a factorisation went.
struct LuOutcome {
  cl::Buffer flags;  // of cl_int; the first is `success` if every pivot was good
  cl_int success = 0;
  bool second_flag = false;  // there is a second, 0 if no kernel gave up waiting
};

/// Enqueues B <- NaN where the factorisation failed, so that nobody takes what the solve left for an answer.
void enqueue_poison(Context& context, RealType type, const LuOutcome& outcome,
                    const MatrixView& b, Index rows, Index columns);

/// Throws UsageError if nothing was factored yet.
void require_factored(const MatrixView& factors);

/// Adds a view's buffer, offset and leading dimension, as every kernel of the LU takes them.
void pass_view(Kernel& kernel, cl_uint& index, const MatrixView& view);

/// `groups` work-groups of `local` work-items.
void launch_groups(const cl::CommandQueue& queue, const Kernel& kernel, std::size_t groups,
                   std::size_t local);

}  // namespace clgauss
