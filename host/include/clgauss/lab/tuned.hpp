#pragma once
/// Tuning results of a device: entries that `clgauss-tune auto` stores and that solve() and gemm
/// use.

#include <clgauss/device.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/lab/parameters.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

class Context;

/// The purposes of a TunedEntry. For the elimination, LOCAL is the work-group size (0 = left to the
/// driver) and SPLIT a SplitMode. For the method, MIXED_FROM and RBT_FROM are the n from which
/// solve() chooses mixed and rbt.
inline constexpr const char *kTunedElimination = "elimination", *kTunedGemm = "gemm",
                            *kTunedGemmUpdate = "gemm_update", *kTunedLu = "lu",
                            *kTunedMethod = "method";

/// The fastest parameters for one purpose, type and size.
struct TunedEntry {
  std::string what;  // one of the purposes above
  RealType type = RealType::f64;
  /// The size it was tuned at; it is used for sizes within a factor of 1.5. For methods 0: for all
  /// sizes.
  Index n = 0;
  std::string kernel;  // gauss.cl, a GemmSpec's file, or an LuSpec's family
  Parameters parameters;
  std::string driver;       // version of the driver that it was measured with
  std::string kernel_hash;  // of the kernel's source
  double time_ns = 0,
         default_time_ns = 0;  // medians: with these numbers, and with clgauss's own choice
  std::string measured;        // when, UTC
  std::string version;         // of clgauss
};

/// The entries of one device, as stored in a file.
struct TunedDevice {
  std::string name, vendor, platform;
  unsigned compute_units = 0;
  std::vector<TunedEntry> entries;

  [[nodiscard]] bool is(const DeviceProfile& device) const;
};

/// How the elimination's ranges are launched with an entry's LOCAL: its SPLIT, or padded if it has
/// none, because such entries were measured that way. The value is not checked.
[[nodiscard]] SplitMode tuned_split(const TunedEntry& entry);

/// Parses JSON of schema 1, the format of stored, exported and shipped (data/tuned) entries. Throws
/// FormatError that names `file` for anything else, including later schemas.
[[nodiscard]] TunedDevice parse_tuned(std::string_view json, const std::string& file);
[[nodiscard]] std::string tuned_text(const TunedDevice& device);

/// "nvidia-corporation/nvidia-h200-132cu.json": the file of a device's entries, relative to a
/// store's folder.
[[nodiscard]] std::filesystem::path tuned_path(const DeviceProfile& device);

/// The user's own store: XDG_DATA_HOME/clgauss/tuned (default ~/.local/share/clgauss/tuned), one
/// file per device, each replaced as a whole. Processes that store at the same time wait for each
/// other.
class TunedStore {
 public:
  /// Without a folder if neither XDG_DATA_HOME nor HOME is set: nothing is found, and put() throws.
  [[nodiscard]] static TunedStore of_environment();
  explicit TunedStore(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// The device's entries; empty if there is no file. Throws FormatError, FileError.
  [[nodiscard]] TunedDevice read(const DeviceProfile& device) const;
  /// All files of the store, for `clgauss-tune show`.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  /// Adds entries; each replaces an existing one for the same purpose, type, size and kernel.
  /// Throws FileError, FormatError.
  void put(const DeviceProfile& device, std::span<const TunedEntry> entries) const;
  [[nodiscard]] std::optional<std::filesystem::path> file_of(const DeviceProfile& device) const;

 private:
  std::optional<std::filesystem::path> folder_;
};

/// The TunedEntry::kernel_hash of a kernel: SHA-1 of its source without comments and spaces, so
/// that layout does not matter. `kernel` as in TunedEntry, `folder` as for kernel_source().
[[nodiscard]] std::string tuned_kernel_hash(const std::string& kernel,
                                            const std::optional<std::filesystem::path>& folder);

/// The entry for the size nearest to n, within a factor of 1.5; the first if two tie, nullptr if
/// there is none.
[[nodiscard]] const TunedEntry* nearest_tuned(std::span<const TunedEntry* const> entries, Index n);

/// The tuning results of one device: its user's entries, then the shipped ones.
class Tuning {
 public:
  /// No tuning results.
  Tuning() = default;
  /// Does not throw if the store cannot be read: problem() then gives the reason.
  Tuning(const DeviceProfile& device, const TunedStore& store,
         std::optional<std::filesystem::path> kernel_folder);

