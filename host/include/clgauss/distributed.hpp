#pragma once
/// Systems beyond one device: several devices, several processes (MPI ranks), matrices larger than
/// memory. A matrix is made of blocks of columns, which StarPU moves between devices, host, disk
/// and ranks. An optional part: the library clgauss_distributed.

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
  /// "all": every GPU, or every CPU device where there is no GPU; else specs of devices as
  /// select_device() takes them, with commas between. Ranks of one machine share them out; where
  /// there are more ranks than devices, several take the same one.
  std::string devices = "all";
  std::optional<std::uint64_t>
      memory_bytes;  // of every device, for the matrix; empty: what there is
  /// a folder for the matrix instead of the host's memory
  std::optional<std::filesystem::path> spill;
  ContextOptions context;  // of every device
};

/// What a device did since the last DistributedLu was made.
struct DeviceUse {
  std::string name;
  double busy_s = 0, waiting_s = 0;  // working at steps of the factorisation; the rest of the time
  std::uint64_t bytes_in = 0, bytes_out = 0;
};

/// One step on one device, for a picture of what went on. Times count from the engine's start.
struct StepRecord {
  std::string name;  // "panel 3", "update 3 7"
  unsigned device = 0;
  double begin_s = 0, end_s = 0;
};

/// StarPU and, where the process is one of several ranks of MPI (mpirun), MPI. One at a time in a
/// process; it must outlive what is made on it. All ranks make it, and everything on it, with the
/// same arguments.
class Engine {
 public:
  /// Throws DeviceNotFound, UsageError (no OpenCL in StarPU, an engine is there already), FileError
  /// (`spill`), and on all ranks RankError for what one of them threw, or if they are not of one
  /// build.
  explicit Engine(const EngineOptions& options = {});
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  [[nodiscard]] int rank() const;
  [[nodiscard]] int ranks() const;
  /// Of this rank.
  [[nodiscard]] const std::vector<DeviceProfile>& devices() const;
  [[nodiscard]] std::vector<DeviceUse> use() const;
  [[nodiscard]] std::vector<StepRecord> steps() const;

  /// Runs `body` on this rank. Throws what it throws, and RankError on the others, so that all go
  /// on or none does.
  void together(const std::function<void()>& body) const;
  /// For who has the ranks talk to each other himself; distributed/ranks.hpp.
  [[nodiscard]] const Ranks& world() const;

  struct CLGAUSS_HIDDEN Implementation;
  [[nodiscard]] Implementation& implementation() { return *implementation_; }

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// Writes the steps of all solves since the engine's start (DistributedOptions::keep_steps) in
/// Chrome's trace format, for ui.perfetto.dev: one row a device; of several ranks each to its own
/// file, PATH.rankR. Throws FileError.
void write_trace(const Engine& engine, const std::string& path);

/// Whether this process is one of several ranks.
[[nodiscard]] bool has_ranks() noexcept;
/// For a program to call before anything else of OpenCL: ranks of one machine share its cores,
/// PoCL's threads of each take as many as are its. A library leaves its host's environment alone,
/// so nothing in clgauss calls it.
void share_cores_among_ranks();
/// Ends all ranks with this exit code; for what a rank finds out while the others work. Returns
/// where there are no others.
void end_all_ranks(int exit_code) noexcept;

/// Another rank failed; the message says which, and why. Its code is the other rank's.
class RankError : public Error {
 public:
  RankError(ErrorCode code, const std::string& message) : Error(code, message) {}
};

/// Columns of an n-by-n matrix, wherever they come from: a file, memory, a formula.
class ColumnSource {
 public:
  ColumnSource() = default;
  ColumnSource(const ColumnSource&) = delete;
  ColumnSource& operator=(const ColumnSource&) = delete;
  virtual ~ColumnSource() = default;

  [[nodiscard]] virtual Index n() const = 0;
  /// Writes columns first .. first + count, row-major, n-by-count. Called by several threads at
  /// once. Throws FileError.
  virtual void read(Index first, Index count, std::span<double> to) const = 0;
  /// What tells it from another matrix: compared between ranks, and with what a checkpoint was made
  /// of.
  [[nodiscard]] virtual std::uint64_t fingerprint() const = 0;
  /// Called on all ranks before the first read(): rank r of P will read blocks r, r + P, r + 2 P,
  /// .. of so many columns each, whole ones. For a source that sends them there. Throws
  /// OutOfMemory.
  virtual void prepare(Engine& engine, Index block_columns) const;
};

/// Of a matrix in memory, which must outlive it.
[[nodiscard]] std::unique_ptr<ColumnSource> columns_of(const Matrix& a);
/// Of an uncompressed .npy file of f64 or f32, n-by-n, of which only what is asked for is read;
/// null for any other file.
[[nodiscard]] std::unique_ptr<ColumnSource> columns_of_npy(const std::filesystem::path& file);
/// Of a matrix that the first rank alone has: its columns are sent to the ranks that read them, and
/// `a` is freed.
[[nodiscard]] std::unique_ptr<ColumnSource> columns_of_first_rank(const Engine& engine, Matrix a);
/// Random numbers in [-1, 1), the same for one seed on every machine and however they are cut.
[[nodiscard]] std::unique_ptr<ColumnSource> random_columns(Index n, std::uint64_t seed);

struct Checkpoint {
  std::filesystem::path folder;
  double every_s = 600;
  bool resume = false;  // go on from what lies there
};

struct DistributedOptions {
  RealType type = RealType::f64;
  Equilibration equilibration = Equilibration::automatic;  // as SolveOptions has it, by A alone
  std::optional<Index> block_columns;                      // empty: what suits the devices
  std::optional<Checkpoint> checkpoint;
  bool keep_steps = false;  // for Engine::steps()
};

/// A = P^T L U with partial pivoting, in place, of columns that the ranks and their devices hold in
/// turn, and solves with it. All ranks make every call, but those that return what is known
/// already. Where the sizes of A's rows or columns ask for it, it is R A C that is factored, with
/// powers of two; A^-1 B is what it was.
class DistributedLu {
 public:
  /// Reads this rank's columns. Throws DimensionError, ValueError, OutOfMemory, FileError, and what
  /// the kernels of a device throw when they are built; on the other ranks RankError.
  DistributedLu(Engine& engine, const ColumnSource& source, const DistributedOptions& options = {});
  DistributedLu(DistributedLu&&) noexcept;
  ~DistributedLu();

