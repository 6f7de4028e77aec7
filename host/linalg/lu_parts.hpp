#pragma once
/// The parts that the LU for GPUs is put together from: kernels, flags, panels, triangular solves.

#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <map>
#include <optional>
#include <string>

namespace clgauss {

/// Polls after which a persistent kernel gives up, the macro SPIN_LIMIT: about a second.
inline constexpr const char* kSpinLimit = "400000";

/// The kernels of one LU, by file, name and macros; each is built when it is first asked for.
class KernelMemo {
 public:
  KernelMemo(DeviceContext& context, RealType type) : context_(context), type_(type) {}

  /// `macros` come on top of real_defines().
  Kernel& get(const std::string& file, const std::string& name, const Defines& macros);
  [[nodiscard]] DeviceContext& context() { return context_; }
  [[nodiscard]] RealType type() const { return type_; }

 private:
  DeviceContext& context_;
  RealType type_;
  std::map<std::string, Kernel> kernels_;
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
  LuPanels(KernelMemo& kernels, const LuFlags& flags, Index n, bool tournament);

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
  [[nodiscard]] bool fits_persistent(cl_uint m) const;
  Kernel& persistent_kernel(cl_uint m);
  Kernel& group_kernel(cl_uint m);
  Kernel& tournament_kernel(const char* name);
  void factor_persistent(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m,
                         cl_uint width, cl_uint row, const cl::Buffer& pivots);
  void factor_in_group(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m, cl_uint width,
                       cl_uint row, const cl::Buffer& pivots);
  void factor_by_tournament(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m,
                            cl_uint width, cl_uint row, const cl::Buffer& pivots);

  KernelMemo& kernels_;
  const LuFlags& flags_;
  cl_uint compute_units_;
  cl::Buffer exchange_;       // packets of the persistent kernel, each tagged with an epoch
  cl::Buffer candidates_[2];  // rows of a tournament's rounds
  cl_uint epoch_ = 1;
  bool persistent_ = false;
};

/// Row exchanges and triangular solves with the factors.
class LuSolves {
 public:
  /// `substitute`: solve with diagonal blocks by substitution instead of by their inverses, to check against.
  LuSolves(KernelMemo& kernels, const LuFlags& flags, Gemm& gemm, Index n, bool persistent,
           bool substitute);

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
  Kernel& swap_kernel(cl_uint block);
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
