#pragma once
/// How a kernel comes to be: source (embedded or from a folder), named defines, build, disk cache.

#include <clgauss/error.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/program_cache.hpp>
#include <clgauss/opencl.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// A kernel of a built program, with what the device says of it.
struct Kernel {
  cl::Kernel handle;
  std::string name;
  std::size_t work_group_limit = 0;    // CL_KERNEL_WORK_GROUP_SIZE
  std::size_t preferred_multiple = 0;  // CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
  bool idle = false;                   // of a KernelFault or a rehearsal: launches do nothing

  /// Sets argument number `index` to the `bytes` at `value`. Throws OpenClError, OutOfMemory.
  void set_argument(cl_uint index, std::size_t bytes, const void* value);

  /// Sets arguments from number `first` on, whatever cl::Kernel::setArg takes.
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

/// Macros that a kernel file is built with, "-D name=value" each.
using Defines = std::vector<std::pair<std::string, std::string>>;

/// What is done to the kernels of a file on purpose, to try what happens where one does not work.
enum class KernelFault {
  build,  // they do not build
  wrong   // they build, but leave their results as they were
};

/// By the file's name without its extension.
using KernelFaults = std::map<std::string, KernelFault>;

/// "lu_small=build,trsv=wrong" (the values of CLGAUSS_KERNEL_FAULTS). Throws UsageError.
[[nodiscard]] KernelFaults parse_kernel_faults(std::string_view text);

/// Text of the kernel file `name` ("gauss.cl") with its includes put in, from `folder` if given,
/// else as embedded at build time. `#line` directives keep the names and lines of the files in the
/// driver's messages. Throws FileError.
[[nodiscard]] std::string kernel_source(const std::string& name,
                                        const std::optional<std::filesystem::path>& folder);

/// What a program is made of.
struct ProgramRequest {
  std::string file;
  Defines defines;
};

struct ContextOptions;

/// The programs of one context: each is built, or loaded from the disk cache, when it is first
/// asked for, and kept. Where the driver keeps built programs itself (PoCL), nothing is added to
/// the disk cache.
class ProgramStore {
 public:
  ProgramStore(cl::Context context, cl::Device device, const ContextOptions& options);

  /// A new kernel object `kernel` of `file`, built with `defines`. Throws BuildError with the
  /// options and the log.
  [[nodiscard]] Kernel kernel(const std::string& file, const std::string& kernel,
                              const Defines& defines);

  /// What was remembered on disk of `question` about the program of `file` with `defines`, on this
  /// device with this driver.
  [[nodiscard]] std::optional<std::string> recall(const std::string& question,
                                                  const std::string& file,
                                                  const Defines& defines) const;
  void remember(const std::string& question, const std::string& file, const Defines& defines,
                const std::string& answer) const;
  /// Runs `work`, which makes kernels and self-tests them, and may be run again
  /// from its beginning. Where it comes to a program that would have to be built, it is run as a
  /// rehearsal instead: kernels are only named, nothing is launched, and every self-test is
  /// taken to be right. What was named is built side by side, and then `work` is run once more, for
  /// good. So what `work` needs need not be known by anybody else. Within `work`, prepare() just
  /// runs what it is given.
  void prepare(const std::function<void()>& work);

  /// Whether kernels are only named now. Their results are none.
  [[nodiscard]] bool rehearses() const noexcept { return mode_ == Mode::rehearsal; }
  /// For KernelTrials: that these kernels would be asked now. Where prepare() waits for that, it
  /// does not return.
  void note_question(const std::string& file, const Defines& defines);

  /// kernel(), at once also in a rehearsal: for what decides which kernels come next.
  [[nodiscard]] Kernel kernel_at_once(const std::string& file, const std::string& kernel,
                                      const Defines& defines);

  /// Builds those programs that are not there yet, side by side. One that does not build is left
  /// for kernel() to report.
  void build_all(const std::vector<ProgramRequest>& requests);

  /// `hear` is told what is being built, before it is; it may throw.
  void announce_to(std::function<void(const std::string& what)> hear) { hear_ = std::move(hear); }

  /// Where the kernel files are read from; empty: the embedded ones.
  [[nodiscard]] const std::optional<std::filesystem::path>& kernel_folder() const noexcept {
    return kernel_folder_;
  }

  /// ProgramCache::problem() of the disk cache.
  [[nodiscard]] std::string cache_problem() const { return cache_.problem(); }

  /// Time spent in kernel() and build_all() so far on building and loading, in seconds.
  [[nodiscard]] double build_seconds() const noexcept { return build_seconds_; }

  /// What was built from source so far, each alone while all else waited; what build_all() built is
  /// not among them.
  [[nodiscard]] const std::vector<ProgramRequest>& built_alone() const noexcept {
    return built_alone_;
  }

 private:
  enum class Mode { plain, watching, rehearsal };

  cl::Program& program(const std::string& file, const Defines& defines);
  [[nodiscard]] std::optional<KernelFault> fault_of(const std::string& file) const;
  [[nodiscard]] std::string question_key(const std::string& question, const std::string& file,
                                         const Defines& defines) const;
  /// From the cache, or from source, if `mode_` allows that; with whether it was from source.
  [[nodiscard]] std::pair<cl::Program, bool> build(const std::string& file,
                                                   const std::string& options) const;
  /// Throws FileError where a driver that writes what it builds has no room for it.
  void require_room() const;
  [[nodiscard]] std::string name_of(const ProgramRequest& request) const;
  [[nodiscard]] std::optional<cl::Program> try_to_build(const ProgramRequest& request) const;
  void build_in_processes(const std::vector<ProgramRequest>& missing);
  [[nodiscard]] std::optional<cl::Program> load(const std::string& key, const std::string& source,
                                                const std::string& options) const;

  cl::Context context_;
  cl::Device device_;
  ProgramCache cache_;
  std::optional<std::filesystem::path> kernel_folder_;
  KernelFaults faults_;
  std::optional<std::filesystem::path> driver_folder_;  // where the driver keeps its programs
  std::filesystem::path builder_;  // empty: programs are built by this process alone
  bool driver_caches_, concurrent_;
  Mode mode_ = Mode::plain;
  std::vector<ProgramRequest> named_;  // in a rehearsal
  std::vector<ProgramRequest> built_alone_;
  std::map<std::string, cl::Program> programs_;  // by file and options
  std::function<void(const std::string& what)> hear_;
  double build_seconds_ = 0;
};

}  // namespace clgauss
