#pragma once
/// The base of batched kernels that keep the factors of some systems in global memory.

#include <clgauss/lab/kernel_trials.hpp>

#include "kernels/batched/batched_backend.hpp"
#include "kernels/common/cpu_tile.hpp"

namespace clgauss {

/// Factors and solves in separate launches. factor_and_solve(), which leaves A unchanged, processes
/// as many systems at a time as fit into its workspace.
class BatchedByFactors : public BatchedBackend {
 public:
  /// Sizes rounded up to a multiple share a build of the kernels for up to ROWS rows.
  static constexpr Index kRowsStep = 64;

  void factor(const cl::CommandQueue& queue, const BatchFactors& factors) final {
    factor_part(queue, factors.lu, {factors, 0});
  }
  void solve(const cl::CommandQueue& queue, const BatchFactors& factors, const BatchView& b,
             Index nrhs) final {
    if (nrhs > 0) solve_part(queue, {factors, 0}, b, nrhs);
  }
  void factor_and_solve(const cl::CommandQueue& queue, const BatchView& a, const BatchView& b,
                        Index nrhs, Index batch, const cl::Buffer& info) final;

 protected:
  /// The factors of systems from `first` on; `info` belongs to the whole batch.
  struct Part {
    BatchFactors factors;
    Index first;
  };

  static constexpr Index kAlignment = 4;  // of rows, for the vector loads of products

  /// `panels`: parameters of batched_panels_variant(). `workspace`: the most bytes of factors at a
  /// time.
  BatchedByFactors(Context& context, NumberType number, Index n, bool definite, Parameters panels,
                   std::uint64_t workspace)
      : context_(context),
        number_(number),
        n_(static_cast<cl_uint>(n)),
        definite_(definite),
        ld_(round_up(n, kAlignment)),
        panels_(std::move(panels)),
        workspace_(workspace) {}

  /// Writes L\U of the systems of `a` from part.first on to the part's factors.
  virtual void factor_part(const cl::CommandQueue& queue, const BatchView& a, const Part& part) = 0;
  /// Solves with batched_solve of batched_panels.cl. nrhs > 0.
  virtual void solve_part(const cl::CommandQueue& queue, const Part& part, const BatchView& b,
                          Index nrhs);

  /// The build of batched_solve.
  [[nodiscard]] KernelBuild solve_build(Index nrhs) const;
  /// The build of a variant's kernels for this n, with ROWS.
  [[nodiscard]] KernelBuild build_of(const KernelVariant& variant,
                                     const Parameters& parameters) const;
  /// The build of kernel number `which` of batched_panels.cl for this n.
  [[nodiscard]] KernelBuild panels_build(int which) const;
  /// Right-hand sides per work-group of batched_solve, which reads the factors once for all of
  /// them.
  [[nodiscard]] cl_uint rhs_for(Index nrhs) const;

  /// Whether all kernels together passed their self-test, with `nrhs` right-hand sides, in a
  /// workspace and in place. The test runs when `build` is first requested. True while the test
  /// itself is running.
  bool works(const KernelBuild& build, Index nrhs);
  /// Records that `build` works, because the kernels that it was tested with do.
  void note_works(const KernelBuild& build);
  [[noreturn]] void none_works(const KernelBuild& build);

  Context context_;
  NumberType number_;
  cl_uint n_;
  bool definite_;
  Index ld_;  // of factors in the workspace
  Parameters panels_;

 private:
  /// The number of systems whose factors fit into the workspace.
  [[nodiscard]] Index fitting() const;
  void reserve(Index systems);
  void ask(Index nrhs);

  std::uint64_t workspace_;
  cl::Buffer lu_, permutation_;
  Index reserved_ = 0;
  bool asks_ = false;
};

}  // namespace clgauss
