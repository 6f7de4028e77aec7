#pragma once
/// Systems that exceed one device: several devices, several processes (MPI ranks), matrices larger
/// than memory. A matrix is stored in blocks of columns, which StarPU moves between devices, host,
/// disk and ranks. An optional part of clgauss: the library clgauss_distributed.

#include <clgauss/condition.hpp>
#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

class Ranks;

struct EngineOptions {
  /// "all": every GPU, or every CPU device if there is no GPU. Otherwise comma-separated specs as
  /// for select_device(). The ranks of a machine share its devices; if there are more ranks than
  /// devices, several use the same one.
  std::string devices = "all";
  std::optional<std::uint64_t>
      memory_bytes;  // of every device, for the matrix; empty: what is available
  /// A folder that holds the matrix instead of the host's memory.
  std::optional<std::filesystem::path> spill;
  ContextOptions context;  // of every device
};

/// What a device has done since the last DistributedLu was made.
struct DeviceUse {
  std::string name;
  double busy_s = 0, waiting_s = 0;  // time in steps of the factorisation; the remaining time
  std::uint64_t bytes_in = 0, bytes_out = 0;
};

/// One step on one device, for a trace. Times count from the engine's start.
struct StepRecord {
  std::string name;  // "panel 3", "update 3 7"
  unsigned device = 0;
  double begin_s = 0, end_s = 0;
};

/// StarPU and, if the process is one of several MPI ranks (mpirun), MPI. A process can have only
/// one engine at a time; it must outlive the objects made on it. All ranks must make it, and every
/// object on it, with the same arguments.
class Engine {
 public:
  /// Throws DeviceNotFound, UsageError (StarPU lacks OpenCL, or there is an engine already),
  /// FileError (`spill`). Throws RankError on the other ranks for what one of them threw, and if
  /// the ranks run different builds.
  explicit Engine(const EngineOptions& options = {});
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  [[nodiscard]] int rank() const;
  [[nodiscard]] int ranks() const;
  /// The devices of this rank.
  [[nodiscard]] const std::vector<DeviceProfile>& devices() const;
  [[nodiscard]] std::vector<DeviceUse> use() const;
  [[nodiscard]] std::vector<StepRecord> steps() const;

  /// Runs `body` on this rank. If it throws, its exception is thrown here and RankError on the
  /// other ranks, so that either all ranks continue or none.
  void together(const std::function<void()>& body) const;
  /// For callers that communicate between ranks themselves; see distributed/ranks.hpp.
  [[nodiscard]] const Ranks& world() const;

  struct CLGAUSS_HIDDEN Implementation;
  [[nodiscard]] Implementation& implementation() { return *implementation_; }

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// Writes the steps of all solves since the engine's start (DistributedOptions::keep_steps) in
/// Chrome's trace format, for ui.perfetto.dev, with one row per device. With several ranks, each
/// writes its own file PATH.rankR. Throws FileError.
void write_trace(const Engine& engine, const std::string& path);

/// Whether this process is one of several ranks.
[[nodiscard]] bool has_ranks() noexcept;
/// Divides a machine's cores among its ranks by limiting the threads of PoCL. A program should call
/// it before any OpenCL call. No function in clgauss calls it, because a library must not change
/// its host's environment.
void share_cores_among_ranks();
/// Ends all ranks with this exit code, for an error that one rank finds while the others work.
/// Returns if there are no other ranks.
void end_all_ranks(int exit_code) noexcept;

/// Another rank failed; the message says which one and why. The code is that of the other rank's
/// error.
class RankError : public Error {
 public:
  RankError(ErrorCode code, const std::string& message) : Error(code, message) {}
};

/// The columns of an n-by-n matrix from any source: a file, memory, a formula.
class ColumnSource {
 public:
  ColumnSource() = default;
  ColumnSource(const ColumnSource&) = delete;
  ColumnSource& operator=(const ColumnSource&) = delete;
  virtual ~ColumnSource() = default;

  [[nodiscard]] virtual Index n() const = 0;
  /// Writes columns first .. first + count to `to`, row-major, n-by-count. Several threads may call
  /// it at once. Throws FileError.
  virtual void read(Index first, Index count, std::span<double> to) const = 0;
  /// A number that distinguishes the matrix from others. It is compared between ranks, and with
  /// that of a checkpoint.
  [[nodiscard]] virtual std::uint64_t fingerprint() const = 0;
  /// Called on all ranks before the first read(), for a source that sends columns to other ranks.
  /// Rank r of P will read the blocks r, r + P, r + 2 P, .. of `block_columns` columns each, always
  /// whole blocks. Throws OutOfMemory.
  virtual void prepare(Engine& engine, Index block_columns) const;
};

/// The columns of a matrix in memory, which must outlive the result.
[[nodiscard]] std::unique_ptr<ColumnSource> columns_of(const Matrix& a);
/// The columns of an uncompressed n-by-n .npy file of f64 or f32, which reads only the requested
/// ones; null for any other file.
[[nodiscard]] std::unique_ptr<ColumnSource> columns_of_npy(const std::filesystem::path& file);
/// The columns of a matrix that only the first rank has. They are sent to the ranks that read them,
/// and `a` is freed.
[[nodiscard]] std::unique_ptr<ColumnSource> columns_of_first_rank(const Engine& engine, Matrix a);
/// Random numbers in [-1, 1), which depend only on the seed, not on the machine or the block size.
[[nodiscard]] std::unique_ptr<ColumnSource> random_columns(Index n, std::uint64_t seed);

struct Checkpoint {
  std::filesystem::path folder;
  double every_s = 600;
  bool resume = false;  // continue from the blocks in the folder
};

struct DistributedOptions {
  RealType type = RealType::f64;
  Equilibration equilibration = Equilibration::automatic;  // as in SolveOptions, but from A alone
  std::optional<Index> block_columns;                      // empty: chosen for the devices
  std::optional<Checkpoint> checkpoint;
  bool keep_steps = false;  // for Engine::steps()
};

/// A = P^T L U with partial pivoting, in place, and solves with it. The columns are dealt out to
/// the ranks and their devices in turn. All ranks must make every call, except those that return
/// known values. If the magnitudes of A's rows or columns require it, R A C is factored, with
/// powers of two in R and C; A^-1 B is unaffected.
class DistributedLu {
 public:
  /// Reads this rank's columns. Throws DimensionError, ValueError, OutOfMemory, FileError, and the
  /// errors of building a device's kernels; on the other ranks RankError.
  DistributedLu(Engine& engine, const ColumnSource& source, const DistributedOptions& options = {});
  DistributedLu(DistributedLu&&) noexcept;
  ~DistributedLu();

