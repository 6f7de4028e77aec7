#pragma once
/// From source to kernel: source (embedded or from a folder), defines, build, disk cache.

#include <chrono>
#include <clgauss/error.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/program_cache.hpp>
#include <clgauss/opencl.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// A kernel of a built program, with its limits on the device.
struct Kernel {
  cl::Kernel handle;
  std::string name;
  std::size_t work_group_limit = 0;    // CL_KERNEL_WORK_GROUP_SIZE
  std::size_t preferred_multiple = 0;  // CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
  bool idle = false;                   // in a KernelFault or a rehearsal: launches do nothing

  /// Sets argument number `index` to the `bytes` at `value`. Throws OpenClError, OutOfMemory.
  void set_argument(cl_uint index, std::size_t bytes, const void* value);

  /// Sets the arguments from number `first` on, of any type that cl::Kernel::setArg accepts.
  template <typename... Arguments>
  void set_arguments_from(cl_uint first, const Arguments&... arguments) {
    (set_argument(first++, cl::detail::KernelArgumentHandler<Arguments>::size(arguments),
                  cl::detail::KernelArgumentHandler<Arguments>::ptr(arguments)),
     ...);
  }

  /// Sets all arguments.
  template <typename... Arguments>
  void set_arguments(const Arguments&... arguments) {
    set_arguments_from(0, arguments...);
  }
};

/// Macros that a kernel file is built with, each as "-D name=value".
using Defines = std::vector<std::pair<std::string, std::string>>;

/// A deliberate fault in the kernels of a file, to test what happens when they do not work.
enum class KernelFault {
  build,  // they do not build
  wrong   // they build, but do not change their results
};

/// The key is the file's name without extension.
using KernelFaults = std::map<std::string, KernelFault>;

/// Parses the value of CLGAUSS_KERNEL_FAULTS: "lu_small=build,trsv=wrong". Throws UsageError.
[[nodiscard]] KernelFaults parse_kernel_faults(std::string_view text);

/// The text of the kernel file `name` ("gauss.cl") with its includes inserted, from `folder` if
/// given, otherwise the embedded one. `#line` directives preserve file names and line numbers in
/// the driver's messages. Throws FileError.
[[nodiscard]] std::string kernel_source(const std::string& name,
                                        const std::optional<std::filesystem::path>& folder);

/// The file and defines of a program.
struct ProgramRequest {
  std::string file;
  Defines defines;
};

struct ContextOptions;
struct Builders;
struct BuildJobs;

/// The programs of one context. Each is built, or loaded from the disk cache, when it is first
/// requested, and is then kept. If the driver caches its own builds (PoCL), nothing is added to the
/// disk cache.
class ProgramStore {
 public:
  ProgramStore(cl::Context context, cl::Device device, const ContextOptions& options);

  /// A new kernel object `kernel` of `file`, built with `defines`. Throws BuildError with the
  /// options and the log.
  [[nodiscard]] Kernel kernel(const std::string& file, const std::string& kernel,
                              const Defines& defines);

  /// recall() returns the answer that remember() stored on disk for `question` about the program of
  /// `file` with `defines`, on this device with this driver.
  [[nodiscard]] std::optional<std::string> recall(const std::string& question,
                                                  const std::string& file,
                                                  const Defines& defines) const;
  void remember(const std::string& question, const std::string& file, const Defines& defines,
                const std::string& answer) const;
  /// Runs `work`, which makes and self-tests kernels and must be repeatable from its beginning. If
  /// it needs a program that would have to be built, it is first run as a rehearsal: kernels are
  /// only named, nothing is launched, and every self-test passes. The named programs are built in
  /// parallel, and then `work` is run once more for real. Thus nobody needs to know in advance what
  /// `work` needs. Within `work`, a nested prepare() just runs its own `work`.
  ///
  /// `later` makes what a later program may need. If helper processes build, it is rehearsed too;
  /// they build what it names after everything else, and go on when this process has ended.
  void prepare(const std::function<void()>& work, const std::function<void()>& later = {});

  /// Builds in parallel the missing programs that `work`, run as a rehearsal, names; for kernels of
  /// an object that exists, of which `work` makes another. Does nothing within prepare().
  void build_for(const std::function<void()>& work);

