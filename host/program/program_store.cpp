#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <clgauss/context.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/program.hpp>
#include <future>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "device/quirks.hpp"
#include "opencl_error.hpp"
#include "program/build_processes.hpp"

namespace clgauss {

namespace {

/// A program sets this define to request a later OpenCL C than 1.2.
constexpr std::string_view kLanguage = "OPENCL_C";

std::string language(const Defines& defines) {
  for (const auto& [name, value] : defines)
    if (name == kLanguage && value == "300") return "-cl-std=CL3.0";
  return "-cl-std=CL1.2";
}

/// Options that every program is built with. By default, a division in f32 may be off by 2.5 units
/// in the last place. Then even a / a can differ from 1, and an exactly singular matrix is hidden
/// by a tiny pivot (seen on an H200). -w: PoCL warns of vectors wider than the CPU's and prints the
/// number of warnings.
std::string common_options(const cl::Device& device) {
  const bool rounds_correctly =
      (device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>() & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  return rounds_correctly ? " -w -cl-fp32-correctly-rounded-divide-sqrt" : " -w";
}

std::string options_of(const cl::Device& device, const Defines& defines) {
  std::string options = language(defines) + common_options(device);
  for (const auto& [name, value] : defines) options += fmt::format(" -D{}={}", name, value);
  return options;
}

/// Everything that a binary depends on. A driver update changes the key, so that a driver never
/// gets a stale binary.
std::string cache_key(const cl::Device& device, const std::string& source,
                      const std::string& options) {
  return fmt::format("{}\n{}\n{}", device_text(device), options, source);
}

/// Thrown while prepare() watches, where a program would have to be built. Not an Error, so that
/// only prepare() catches it.
struct NotBuilt {};

/// Sets a variable for the duration of a scope.
template <typename Mode>
class InMode {
 public:
  InMode(Mode& variable, Mode mode) : variable_(variable), before_(std::exchange(variable, mode)) {}
  ~InMode() { variable_ = before_; }
  InMode(const InMode&) = delete;
  InMode& operator=(const InMode&) = delete;

 private:
  Mode& variable_;
  Mode before_;
};

/// Building processes, including this one. On an H100's 16 cores a first LU of n = 1000 took 4.1,
/// 2.9 and 2.5 s with 3, 5 and 8. More do not help it: by the time the last ones have a context,
/// every program is being built. They shorten what is built ahead.
constexpr std::size_t kMostProcesses = 8, kMostAhead = 16;
/// Beside another program's helpers, which build the same ahead, more only slow all of them: f32
/// right behind a first LU took 1.5 s with 8 on an H200, and 0.9 s with 4.
constexpr std::size_t kMostBeside = 4;

/// The rank of a file among those whose programs take 0.4 s or more on an H100, longest first.
/// Builds start in this order; all other files come after them.
std::ptrdiff_t place_to_begin(const std::string& file) {
  constexpr std::string_view kSlow[] = {
      "lu_diagonal_ptx.cl",  "cholesky.cl",         "gemm_mma_tf32x3.cl", "ldlt.cl",
      "lu_small_columns.cl", "lu_panel_columns.cl", "laswp_trsm.cl",      "lu_panel_persistent.cl",
      "gemm_mma_f64.cl"};
  return std::ranges::find(kSlow, file) - std::begin(kSlow);
}

/// The same for what is built ahead: first the programs that take longest, of the types that
/// methods take by themselves; the rest keeps the order of the methods.
std::ptrdiff_t place_to_begin_ahead(const ProgramRequest& one) {
  constexpr std::pair<std::string_view, std::string_view> kSlow[] = {
      {"cholesky.cl", "64"}, {"lu_diagonal_ptx.cl", "32"}, {"ldlt.cl", "64"}};
  const auto is_one = [&](const auto& slow) {
    return one.file == slow.first && std::ranges::any_of(one.defines, [&](const auto& define) {
             return define.first == "REAL_BITS" && define.second == slow.second;
           });
  };
  return std::ranges::find_if(kSlow, is_one) - std::begin(kSlow);
}

/// The names in a list "a;b;c", whose order depends on the driver.
std::set<std::string> names_in(const std::string& list) {
  std::set<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ';');) names.insert(name.c_str());
  return names;
}

bool has_word(std::string_view text, std::string_view word) {
  const auto continues = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at)
    if (!continues(at - 1) && !continues(at + word.size())) return true;
  return false;
}

