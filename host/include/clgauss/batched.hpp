#pragma once
/// Many systems A_s x_s = b_s of one size, solved together by LU with partial pivoting or by
/// Cholesky: real ones, n <= 2048, and complex ones, n <= 256. By L D L^T: real ones, n <= 256.

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

/// The largest n that the batched kernels support.
inline constexpr Index kLargestBatchedSystem = 2048;
/// The same of complex numbers.
inline constexpr Index kLargestComplexBatchedSystem = 256;
/// The same of L D L^T.
inline constexpr Index kLargestSymmetricBatchedSystem = 256;

/// Matrices of one shape in a buffer: element (i, j) of matrix s is number offset + s * stride + i
/// * ld + j, in numbers of the call's type, real or complex. It owns only a reference to the
/// buffer.
struct BatchView {
  cl::Buffer buffer;
  Index offset = 0;
  Index ld = 0;
  Index stride = 0;
};

/// Which kernels do the work. The answers of all have the same quality.
enum class BatchedKernel {
  /// The kernels that suit the device and n.
  automatic,
  /// Each vector lane solves one system. For CPU devices whose work-items may run long.
  cpu,
  /// One system after the other, as Lu does it, waiting for each. For the same devices.
  each,
  /// One system in the registers of a work-group. For any device, n <= 128.
  tile,
  /// One system in the registers of one or several sub-groups. For devices that support PTX, n <=
  /// 128 (complex in f64: n <= 96). factor() and solve() are as with `tile`; so are several
  /// right-hand sides for n < 4 and above n = 32.
  ptx,
  /// One system in global memory, with its panels of columns in a work-group's local memory. For
  /// any device, n <= 256.
  panels,
  /// Blocks of columns, in launches that cover the whole batch. For any device.
  blocks
};
[[nodiscard]] std::string_view batched_kernel_name(BatchedKernel kernel);

struct BatchedLuOptions {
  BatchedKernel kernel = BatchedKernel::automatic;
  /// For `tile`: a system has grid x grid work-items; even, 2 to 16; 0 = chosen by n.
  unsigned grid = 0;
  /// All A_s are symmetric, or Hermitian, and positive definite: use Cholesky, see BatchedLu.
  bool positive_definite = false;
  /// All A_s are symmetric and may be indefinite: use L D L^T, see BatchedLu. For real numbers and
  /// the kernel automatic, n <= kLargestSymmetricBatchedSystem. Without effect where
  /// positive_definite is set.
  bool symmetric = false;
  /// The numbers are complex, each two of the type, the real part first. The pivot has the largest
  /// |re| + |im| of its column, as in LAPACK's zgesv. For the kernels automatic, cpu, tile and ptx
  /// (n <= 128, in f64 n <= 96) and panels.
  bool complex = false;
};

/// The factors of a batch, in place: strict lower parts L (unit diagonal not stored), upper parts
/// U.
struct BatchFactors {
  BatchView lu;
  Index batch = 0;
  /// batch x n cl_int: row i of L U is row permutation[s n + i] of A_s. For L D L^T see BatchedLu.
  cl::Buffer permutation;
  /// batch cl_int: 0, or 1 + the first column whose pivot is exactly zero or not finite. For
  /// Cholesky: whose pivot is not a positive number.
  cl::Buffer info;
};

/// P_s A_s = L_s U_s for one n and type, in the caller's buffers. It keeps its context. Operations
/// are enqueued in order and do not wait, except with `each`; an empty batch does nothing. Systems
/// do not influence each other: if one is singular, the results of the others are bitwise the same
/// as without it.
///
/// With BatchedLuOptions::positive_definite it is Cholesky's factorisation without square roots,
/// A_s = L_s D_s L_s^T. It is stored as the LU without exchanges that it is, U = D L^T. It reads
/// only the lower triangles and takes half the flops. Of complex numbers it is L D L^H with a real
/// D, and of the diagonal only the real parts are read.
///
/// With BatchedLuOptions::symmetric it is P_s A_s P_s^T = L_s D_s L_s^T with the pivots of Bunch
/// and Kaufman, as in LAPACK's sytrf. It reads only the lower triangles, and takes half the flops.
/// L is stored below the diagonal, D on it; where a block of D is 2 x 2, its number below the
/// diagonal is in the place of L's 0. Above the diagonal nothing is written. Row i of P A P^T is
/// row p = permutation[s n + i] of A; where a 2 x 2 block begins, the number is -1 - p. A pivot of
/// 0 has only zeros below it.
class BatchedLu {
 public:
  /// Throws DimensionError if n is 0 or above kLargestBatchedSystem, for complex numbers
  /// kLargestComplexBatchedSystem, for L D L^T kLargestSymmetricBatchedSystem; UsageError for an
  /// invalid grid; and DeviceLimit if `options` name kernels that the device cannot run or that do
  /// not support n, Cholesky, L D L^T or complex numbers.
  BatchedLu(Context& context, RealType type, Index n, const BatchedLuOptions& options = {});
  BatchedLu(BatchedLu&&) noexcept;
  BatchedLu& operator=(BatchedLu&&) noexcept;
  ~BatchedLu();

  /// Builds the kernels that factor_and_solve() needs for `nrhs` right-hand sides. Otherwise the
  /// first call builds them.
  void prepare(Index nrhs);

  /// Factors `batch` n-by-n matrices in place; the result refers to the caller's buffers. 2/3 n^3
  /// flops per system by LU, half as many by Cholesky and L D L^T, four times as many of complex
  /// numbers. Throws BuildError, OutOfMemory, OpenClError.
  BatchFactors factor(const BatchView& a, Index batch, const cl::Buffer& permutation,
                      const cl::Buffer& info, const EnqueueOptions& enqueue = {});