  /// The programs that `work`, run as a rehearsal, names. An Error ends the rehearsal.
  [[nodiscard]] std::vector<ProgramRequest> rehearse(const std::function<void()>& work);

  /// Whether a rehearsal is running: kernels are only named, and have no results.
  [[nodiscard]] bool rehearses() const noexcept { return mode_ == Mode::rehearsal; }
  /// For KernelTrials: reports that these kernels are about to be self-tested. It does not return
  /// if prepare() is watching for that.
  void note_question(const std::string& file, const Defines& defines);

  /// kernel(), built at once even in a rehearsal, for a kernel that decides which kernels come
  /// next.
  [[nodiscard]] Kernel kernel_at_once(const std::string& file, const std::string& kernel,
                                      const Defines& defines);

  /// `hear` is called before each build with its description; it may throw.
  void announce_to(std::function<void(const std::string& what)> hear) { hear_ = std::move(hear); }

  /// The folder of the kernel files; empty: the embedded ones.
  [[nodiscard]] const std::optional<std::filesystem::path>& kernel_folder() const noexcept {
    return kernel_folder_;
  }

  /// ProgramCache::problem() of the disk cache.
  [[nodiscard]] std::string cache_problem() const { return cache_.problem(); }

  /// Builds the missing programs in parallel, then those of `later` as prepare() does. If one does
  /// not build, kernel() will report it.
  void build_all(const std::vector<ProgramRequest>& requests,
                 const std::function<void()>& later = {});

  /// From now on a helper process, where there is one, builds each program before this process
  /// does. If the driver's compiler ends a helper, the program counts as one that does not build,
  /// which the disk cache remembers.
  void guard_builds();

  /// Seconds spent so far in kernel() and build_all() on building and loading.
  [[nodiscard]] double build_seconds() const noexcept { return build_seconds_; }

  /// The programs built from source so far one at a time, while everything else waited. Those that
  /// build_all() built are not included.
  [[nodiscard]] const std::vector<ProgramRequest>& built_alone() const noexcept {
    return built_alone_;
  }

 private:
  enum class Mode { plain, watching, rehearsal };

  cl::Program& program(const std::string& file, const Defines& defines);
  [[nodiscard]] std::optional<KernelFault> fault_of(const std::string& file) const;
  [[nodiscard]] std::string question_key(const std::string& question, const std::string& file,
                                         const Defines& defines) const;
  /// A program from the cache, or from source if `mode_` allows it; the flag says whether it was
  /// from source.
  [[nodiscard]] std::pair<cl::Program, bool> build(const std::string& file,
                                                   const std::string& options) const;
  /// Throws FileError if the disk of the driver's own cache is full.
  void require_room() const;
  [[nodiscard]] std::string name_of(const ProgramRequest& request) const;
  [[nodiscard]] std::optional<cl::Program> try_to_build(const ProgramRequest& request) const;
  /// await_turn() for the program; null if no helpers build.
  [[nodiscard]] Turn turn_for(const ProgramRequest& request,
                              std::chrono::steady_clock::time_point until) const;
  /// Whether helper processes build.
  [[nodiscard]] bool helpers_build() const;
  /// build_by_processes() for this device, with the number of processes and the jobs of this one.
  void build_by(Builders builders, const BuildJobs& jobs) const;
  void build_in_processes(const std::vector<ProgramRequest>& missing,
                          const std::function<void()>& later,
                          std::chrono::steady_clock::time_point until);
  [[nodiscard]] std::optional<cl::Program> load(const std::string& key, const std::string& source,
                                                const std::string& options) const;

  cl::Context context_;
  cl::Device device_;
  ProgramCache cache_;
  std::optional<std::filesystem::path> kernel_folder_;
  KernelFaults faults_;
  std::optional<std::filesystem::path> driver_folder_;  // where the driver caches its programs
  std::filesystem::path builder_;  // empty: programs are built by this process alone
  bool driver_caches_, concurrent_;
  bool shares_builds_ = false;  // helpers build beside this process
  bool guarded_ = false;        // helpers build in place of this process
  Mode mode_ = Mode::plain;
  std::vector<ProgramRequest> named_;  // in a rehearsal
  std::vector<ProgramRequest> built_alone_;
  std::map<std::string, cl::Program> programs_;  // by file and options
  std::function<void(const std::string& what)> hear_;
  double build_seconds_ = 0;
};

}  // namespace clgauss