  /// Factors A and returns A^-1 B on all ranks; the result is empty if there is a failed_column().
  /// Throws the errors of a device's work (OpenClError, CoResidencyLost, naming the device),
  /// FileError, and what `progress` throws. If it throws while there are other ranks, the process
  /// should end with end_all_ranks().
  [[nodiscard]] Matrix factor_and_solve(const Matrix& b, const ProgressCallback& progress = {});

  /// A^-1 B with the existing factors.
  [[nodiscard]] Matrix solve(const Matrix& b, const ProgressCallback& progress = {});

  /// A^-T B, computed by the hosts of the ranks; copies of the blocks stay in their memory. 2 n^2
  /// flops per right-hand side. Throws SingularFactors.
  [[nodiscard]] Matrix solve_transposed(const Matrix& b) const;

  /// The residual b - A x in f64, on all ranks, with columns read from the source again. If
  /// `magnitudes` is not null, it receives |b| + |A| |x|.
  [[nodiscard]] Matrix subtract_product(const Matrix& b, const Matrix& x,
                                        Matrix* magnitudes = nullptr) const;
  /// The measures of x from `residual`, the result of subtract_product().
  [[nodiscard]] Residual judge(const Matrix& b, const Matrix& x, const Matrix& residual) const;

  /// The determinant of A.
  [[nodiscard]] Determinant determinant() const;
  /// max |A| / max |U|, for R A C.
  [[nodiscard]] double reciprocal_growth() const;

  /// The whole matrix on rank `rank`, column by column, n^2 doubles; empty on the others. Before
  /// factor_and_solve() it is R A C. Afterwards it is what LAPACK's dgetrf makes of R A C with the
  /// leading dimension n: L with all exchanges in the strict lower triangle, and U.
  [[nodiscard]] std::vector<double> gather(int rank = 0) const;

  /// The sizes of A and of R A C.
  [[nodiscard]] MatrixSize size() const;
  [[nodiscard]] MatrixSize scaled_size() const;
  /// The exponents of the powers of two in R and C; empty: all 0.
  [[nodiscard]] const std::vector<int>& row_exponents() const;
  [[nodiscard]] const std::vector<int>& column_exponents() const;
  [[nodiscard]] std::optional<Index> failed_column() const;
  /// Row exchanged with row j, 0-based: LAPACK's ipiv - 1, on all ranks.
  [[nodiscard]] const std::vector<Index>& pivots() const;
  [[nodiscard]] Index n() const;
  [[nodiscard]] Index block_columns() const;
  /// Blocks that were restored from a checkpoint.
  [[nodiscard]] Index resumed_blocks() const;

 private:
  class CLGAUSS_HIDDEN Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Products with A^-1 and A^-T, for the estimates of condition.hpp; `lu` must outlive the result.
[[nodiscard]] InverseProducts inverse_of(DistributedLu& lu);

/// An answer, on every rank, and how it was computed. `times` is not filled in.
struct DistributedSolution : Solution {
  Index block_columns = 0, resumed_blocks = 0;
  double load_s = 0, solve_s = 0, check_s = 0;  // check_s: residual, refinement, error estimate
};

/// Makes B for the matrix in `source`; called once A is loaded.
using MakeRightHandSides = std::function<Matrix(DistributedLu& lu)>;

struct DistributedSolveOptions {
  DistributedOptions lu;
  Accuracy accuracy = Accuracy::double_precision;  // single_precision: x is not refined with f32
  bool trust = false;                              // estimate rcond and the forward error
  bool determinant = false;
  double max_scaled_residual = kScaledResidualBound;
};

/// Factors, solves, and computes the residual. x is refined as solve() does: for the accuracy of
/// f64 with factors in f32, and if pivot growth made an x in f64 lose digits. Accuracy::maximum is
/// not supported. Throws as DistributedLu, and UsageError.
[[nodiscard]] DistributedSolution solve_distributed(Engine& engine, const ColumnSource& source,
                                                    const MakeRightHandSides& make_b,
                                                    const DistributedSolveOptions& options = {},
                                                    const ProgressCallback& progress = {});

}  // namespace clgauss