  /// The usable entries: those measured with this driver and these kernels. An entry for another
  /// driver or kernel source is only a seed for a new tuning.
  [[nodiscard]] std::vector<const TunedEntry*> entries(std::string_view what, RealType type) const;

  /// nearest_tuned() among entries().
  [[nodiscard]] const TunedEntry* find(std::string_view what, RealType type, Index n) const;

  /// All entries with this purpose and type, whatever their driver and source: starting points for
  /// a search. This device's entries come first, then those of other devices.
  [[nodiscard]] std::vector<TunedEntry> seeds(std::string_view what, RealType type) const;

  /// All entries of this device, the user's first.
  [[nodiscard]] const std::vector<TunedEntry>& own() const noexcept { return own_; }

  /// Whether an entry was measured with this driver and these kernels.
  [[nodiscard]] bool holds(const TunedEntry& entry) const;

  /// Why the user's store could not be read; empty if it could.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  std::string driver_;
  std::optional<std::filesystem::path> kernel_folder_;
  std::vector<TunedEntry> own_, others_;
  /// Parallel to own_: the results of holds(). They are computed once, because hashing sources
  /// takes longer than a small solve.
  std::vector<bool> usable_;
  std::string problem_;
};

/// The n from which solve() chooses each method for double accuracy, on a device with fp64:
///   if A is symmetric with a positive diagonal, on any device, Cholesky from cholesky_from to
///   cholesky_to;
///   else rbt from rbt_from on; else mixed from mixed_from on, both up to estimates_to if error
///   estimates are requested; else lu, which ldlt replaces in f64 from ldlt_from on if A is
///   symmetric.
struct MethodChoice {
  static constexpr Index kNever = std::numeric_limits<Index>::max();
  /// Below this n, measured rates do not change the choice.
  static constexpr Index kMeasuredFrom = 1024;

  Index mixed_from = kNever, rbt_from = kNever;
  /// The tuned entry, if there is one; otherwise the numbers follow from `rates` or are built in.
  const TunedEntry* entry = nullptr;
  Index cholesky_from = kNever, cholesky_to = kNever, ldlt_from = kNever;
  /// Above this n, estimates by factors in f32 are likely to be doubted, and lu to follow.
  Index estimates_to = kNever;
  std::optional<ArithmeticRates> rates = {};

  [[nodiscard]] bool takes_cholesky(Index n) const {
    return n >= cholesky_from && n <= cholesky_to;
  }
  /// Whether factors in f32 are likely to be good enough, `trust` as in SolveOptions.
  [[nodiscard]] bool allows_f32(Index n, bool trust) const { return !trust || n <= estimates_to; }

  /// "tuned", "measured", "pretended" or "built-in".
  [[nodiscard]] std::string_view source() const;
};

/// The tuned choice; otherwise, except on CPUs, the choice that follows from `rates`; otherwise the
/// built-in one. Simulated rates (pretended_ratio) are also used on CPUs.
[[nodiscard]] MethodChoice method_choice(const DeviceProfile& device, const Tuning& tuning,
                                         const std::optional<ArithmeticRates>& rates = {});

/// The same for a context's device. Uses its arithmetic_rates() if they matter, and throws as they
/// do.
[[nodiscard]] MethodChoice method_choice(Context& context);

/// The parameters of an entry with this choice; 0 means never.
[[nodiscard]] Parameters method_parameters(const MethodChoice& choice);

}  // namespace clgauss
