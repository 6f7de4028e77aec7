#pragma once
/// LU of a matrix that random butterflies mixed, whose pivots are sought near the diagonal alone: a
/// launch of one work-group a block, products for the rest, and an answer that must be refined and
/// may have to be thrown away.

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

/// The seed where none is given, and of every solve by the program.
inline constexpr std::uint64_t kRbtSeed = 1995;

/// The usual parameters of rbt_variants() for factors of `type`.
[[nodiscard]] Parameters default_rbt_parameters(const DeviceProfile& device, RealType type,
                                                Index n);

/// What there is to choose.
struct RbtOptions {
  std::uint64_t seed = kRbtSeed;         // of the butterflies: same seed and input, same answer
  std::optional<Parameters> parameters;  // instead of the usual ones
  GemmOptions gemm;
};

/// How a factorisation went.
struct RbtOutcome {
  std::optional<Index> first_bad_pivot;  // zero or not finite: the factors are worthless
  double growth = 0;                     // max|U| / max|U^T A V|; not finite if the factors are not
  double largest_factor = 0;             // max|L|; at most 1 where whole columns are searched
  double smallest_pivot = 0;             // min|u_ii| / max|U^T A V|; of a singular A about n eps

  /// No pivot was bad and every number is finite. Whether the factors serve, refinement shows.
  [[nodiscard]] bool ok() const;
};

/// P U^T A V = L R by blocks of NB columns, U and V random butterflies of depth 2 (Parker 1995;
/// Baboulin, Dongarra, Herrmann, Tomov 2013), and solves with it: x = V R^-1 L^-1 P U^T b.
///
/// Butterflies alone, without any exchange of rows, leave factors in f32 that are of no use from n
/// = 1000 on: random matrices grow by 10^4 and more, and refinement no longer converges. Partial
/// pivoting among the NB rows of a diagonal block leaves growths of 10^3 to 10^4 at n = 4096, among
/// the 2 NB rows of a window 40, which is that of partial pivoting over whole columns. So the
/// window it is; its exchanges touch 2 NB rows a block.
///
/// The factors and what is left of U^T A V lie in workspace of its own, so A stays. Nothing waits
/// but outcome(). Rows of very different sizes are to be scaled before, or the butterflies add the
/// small ones to the large ones. Large matrices with few elements beside zero may keep singular
/// leading blocks after depth 2; outcome() or refinement tells.
class RbtLu {
 public:
  /// A is of `input_type`, factors and right-hand sides are of `factor_type`, which may not be
  /// wider. Throws UsageError, DimensionError, DeviceLimit, OutOfMemory.
  RbtLu(Context& context, RealType factor_type, RealType input_type, Index n,
        const RbtOptions& options = {});
  RbtLu(RbtLu&&) noexcept;
  RbtLu& operator=(RbtLu&&) noexcept;
  ~RbtLu();

  /// Builds and asks the kernels, and makes room, for `nrhs` right-hand sides. Throws
  /// NoUsableKernel, OutOfMemory.
  void prepare(Index nrhs);
  /// For solves in turn, plain and transposed. Throws NoUsableKernel.
  void prepare_both(Index nrhs);

  /// Enqueues the factorisation of `a`, n-by-n, which stays. 2/3 n^3 flops, one pass over A. Where
  /// `progress` is given, the device is waited for on the way and in the end. Throws
  /// DimensionError.
  void factor(const cl::CommandQueue& queue, const MatrixView& a,
              const ProgressCallback& progress = {});

  /// Enqueues B <- V R^-1 L^-1 P U^T B, n-by-nrhs, with the factors of the last factor(). Throws
  /// DimensionError, UsageError where there are none.
  void solve(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs);

  /// The same for B <- A^-T B = U P^T L^-T R^-T V^T B. Throws NoUsableKernel, too.
  void solve_transposed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs);

  /// Of the last factor(), and of the solves since; waits for the queue. Throws CoResidencyLost.
  [[nodiscard]] RbtOutcome outcome(const cl::CommandQueue& queue);

  [[nodiscard]] std::uint64_t seed() const;

  /// Leaves its matrices to the context's next solve (launch/matrix_memory.hpp); the last call.
  void release();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Bytes of everything that an RbtLu with the usual parameters holds.
[[nodiscard]] std::uint64_t rbt_workspace_bytes(const DeviceProfile& device, RealType factor_type,
                                                Index n, Index nrhs);

}  // namespace clgauss
