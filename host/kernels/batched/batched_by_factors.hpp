#pragma once
/// What batched kernels have in common that keep the factors of some systems in global memory.

#include <clgauss/lab/kernel_trials.hpp>

#include "kernels/batched/batched_backend.hpp"
#include "kernels/common/cpu_tile.hpp"

namespace clgauss {

/// Factors and solves in launches of their own; in factor_and_solve(), which leaves A as it is, for
/// as many systems at a time as a workspace has room for.
class BatchedByFactors : public BatchedBackend {
 public:
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
  /// Factors of systems from `first` on; info is of the whole batch.
  struct Part {
    BatchFactors factors;
    Index first;
  };

  static constexpr Index kAlignment = 4;  // of rows that products read in vectors

  /// `panels`: parameters of batched_panels_variant(). `workspace`: bytes of factors at a time.
  BatchedByFactors(Context& context, RealType type, Index n, bool definite, Parameters panels,
                   std::uint64_t workspace)
      : context_(context),
        type_(type),
        n_(static_cast<cl_uint>(n)),
        definite_(definite),
        ld_(round_up(n, kAlignment)),
        panels_(std::move(panels)),
        workspace_(workspace) {}

  /// L\U of the systems of `a` from part.first on, where the part's factors are to lie.
  virtual void factor_part(const cl::CommandQueue& queue, const BatchView& a, const Part& part) = 0;
  /// By batched_solve of batched_panels.cl. nrhs > 0.
  virtual void solve_part(const cl::CommandQueue& queue, const Part& part, const BatchView& b,
                          Index nrhs);

  /// batched_solve, for the device to build.
  [[nodiscard]] KernelBuild solve_build(Index nrhs) const;
  /// batched_panels.cl, built for this n: kernel number `which`.
  [[nodiscard]] KernelBuild panels_build(int which) const;
  /// Right-hand sides of a group of batched_solve, which reads the factors once for them.
  [[nodiscard]] cl_uint rhs_for(Index nrhs) const;

  /// Whether all kernels together passed their self-test when `build` was first wanted, with
  /// `nrhs` right-hand sides, in a workspace and in place. True while they are being asked.
  bool works(const KernelBuild& build, Index nrhs);
  /// Notes that `build` works, as what was asked together with it did.
  void note_works(const KernelBuild& build);
  [[noreturn]] void none_works(const KernelBuild& build);

  Context context_;
  RealType type_;
  cl_uint n_;
  bool definite_;
  Index ld_;  // of factors in the workspace
  Parameters panels_;

 private:
  /// Systems whose factors fit the workspace.
  [[nodiscard]] Index fitting() const;
  void reserve(Index systems);
  void ask(Index nrhs);

  std::uint64_t workspace_;
  cl::Buffer lu_, permutation_;
  Index reserved_ = 0;
  bool asks_ = false;
};

}  // namespace clgauss