  /// Factors A and returns A^-1 B, on all ranks; empty if failed_column(). Throws what a device's
  /// work failed with (OpenClError, CoResidencyLost, naming the device), FileError, and what
  /// `progress` throws. If it throws while there are other ranks, the process should end by
  /// end_all_ranks().
  [[nodiscard]] Matrix factor_and_solve(const Matrix& b, const ProgressCallback& progress = {});

  /// A^-1 B again.
  [[nodiscard]] Matrix solve(const Matrix& b, const ProgressCallback& progress = {});

  /// A^-T B, by the hosts of the ranks; the blocks stay copied there. 2 n^2 flops a right-hand
  /// side. Throws SingularFactors.
  [[nodiscard]] Matrix solve_transposed(const Matrix& b) const;

  /// The residual b - A x in f64, with columns read anew, on all ranks; |b| + |A| |x| at
  /// `magnitudes`, if that is asked for.
  [[nodiscard]] Matrix subtract_product(const Matrix& b, const Matrix& x,
                                        Matrix* magnitudes = nullptr) const;
  /// What it says of x; `residual` is what subtract_product() gave.
  [[nodiscard]] Residual judge(const Matrix& b, const Matrix& x, const Matrix& residual) const;

  /// Of A.
  [[nodiscard]] Determinant determinant() const;
  /// max |A| / max |U|, of R A C.
  [[nodiscard]] double reciprocal_growth() const;

  /// The whole matrix on rank `rank`, column by column, n^2 doubles; empty on the others. Before
  /// factor_and_solve() R A C; after it what LAPACK's dgetrf leaves of that with the leading
  /// dimension n: the strict lower triangle is L, with all exchanges, the rest U.
  [[nodiscard]] std::vector<double> gather(int rank = 0) const;

  /// Of A, and of R A C.
  [[nodiscard]] MatrixSize size() const;
  [[nodiscard]] MatrixSize scaled_size() const;
  /// Of the powers of two in R and C; empty: all 0.
  [[nodiscard]] const std::vector<int>& row_exponents() const;
  [[nodiscard]] const std::vector<int>& column_exponents() const;
  [[nodiscard]] std::optional<Index> failed_column() const;
  /// Row exchanged with row j, 0-based: LAPACK's ipiv - 1, on all ranks.
  [[nodiscard]] const std::vector<Index>& pivots() const;
  [[nodiscard]] Index n() const;
  [[nodiscard]] Index block_columns() const;
  /// Blocks that were taken from a checkpoint.
  [[nodiscard]] Index resumed_blocks() const;

 private:
  class CLGAUSS_HIDDEN Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Products with A^-1 and A^-T, for what condition.hpp estimates; `lu` must outlive it.
[[nodiscard]] InverseProducts inverse_of(DistributedLu& lu);

/// An answer, on every rank, and how it was found. Of `times` nothing is filled in.
struct DistributedSolution : Solution {
  Index block_columns = 0, resumed_blocks = 0;
  double load_s = 0, solve_s = 0, check_s = 0;  // check_s: residual, refinement, trust
};

/// B for the matrix in `source`, which is asked when A is there.
using MakeRightHandSides = std::function<Matrix(DistributedLu& lu)>;

struct DistributedSolveOptions {
  DistributedOptions lu;
  Accuracy accuracy = Accuracy::double_precision;  // single_precision: x is not refined with f32
  bool trust = false;                              // estimate how far x can be trusted
  bool determinant = false;
  double max_scaled_residual = kScaledResidualBound;
};

/// Factors, solves, and computes the residual. x is refined where solve() does it: with factors in
/// f32 for the accuracy of f64, and where pivots grew so much that an x by f64 has lost digits. The
/// accuracy max is not to be had. Throws as DistributedLu; UsageError.
[[nodiscard]] DistributedSolution solve_distributed(Engine& engine, const ColumnSource& source,
                                                    const MakeRightHandSides& make_b,
                                                    const DistributedSolveOptions& options = {},
                                                    const ProgressCallback& progress = {});

}  // namespace clgauss
