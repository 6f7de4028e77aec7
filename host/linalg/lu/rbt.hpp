#pragma once
/// LU of a matrix mixed by random butterflies. Pivots are searched only near the diagonal, by one
/// launch of one work-group per block; products do the rest. The solution must be refined, and may
/// have to be discarded.

#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/lab/parameters.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <cstdint>
#include <memory>
#include <optional>

namespace clgauss {

/// The default seed; the program uses it for every solve.
inline constexpr std::uint64_t kRbtSeed = 1995;

/// The default parameters of rbt_variants() for factors of `type`.
[[nodiscard]] Parameters default_rbt_parameters(const DeviceProfile& device, RealType type,
                                                Index n);

/// The options of RbtLu.
struct RbtOptions {
  std::uint64_t seed = kRbtSeed;         // of the butterflies; same seed and input, same answer
  std::optional<Parameters> parameters;  // instead of the default ones
  GemmOptions gemm;
  bool may_wait = true;  // whether work-groups of a solve may wait for each other
};

/// How a factorisation went.
struct RbtOutcome {
  std::optional<Index> first_bad_pivot;  // zero or not finite; the factors are useless
  double growth = 0;                     // max|U| / max|U^T A V|; not finite if the factors are not
  double largest_factor = 0;             // max|L|; at most 1 if whole columns are searched
  double smallest_pivot = 0;             // min|u_ii| / max|U^T A V|; of a singular A about n eps

  /// Whether no pivot is bad and every number is finite. Refinement shows whether the factors
  /// suffice.
  [[nodiscard]] bool ok() const;
};

/// P U^T A V = L R by blocks of NB columns, with random butterflies U and V of depth 2 (Parker
/// 1995; Baboulin, Dongarra, Herrmann, Tomov 2013). Solves by x = V R^-1 L^-1 P U^T b.
///
/// Butterflies without any row exchange leave factors in f32 that are useless from n = 1000 on:
/// random matrices grow by 10^4 and more, and refinement no longer converges. At n = 4096, partial
/// pivoting among the NB rows of a diagonal block leaves growths of 10^3 to 10^4. Among the 2 NB
/// rows of a window the growth is 40, the same as with partial pivoting over whole columns. RbtLu
/// therefore searches the window; its exchanges touch 2 NB rows per block.
///
/// The factors and the updated part of U^T A V lie in a workspace, so A is not changed. Only
/// outcome() waits. Scale rows of very different sizes first; otherwise the butterflies add small
/// rows to large ones and lose them. Large matrices with few nonzeros may keep singular leading
/// blocks after depth 2; outcome() or refinement shows that.
class RbtLu {
 public:
  /// A is of `input_type`. Factors and right-hand sides are of `factor_type`, which may not be
  /// wider. Throws UsageError, DimensionError, DeviceLimit, OutOfMemory.
  RbtLu(Context& context, RealType factor_type, RealType input_type, Index n,
        const RbtOptions& options = {});
  RbtLu(RbtLu&&) noexcept;
  RbtLu& operator=(RbtLu&&) noexcept;
  ~RbtLu();

  /// Builds and self-tests the kernels, and allocates the workspace, for `nrhs` right-hand sides.
  /// Throws NoUsableKernel, OutOfMemory.
  void prepare(Index nrhs);
  /// Prepares both plain and transposed solves. Throws NoUsableKernel.
  void prepare_both(Index nrhs);

  /// Enqueues the factorisation of the n-by-n `a`, which is not changed. 2/3 n^3 flops, one pass
  /// over A. If `progress` is given, waits for the device on the way and at the end. Throws
  /// DimensionError.
  void factor(const cl::CommandQueue& queue, const MatrixView& a,
              const ProgressCallback& progress = {});

  /// Enqueues B <- V R^-1 L^-1 P U^T B, n-by-nrhs, with the factors of the last factor(). Throws
  /// DimensionError, and UsageError if there are no factors.
  void solve(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs);

  /// As solve(), for B <- A^-T B = U P^T L^-T R^-T V^T B. Also throws NoUsableKernel.
  void solve_transposed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs);

  /// The outcome of the last factor() and of the solves since. Waits for the queue. Throws
  /// CoResidencyLost.
  [[nodiscard]] RbtOutcome outcome(const cl::CommandQueue& queue);

  [[nodiscard]] std::uint64_t seed() const;

  /// Leaves the matrices to the context's next solve (launch/matrix_memory.hpp). The next call, if
  /// there is one, must be resume(), which takes them back, without factors. Throws OutOfMemory.
  void release();
  void resume();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Bytes of all buffers of an RbtLu with the default parameters.
[[nodiscard]] std::uint64_t rbt_workspace_bytes(const DeviceProfile& device, RealType factor_type,
                                                Index n, Index nrhs);

}  // namespace clgauss