/// Whether `source` can contain kernels with all these names.
bool are_of(const std::string& source, const std::set<std::string>& names) {
  return !names.empty() && std::ranges::all_of(names, [&](const std::string& name) {
    return has_word(source, name);
  });
}

class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total) {}
  ~Stopwatch() {
    total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

ProgramStore::ProgramStore(cl::Context context, cl::Device device, const ContextOptions& options)
    : context_(std::move(context)),
      device_(std::move(device)),
      cache_(options.cache_folder),
      kernel_folder_(options.kernel_folder),
      faults_(options.kernel_faults),
      driver_caches_(options.driver_caches && driver_keeps_programs(device_)),
      concurrent_(options.concurrent_builds && driver_builds_side_by_side(device_)) {
  if (driver_caches_) driver_folder_ = options.driver_cache_folder;
  if (concurrent_ && options.build_processes && options.cache_folder) builder_ = builder_program();
  shares_builds_ = !builder_.empty() && driver_builds_one_by_one(device_);
  if (driver_compiler_crashes(device_)) guard_builds();
}

Kernel ProgramStore::kernel(const std::string& file, const std::string& kernel,
                            const Defines& defines) {
  if (mode_ != Mode::rehearsal) return kernel_at_once(file, kernel, defines);
  named_.push_back({file, defines});
  Kernel named;
  named.idle = true;
  named.name = kernel;
  named.preferred_multiple = 1;
  named.work_group_limit = device_.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  return named;
}

Kernel ProgramStore::kernel_at_once(const std::string& file, const std::string& kernel,
                                    const Defines& defines) {
  const auto fault = fault_of(file);
  if (fault == KernelFault::build)
    throw BuildError(file, options_of(device_, defines), "told to fail by CLGAUSS_KERNEL_FAULTS");
  return translate_opencl_errors([&] {
    Kernel result;
    result.idle = fault == KernelFault::wrong;
    result.handle = cl::Kernel(program(file, defines), kernel.c_str());
    result.name = kernel;
    result.preferred_multiple =
        result.handle.getWorkGroupInfo<CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE>(device_);
    result.work_group_limit = kernel_work_group_limit(result, device_);
    return result;
  });
}

cl::Program& ProgramStore::program(const std::string& file, const Defines& defines) {
  const std::string options = options_of(device_, defines);
  const std::string name = name_of({file, defines});
  const auto found = programs_.find(name);
  if (found != programs_.end()) return found->second;
  if (hear_) hear_("building the kernels: " + file);
  const Stopwatch watch(build_seconds_);
  if (guarded_ && mode_ != Mode::watching)
    build_in_processes({{file, defines}}, {}, end_of_waiting());
  auto [built, from_source] = build(file, options);
  if (from_source) built_alone_.push_back({file, defines});
  return programs_.emplace(name, std::move(built)).first->second;
}

void ProgramStore::prepare(const std::function<void()>& work, const std::function<void()>& later) {
  if (mode_ != Mode::plain || !concurrent_) return work();
  try {
    const InMode watching(mode_, Mode::watching);
    return work();
  } catch (const NotBuilt&) {
  }
  build_all(rehearse(work), later);
  work();
}

void ProgramStore::build_for(const std::function<void()>& work) {
  if (mode_ == Mode::plain && concurrent_) build_all(rehearse(work));
}

std::vector<ProgramRequest> ProgramStore::rehearse(const std::function<void()>& work) {
  const InMode rehearsal(mode_, Mode::rehearsal);
  named_.clear();
  try {
    work();
  } catch (const Error&) {  // a real error occurs again when `work` is run for real
  } catch (const cl::Error&) {
  }
  return std::exchange(named_, {});
}

void ProgramStore::note_question(const std::string& file, const Defines& defines) {
  if (mode_ == Mode::rehearsal) named_.push_back({file, defines});
  if (mode_ == Mode::watching) throw NotBuilt{};
}

void ProgramStore::build_all(const std::vector<ProgramRequest>& requests,
                             const std::function<void()>& later) {
  // OpenCL allows several threads to build programs at once; oclgrind does not support it.
  if (!concurrent_) return;
  std::vector<ProgramRequest> missing;
  std::set<std::string> names;
  for (const ProgramRequest& request : requests)
    if (const std::string name = name_of(request);
        !programs_.contains(name) && names.insert(name).second)
      missing.push_back(request);
  if (missing.empty()) return;
  const Stopwatch watch(build_seconds_);
  const auto until = end_of_waiting();
  if (helpers_build()) build_in_processes(missing, later, until);
  std::map<std::string, std::future<std::optional<cl::Program>>> building;
  const auto start = [&](const ProgramRequest& request, Turn turn) {
    building.emplace(name_of(request),
                     std::async(std::launch::async, [this, request, turn]() mutable {
                       auto program = try_to_build(request);
                       turn.reset();
                       return program;
                     }));
  };
  std::vector<ProgramRequest> of_others;  // that other processes are building
  for (const ProgramRequest& request : missing) {
    if (programs_.contains(name_of(request))) continue;
    auto turn = turn_for(request, {});
    if (turn || !helpers_build())
      start(request, std::move(turn));
    else
      of_others.push_back(request);
  }
  for (const ProgramRequest& request : of_others) start(request, turn_for(request, until));
  std::size_t done = 0;
  for (auto& [name, program] : building) {
    if (hear_)
      hear_(fmt::format("building the kernels: {} of {} programs", done++, building.size()));
    if (auto built = program.get()) programs_.emplace(name, *std::move(built));
  }
}

void ProgramStore::require_room() const {
  if (!driver_folder_) return;
  std::error_code none;
  std::filesystem::path there = *driver_folder_;
  while (!std::filesystem::exists(there, none) && there.has_relative_path())
    there = there.parent_path();
  const auto space = std::filesystem::space(there, none);
  constexpr std::uintmax_t kOfPrograms = 16U << 20U;
  if (!none && space.available < kOfPrograms)
    throw FileError(driver_folder_->string(),
                    fmt::format("the disk has {} KB left, and the driver, whose compiler ends the "
                                "process where it cannot write, keeps its kernels there; make "
                                "room, or name another folder by POCL_CACHE_DIR",
                                space.available / 1000));
}

std::string ProgramStore::name_of(const ProgramRequest& request) const {
  return request.file + ' ' + options_of(device_, request.defines);
}

std::optional<cl::Program> ProgramStore::try_to_build(const ProgramRequest& request) const {
  try {
    return build(request.file, options_of(device_, request.defines)).first;
  } catch (const Error&) {
  } catch (const cl::Error&) {
  }
  return std::nullopt;  // kernel() will report the error
}

Turn ProgramStore::turn_for(const ProgramRequest& request,
                            std::chrono::steady_clock::time_point until) const {
  if (!helpers_build()) return nullptr;
  const std::string source = kernel_source(request.file, kernel_folder_);
  return await_turn(cache_, cache_key(device_, source, options_of(device_, request.defines)), until,
                    [&] {
                      if (hear_)
                        hear_("building the kernels: another process is building " + request.file);
                    });
}

bool ProgramStore::helpers_build() const { return shares_builds_ || guarded_; }

void ProgramStore::guard_builds() { guarded_ = !builder_.empty(); }

void ProgramStore::build_by(Builders builders, const BuildJobs& jobs) const {
  builders.program = builder_;
  builders.device = device_text(device_);
  builders.cache = *cache_.folder();
  builders.keeps_binaries = !driver_caches_;
  build_by_processes(builders, jobs, [&](std::size_t done) {
    if (hear_)
      hear_(fmt::format("building the kernels: {} of {} programs", done, jobs.needed.size()));
  });
}

void ProgramStore::build_in_processes(const std::vector<ProgramRequest>& missing,
                                      const std::function<void()>& later,
                                      std::chrono::steady_clock::time_point until) {
  std::map<std::string, ProgramRequest> request_of;  // by key
  const auto jobs_for = [&](std::vector<ProgramRequest> requests, bool ahead) {
    std::vector<BuildJob> jobs;
    std::ranges::stable_sort(requests, {}, [&](const ProgramRequest& one) {
      return ahead ? place_to_begin_ahead(one) : place_to_begin(one.file);
    });
    for (const ProgramRequest& request : requests) {
      std::string options = options_of(device_, request.defines),
                  source = kernel_source(request.file, kernel_folder_),
                  key = cache_key(device_, source, options);
      // What another process is building is left to it, but a helper must have survived it first.
      if (is_tried(cache_, key) || (!guarded_ && cache_.try_turn(key) == nullptr) ||
          !request_of.emplace(key, request).second)
        continue;
      jobs.push_back({std::move(key), std::move(source), std::move(options)});
    }
    return jobs;
  };
  BuildJobs jobs{jobs_for(missing, false)};
  // A process needs 0.1 s before it builds, after those started earlier, so two programs are not
  // worth one.
  const std::size_t cores = std::thread::hardware_concurrency(), needed = jobs.needed.size();
  if (guarded_) {
    if (needed > 0) require_room();  // a compiler without it ends, which is not the kernel's fault
    return build_by(
        {.processes = std::min({needed, kMostProcesses, std::max<std::size_t>(cores, 1)})}, jobs);
  }
  if (cores < 2 || needed < 3) return;
  // One process at a time builds ahead. On an H200 a Cholesky factorization at once after the first
  // LU took 1.8 s when its process opened helpers for that beside those of the first, and 1.2 s so.
  if (later) jobs.turn_ahead = cache_.try_turn("ahead");
  try {
    if (jobs.turn_ahead) jobs.ahead = jobs_for(rehearse(later), true);
  } catch (const std::exception&) {  // then nothing is built ahead
  }
  const std::size_t most = later && !jobs.turn_ahead ? kMostBeside
                           : jobs.ahead.empty()      ? kMostProcesses
                                                     : kMostAhead;
  const std::size_t processes = std::min({needed + jobs.ahead.size(), most, cores});
  const auto own = [&](const BuildJob& job) {
    const ProgramRequest& request = request_of.at(job.key);
    const auto turn = turn_for(request, until);
    if (auto built = try_to_build(request)) programs_.emplace(name_of(request), *std::move(built));
  };
  build_by({.processes = processes - 1, .own = own}, jobs);
}

std::optional<cl::Program> ProgramStore::load(const std::string& key, const std::string& source,
                                              const std::string& options) const {
  const auto cached = cache_.fetch(key);
  if (!cached) return std::nullopt;
  try {
    cl::Program program(context_, {device_}, {cached->binary});
    program.build(device_, options.c_str());
    const auto names = names_in(program.getInfo<CL_PROGRAM_KERNEL_NAMES>());
    if (names == names_in(cached->kernel_names) && are_of(source, names)) return program;
  } catch (const cl::Error&) {
    // the driver no longer accepts the binary
  }
  cache_.remove(key);  // it will be built from source and stored again
  return std::nullopt;
}

std::pair<cl::Program, bool> ProgramStore::build(const std::string& file,
                                                 const std::string& options) const {
  const std::string source = kernel_source(file, kernel_folder_);
  const std::string key = cache_key(device_, source, options);
  if (const auto loaded = load(key, source, options)) return {*loaded, false};
  if (mode_ == Mode::watching && (!driver_caches_ || (guarded_ && !is_tried(cache_, key))))
    throw NotBuilt{};
  require_room();
  if (const auto fault = compiler_fault(cache_, key))
    throw BuildError(file, options, "the driver's compiler ended the process: " + *fault);
  cl::Program program(context_, source);
  // Not through CLHPP, which loses the reason of a failure without a build log.
  const cl_int result = clBuildProgram(program(), 1, &device_(), options.c_str(), nullptr, nullptr);
  if (result == CL_BUILD_PROGRAM_FAILURE)
    throw BuildError(file, options, program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device_));
  if (result != CL_SUCCESS) throw_opencl_error("clBuildProgram", result);
  if (driver_caches_ || !cache_.file_of(key)) return {program, true};
  const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
  if (!binaries.empty() && !binaries.front().empty())
    cache_.store(key, {program.getInfo<CL_PROGRAM_KERNEL_NAMES>(), binaries.front()});
  return {program, true};
}

std::string ProgramStore::question_key(const std::string& question, const std::string& file,
                                       const Defines& defines) const {
  return question + '\n' +
         cache_key(device_, kernel_source(file, kernel_folder_), options_of(device_, defines));
}

std::optional<std::string> ProgramStore::recall(const std::string& question,
                                                const std::string& file,
                                                const Defines& defines) const {
  if (fault_of(file)) return std::nullopt;
  const auto answer =
      translate_opencl_errors([&] { return cache_.fetch(question_key(question, file, defines)); });
  if (!answer) return std::nullopt;
  return std::string(answer->binary.begin(), answer->binary.end());
}

void ProgramStore::remember(const std::string& question, const std::string& file,
                            const Defines& defines, const std::string& answer) const {
  if (fault_of(file)) return;
  translate_opencl_errors([&] {
    cache_.store(question_key(question, file, defines), {{}, {answer.begin(), answer.end()}});
  });
}

}  // namespace clgauss
