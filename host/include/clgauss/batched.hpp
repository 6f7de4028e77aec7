#pragma once
/// Many systems A_s x_s = b_s of one size, n <= 2048, solved in one go by LU with partial pivoting,
/// or by Cholesky.

#include <clgauss/context.hpp>
#include <clgauss/enqueue.hpp>
#include <clgauss/export.hpp>
#include <clgauss/io.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// The largest n that the batched kernels take.
inline constexpr Index kLargestBatchedSystem = 2048;

/// Matrices of one shape in a buffer: element (i, j) of matrix s is number offset + s * stride + i
/// * ld + j, in elements of the type that the call names. Owns nothing but a reference to the
/// buffer.
struct BatchView {
  cl::Buffer buffer;
  Index offset = 0;
  Index ld = 0;
  Index stride = 0;
};

/// Whose kernels do the work. All give answers of the same quality.
enum class BatchedKernel {
  /// The one that suits the device and n.
  automatic,
  /// Each vector lane solves a system. For CPU devices whose work-items may run long.
  cpu,
  /// One system after the other, as Lu does it. For the same devices; it waits for each.
  each,
  /// A system in the registers of one work-group. For any device, n <= 128.
  tile,
  /// A system in the registers of a sub-group or several. For devices that take PTX, n <= 128, one
  /// right-hand side; else as tile.
  ptx,
  /// A system in global memory, its panels of columns in the local memory of one work-group. For
  /// any device, n <= 256.
  panels,
  /// Columns by blocks, in launches that span the batch. For any device.
  blocks
};
[[nodiscard]] std::string_view batched_kernel_name(BatchedKernel kernel);

struct BatchedLuOptions {
  BatchedKernel kernel = BatchedKernel::automatic;
  /// of tile: a system has grid x grid work-items; even, 2 to 16; 0 = chosen by n
  unsigned grid = 0;
  /// all A_s are symmetric and positive definite: by Cholesky, see BatchedLu
  bool positive_definite = false;
};

/// Factors of a batch where they lie: strict lower parts L (unit diagonal not stored), upper parts
/// U.
struct BatchFactors {
  BatchView lu;
  Index batch = 0;
  cl::Buffer permutation;  // batch x n cl_int: row i of L U is row permutation[s n + i] of A_s
  /// batch cl_int: 0, or 1 + the first column whose pivot is exactly zero or not finite; of
  /// Cholesky, not a positive number
  cl::Buffer info;
};

/// P_s A_s = L_s U_s for one n and type, on the caller's buffers; it keeps its context. Operations
/// are enqueued in order and nothing waits, but for `each`; a batch of 0 is nothing to do. Systems
/// do not influence each other: one that is singular leaves the others' results as they would be
/// without it, to the bit.
///
/// With BatchedLuOptions::positive_definite it is Cholesky's factorisation without its square
/// roots, A_s = L_s D_s L_s^T, stored as the LU without exchanges that it is, U = D L^T. It reads
/// the lower triangles alone and takes half the flops.
class BatchedLu {
 public:
  /// Throws DimensionError if n is 0 or above kLargestBatchedSystem, DeviceLimit if `options` name
  /// kernels that the device cannot run, or that do not take n or Cholesky, UsageError for an
  /// impossible grid.
  BatchedLu(Context& context, RealType type, Index n, const BatchedLuOptions& options = {});
  BatchedLu(BatchedLu&&) noexcept;
  BatchedLu& operator=(BatchedLu&&) noexcept;
  ~BatchedLu();

  /// Builds what factor_and_solve() takes for `nrhs` right-hand sides. Without it that happens at
  /// the first call.
  void prepare(Index nrhs);

  /// Factors `batch` n-by-n matrices in place; the buffers of the result are the caller's. 2/3 n^3
  /// flops a system. Throws BuildError, OutOfMemory, OpenClError.
  BatchFactors factor(const BatchView& a, Index batch, const cl::Buffer& permutation,
                      const cl::Buffer& info, const EnqueueOptions& enqueue = {});

  /// B_s <- A_s^-1 B_s for n-by-nrhs matrices; NaN where info[s] is not 0. 2 n^2 nrhs flops a
  /// system.
  void solve(const BatchFactors& factors, const BatchView& b, Index nrhs,
             const EnqueueOptions& enqueue = {});

