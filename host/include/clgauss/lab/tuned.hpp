#pragma once
/// What was found to be fast on a device: entries that `clgauss-tune auto` stores and that solve()
/// and gemm use.

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

/// What a TunedEntry is for: its LOCAL is the elimination's work-group size, 0 = left to the
/// driver, its SPLIT a SplitMode; its MIXED_FROM and RBT_FROM say from which n on solve() takes
/// which method by itself.
inline constexpr const char *kTunedElimination = "elimination", *kTunedGemm = "gemm",
                            *kTunedGemmUpdate = "gemm_update", *kTunedLu = "lu",
                            *kTunedMethod = "method";

/// Numbers that were the fastest for one purpose, type and size.
struct TunedEntry {
  std::string what;  // one of the above
  RealType type = RealType::f64;
  /// the size it was tuned at; it counts for sizes up to a factor of 1.5 away. 0 of a method: for
  /// all
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

/// The entries of one device, as a file holds them.
struct TunedDevice {
  std::string name, vendor, platform;
  unsigned compute_units = 0;
  std::vector<TunedEntry> entries;

  [[nodiscard]] bool is(const DeviceProfile& device) const;
};

/// How the elimination's ranges are launched with an entry's LOCAL: its SPLIT; padded, as entries
/// without one were measured. Not checked.
[[nodiscard]] SplitMode tuned_split(const TunedEntry& entry);

/// JSON of schema 1, as stored, exported and shipped in data/tuned. Throws FormatError naming
/// `file` for anything else, a file of a later schema included.
[[nodiscard]] TunedDevice parse_tuned(std::string_view json, const std::string& file);
[[nodiscard]] std::string tuned_text(const TunedDevice& device);

/// "nvidia-corporation/nvidia-h200-132cu.json": where a device's entries lie below a store's
/// folder.
[[nodiscard]] std::filesystem::path tuned_path(const DeviceProfile& device);

/// The user's own store: XDG_DATA_HOME/clgauss/tuned (default ~/.local/share/clgauss/tuned), one
/// file a device, each replaced whole. Processes that store at the same time wait for each other.
class TunedStore {
 public:
  /// No folder if neither XDG_DATA_HOME nor HOME names one: nothing is found, and put() throws.
  [[nodiscard]] static TunedStore of_environment();
  explicit TunedStore(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// The device's entries; none if there is no file. Throws FormatError, FileError.
  [[nodiscard]] TunedDevice read(const DeviceProfile& device) const;
  /// All files, for `clgauss-tune show`.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  /// Adds entries; one for the same purpose, type, size and kernel is replaced. Throws FileError,
  /// FormatError.
  void put(const DeviceProfile& device, std::span<const TunedEntry> entries) const;
  [[nodiscard]] std::optional<std::filesystem::path> file_of(const DeviceProfile& device) const;

 private:
  std::optional<std::filesystem::path> folder_;
};

/// SHA-1 of a kernel's source as TunedEntry::kernel_hash has it, without its comments and its
/// spaces: another layout is the same kernel. `kernel` as in TunedEntry.
/// `folder` as for kernel_source().
[[nodiscard]] std::string tuned_kernel_hash(const std::string& kernel,
                                            const std::optional<std::filesystem::path>& folder);

/// The entry for the size nearest to n, within a factor of 1.5; the first of two, nullptr if there
/// is none.
[[nodiscard]] const TunedEntry* nearest_tuned(std::span<const TunedEntry* const> entries, Index n);

/// What is known of one device: its user's entries, then the shipped ones.
class Tuning {
 public:
  /// Knows nothing.
  Tuning() = default;
  /// Never throws for a store that cannot be read: problem() then says why.
  Tuning(const DeviceProfile& device, const TunedStore& store,
         std::optional<std::filesystem::path> kernel_folder);

  /// The entries that may be used: measured with this driver and these kernels. An entry from
  /// another driver or for another kernel source is not used; it is a seed for tuning afresh.
  [[nodiscard]] std::vector<const TunedEntry*> entries(std::string_view what, RealType type) const;

  /// Of entries(), nearest_tuned().
  [[nodiscard]] const TunedEntry* find(std::string_view what, RealType type, Index n) const;

  /// All entries of this device and of others with this purpose and type, this device's first,
  /// whatever driver and source they are of: where a search may start.
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
  /// beside own_: holds(), asked once, because hashing sources takes longer than a small solve
  std::vector<bool> usable_;
  std::string problem_;
};

/// From which n on solve() takes which method for double accuracy by itself, on a device with fp64:
/// rbt from rbt_from on, else mixed from mixed_from on, else lu; before them Cholesky from
/// cholesky_from on, on any device, where A is symmetric with a positive diagonal, and in place of
/// lu in f64 ldlt from ldlt_from on where A is symmetric.
struct MethodChoice {
  static constexpr Index kNever = std::numeric_limits<Index>::max();
  /// Below this n measured rates change nothing.
  static constexpr Index kMeasuredFrom = 1024;

  Index mixed_from = kNever, rbt_from = kNever;
  /// of the tuning, where it says so; else the numbers follow from `rates` or are built in
  const TunedEntry* entry = nullptr;
  Index cholesky_from = kNever, ldlt_from = kNever;
  std::optional<ArithmeticRates> rates = {};

  /// "tuned", "measured", "pretended" or "built-in".
  [[nodiscard]] std::string_view source() const;
};

/// What was tuned; else, but for CPUs, what follows from `rates`; else what is built in. Pretended
/// rates count for CPUs, too.
[[nodiscard]] MethodChoice method_choice(const DeviceProfile& device, const Tuning& tuning,
                                         const std::optional<ArithmeticRates>& rates = {});

/// The same for a context's device, whose arithmetic_rates() are asked for where they count. Throws
/// as they do.
[[nodiscard]] MethodChoice method_choice(Context& context);

/// A choice as the parameters of an entry, which have 0 for never.
[[nodiscard]] Parameters method_parameters(const MethodChoice& choice);

}  // namespace clgauss