  /// B_s <- A_s^-1 B_s for n-by-nrhs matrices; NaN where info[s] is not 0. 2 n^2 nrhs flops per
  /// system, 8 n^2 nrhs of complex numbers.
  void solve(const BatchFactors& factors, const BatchView& b, Index nrhs,
             const EnqueueOptions& enqueue = {});

  /// B_s <- A_s^-1 B_s, and info as in BatchFactors. A is unchanged, and the factors are not kept.
  /// It takes one launch, except with `each`, `panels` and `blocks`; the last two hold the factors
  /// of up to 1 GiB of systems at a time. With `tile` and `ptx` it factors anew for every 8 (`ptx`:
  /// 4 to 32) right-hand sides: with more, factor() and solve() do less work.
  void factor_and_solve(const BatchView& a, const BatchView& b, Index nrhs, Index batch,
                        const cl::Buffer& info, const EnqueueOptions& enqueue = {});

  /// The name of what factor_and_solve() runs for one right-hand side, for reports: "cpu", "each",
  /// "ptx", "tile 8 x 8", "panels" or "blocks"; with BatchedLuOptions::symmetric "ldlt cpu", "ldlt
  /// local" or "ldlt global", by where A is factored.
  [[nodiscard]] std::string kernel_name() const;

  /// With BatchedLuOptions::symmetric, the inertia of each system of the last call that factored;
  /// otherwise empty. It means nothing of a system with a pivot that is not finite. Waits.
  [[nodiscard]] std::vector<Inertia> inertias() const;

 private:
  class CLGAUSS_HIDDEN Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Host matrices of one shape, row-major and contiguous. Of complex numbers they hold the parts, as
/// ComplexMatrix does: `cols` is then twice the number of columns.
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
  bool vectors = false;  // b was read as batch x n; x is written likewise
  bool complex = false;  // a holds batch x n x 2n parts, b and x batch x n x 2 nrhs

  /// Of a number.
  [[nodiscard]] Index parts() const { return complex ? 2 : 1; }
  [[nodiscard]] Index nrhs() const { return b.cols / parts(); }
};

struct BatchedOptions {
  std::optional<RealType> type;  // empty: f64 where the device has it, else f32
  double max_scaled_residual = kScaledResidualBound;
  bool trust = false;  // rcond of every system, from its inverse (n more right-hand sides)
  Index chunk = 0;     // systems on the device at once; 0 = chosen by its memory
  BatchedLuOptions lu;
};

/// The condition of those systems of a batch that have an answer: rcond in the 1-norm, from the
/// inverse that the device computes.
struct BatchedTrust {
  double worst_rcond = 1;
  Index worst_system = 0;
  /// How many have an rcond below the type's eps: their x may have no correct digit.
  Index below_eps = 0;
};

struct BatchedSolution {
  /// The worst: singular or not positive definite, then overflow, then inaccurate.
  SolveStatus status = SolveStatus::ok;
  Batch x;  // batch x n x nrhs, as b; NaN where there is no answer
  RealType type = RealType::f64;
  std::string kernel;                 // BatchedLu::kernel_name()
  std::vector<Index> singular;        // or not positive definite: 0-based systems, ascending
  std::vector<Index> failed_columns;  // of each of these, 0-based; see BatchFactors::info
  std::vector<Index> overflowed;      // 0-based systems, ascending, that left the range of the type
  Residual worst;                     // the largest among the systems that have an answer
  std::optional<Index> worst_system;  // the system with that residual
  std::optional<BatchedTrust> trust;  // if requested, and a system has an answer
  /// With BatchedLuOptions::symmetric, of every system. Means nothing of one that overflowed or has
  /// a NaN.
  std::vector<Inertia> inertias;
  /// With BatchedLuOptions::symmetric: 0-based systems, ascending, whose pivots grew so far that
  /// the residual was too large, and that solve() solved again well, with Pivoting::rook.
  std::vector<Index> solved_again;
  SolveTimes times;  // forward: factorisation and solution together; backward: 0
};

/// Solves every system of the batch, each scaled as solve() and solve_complex() do; system.complex
/// says which, whatever options.lu.complex is. It works in as many chunks as the device's memory
/// requires, and the host checks every answer by its residual. Throws DimensionError (shapes, n =
/// 0, n above the largest as in BatchedLu), ValueError (a matrix that should be symmetric or
/// Hermitian is not; it names the system and the element), DeviceLimit, OutOfMemory, BuildError,
/// OpenClError.
[[nodiscard]] BatchedSolution solve_batched(Context& context, const BatchedSystem& system,
                                            const BatchedOptions& options = {},
                                            const ProgressCallback& progress = {});

/// Reads a batch from three-dimensional .npy files; `path` "-" is standard input. With an empty
/// `rhs` the file holds batch x n x (n + nrhs), nrhs >= 1. Otherwise it holds batch x n x n, and
/// `rhs` is "ones", "row-sums" (so x = 1), "identity" (so x is the inverse) or a file with b, batch
/// x n or batch x n x nrhs. The system is complex if one of the files is. Throws as read_system()
/// does.
[[nodiscard]] BatchedSystem read_batched_system(const std::string& path, const std::string& rhs,
                                                const ReadOptions& options = {});

/// Writes .npy of little-endian f8: count x rows x cols, or count x rows if `vectors`; if
/// `complex`, of c16 with half as many columns.
void write_batch(OutputFile& file, const Batch& batch, bool vectors, bool complex = false);

}  // namespace clgauss
