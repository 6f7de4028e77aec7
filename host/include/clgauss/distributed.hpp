#pragma once
/// Systems beyond one device: several devices, several processes (MPI ranks), matrices larger than memory. A matrix is made of
/// blocks of columns, which StarPU moves between devices, host, disk and ranks. An optional part: the library clgauss_distributed.

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/residual.hpp>
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
  /// "all": every GPU, or every CPU device where there is no GPU; else specs of devices as select_device() takes them, with commas
  /// between. Ranks of one machine share them out; where there are more ranks than devices, several take the same one.
  std::string devices = "all";
  std::optional<std::uint64_t>
      memory_bytes;  // of every device, for the matrix; empty: what there is
  std::optional<std::filesystem::path>
      spill;               // a folder for the matrix instead of the host's memory
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

/// StarPU and, where the process is one of several ranks of MPI (mpirun), MPI. One at a time in a process; it must outlive what is
/// made on it. All ranks make it, and everything on it, with the same arguments.
class Engine {
 public:
  /// Throws DeviceNotFound, UsageError (no OpenCL in StarPU, an engine is there already), FileError (`spill`), and on all ranks
  /// RankError for what one of them threw, or if they are not of one build.
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

  /// Runs `body` on this rank. Throws what it throws, and RankError on the others, so that all go on or none does.
  void together(const std::function<void()>& body) const;
  /// For who has the ranks talk to each other himself; distributed/ranks.hpp.
  [[nodiscard]] const Ranks& world() const;

  struct CLGAUSS_HIDDEN Implementation;
  [[nodiscard]] Implementation& implementation() { return *implementation_; }

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// Whether this process is one of several ranks.
[[nodiscard]] bool has_ranks() noexcept;
/// For a program to call before anything else of OpenCL: ranks of one machine share its cores, PoCL's threads of each take as many
/// as are its. A library leaves its host's environment alone, so nothing in clgauss calls it.
void share_cores_among_ranks();
/// Ends all ranks with this exit code; for what a rank finds out while the others work. Returns where there are no others.
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
  /// Writes columns first .. first + count, row-major, n-by-count. Called by several threads at once. Throws FileError.
  virtual void read(Index first, Index count, std::span<double> to) const = 0;
  /// What tells it from another matrix: compared between ranks, and with what a checkpoint was made of.
  [[nodiscard]] virtual std::uint64_t fingerprint() const = 0;
};

/// Of a matrix in memory, which must outlive it.
[[nodiscard]] std::unique_ptr<ColumnSource> columns_of(const Matrix& a);
/// Of an uncompressed .npy file of f64 or f32, n-by-n, of which only what is asked for is read; null for any other file.
[[nodiscard]] std::unique_ptr<ColumnSource> columns_of_npy(const std::filesystem::path& file);
/// Random numbers in [-1, 1), the same for one seed on every machine and however they are cut.
[[nodiscard]] std::unique_ptr<ColumnSource> random_columns(Index n, std::uint64_t seed);

struct Checkpoint {
  std::filesystem::path folder;
  double every_s = 600;
  bool resume = false;  // go on from what lies there
};

struct DistributedOptions {
  RealType type = RealType::f64;
  std::optional<Index> block_columns;  // empty: what suits the devices
  std::optional<Checkpoint> checkpoint;
  bool keep_steps = false;  // for Engine::steps()
};

/// A = P^T L U with partial pivoting, in place, of columns that the ranks and their devices hold in turn, and solves with it.
class DistributedLu {
 public:
  /// Reads this rank's columns. Throws DimensionError, ValueError, OutOfMemory, FileError, and what the kernels of a device throw when they are built;
  /// on the other ranks RankError.
  DistributedLu(Engine& engine, const ColumnSource& source, const DistributedOptions& options = {});
  DistributedLu(DistributedLu&&) noexcept;
  ~DistributedLu();

  /// Factors A and returns A^-1 B, on all ranks; empty if failed_column(). Throws what a device's work failed with (OpenClError, CoResidencyLost,
  /// naming the device), FileError, and what `progress` throws. If it throws while there are other ranks, the process should end by end_all_ranks().
  [[nodiscard]] Matrix factor_and_solve(const Matrix& b, const ProgressCallback& progress = {});

  /// A^-1 B again.
  [[nodiscard]] Matrix solve(const Matrix& b, const ProgressCallback& progress = {});

  /// The residual b - A x in f64, with columns read anew, on all ranks.
  [[nodiscard]] Matrix subtract_product(const Matrix& b, const Matrix& x);
  /// What it says of x; `residual` is what subtract_product() gave.
  [[nodiscard]] Residual judge(const Matrix& b, const Matrix& x, const Matrix& residual) const;

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

/// An answer, on every rank, and how it was found.
struct DistributedSolution {
  Matrix x;  // empty: singular
  std::optional<Index> failed_column;
  Residual residual;    // for the unit roundoff of f64 with `refine`, else of the type
  int refinements = 0;  // of x by solves for the residual
  Index block_columns = 0, resumed_blocks = 0;
  double load_s = 0, solve_s = 0, check_s = 0;
};

/// B for the matrix in `source`, which is asked when A is there.
using MakeRightHandSides = std::function<Matrix(DistributedLu& lu)>;

/// Factors, solves, and computes the residual; `refine`: x is refined until its residual, in f64, is what an f64 solve gives, as factors in f32
/// mostly allow. Throws as DistributedLu.
[[nodiscard]] DistributedSolution solve_distributed(Engine& engine, const ColumnSource& source,
                                                    const MakeRightHandSides& make_b,
                                                    const DistributedOptions& options = {},
                                                    bool refine = false,
                                                    const ProgressCallback& progress = {});

}  // namespace clgauss