  /// B_s <- A_s^-1 B_s, and info as in BatchFactors; A is left as it is, no factors are kept. One
  /// launch, but for `each`, `panels` and `blocks`; the last two keep the factors of up to 1 GiB of
  /// systems at a time. With more than 8 right-hand sides, factor() and solve() do less work on a
  /// GPU where n <= 128.
  void factor_and_solve(const BatchView& a, const BatchView& b, Index nrhs, Index batch,
                        const cl::Buffer& info, const EnqueueOptions& enqueue = {});

  /// What factor_and_solve() runs for one right-hand side, for reports: "cpu", "each", "ptx",
  /// "tile 8 x 8", "panels" or "blocks".
  [[nodiscard]] std::string kernel_name() const;

 private:
  class CLGAUSS_HIDDEN Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Host matrices of one shape, row-major, one after the other.
struct Batch {
  Index count = 0, rows = 0, cols = 0;
  Values values;  // count * rows * cols

  [[nodiscard]] std::span<const double> matrix(Index s) const {
    return std::span(values).subspan(s * rows * cols, rows * cols);
  }
  [[nodiscard]] std::span<double> matrix(Index s) {
    return std::span(values).subspan(s * rows * cols, rows * cols);
  }
};

/// A_s x_s = b_s: `a` is batch x n x n, `b` batch x n x nrhs.
struct BatchedSystem {
  Batch a;
  Batch b;
  bool vectors = false;  // b came as batch x n; x is written so, too
};

struct BatchedOptions {
  std::optional<RealType> type;  // empty: f64 where the device has it, else f32
  double max_scaled_residual = kScaledResidualBound;
  bool trust = false;  // rcond of every system, from its whole inverse: n more right-hand sides
  Index chunk = 0;     // systems that are on the device at once; 0 = as many as fit well
  BatchedLuOptions lu;
};

/// The condition of the systems of a batch that have an answer: rcond in the 1-norm, from the
/// inverse that the device computes.
struct BatchedTrust {
  double worst_rcond = 1;
  Index worst_system = 0;
  /// how many have an rcond below the type's eps: their x may have no correct digit
  Index below_eps = 0;
};

struct BatchedSolution {
  /// of any: singular or not positive definite, else overflow, else inaccurate
  SolveStatus status = SolveStatus::ok;
  Batch x;  // batch x n x nrhs; NaN where there is no answer
  RealType type = RealType::f64;
  std::string kernel;                 // BatchedLu::kernel_name()
  std::vector<Index> singular;        // or not positive definite: 0-based systems, ascending
  std::vector<Index> failed_columns;  // of each, 0-based; see BatchFactors::info
  std::vector<Index> overflowed;      // 0-based systems, ascending, that left the range of the type
  Residual worst;                     // the largest of all systems that have an answer
  std::optional<Index> worst_system;  // whose it is
  std::optional<BatchedTrust> trust;  // if it was asked for, and a system has an answer
  SolveTimes times;                   // forward holds factorisation and solution, backward nothing
};

/// Solves every system of the batch, scaled by itself as in solve(), in as many chunks as the
/// device's memory asks for, and checks every answer by its residual on the host. Throws
/// DimensionError (shapes, n = 0, n > kLargestBatchedSystem), ValueError (a matrix that is not
/// symmetric, which is to be positive definite), DeviceLimit, OutOfMemory, BuildError, OpenClError.
[[nodiscard]] BatchedSolution solve_batched(Context& context, const BatchedSystem& system,
                                            const BatchedOptions& options = {},
                                            const ProgressCallback& progress = {});

/// Reads a batch from .npy files of three dimensions; `path` "-" is standard input. With an empty
/// `rhs` the file holds batch x n x (n + nrhs), nrhs >= 1; otherwise batch x n x n, and `rhs` is
/// "ones", "row-sums" (so x = 1), "identity" (so x is the inverse) or a file with b, batch x n or
/// batch x n x nrhs. Throws as read_system().
[[nodiscard]] BatchedSystem read_batched_system(const std::string& path, const std::string& rhs,
                                                const ReadOptions& options = {});

/// Writes .npy of little-endian f8: count x rows x cols, or count x rows if `vectors`.
void write_batch(OutputFile& file, const Batch& batch, bool vectors);

}  // namespace clgauss
