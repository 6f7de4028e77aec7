#pragma once
/// Builds programs in separate processes. A driver may build the programs of one process one at a
/// time, whichever threads ask (NVIDIA's does), but those of several processes in parallel. Also, a
/// compiler that crashes then ends only a helper.

#include <chrono>
#include <clgauss/lab/program_cache.hpp>
#include <clgauss/opencl.hpp>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clgauss {

/// A program to build, and its key in a ProgramCache.
struct BuildJob {
  std::string key, source, options;
};

/// Identifies a device and its driver: the first part of every key.
[[nodiscard]] std::string device_text(const cl::Device& device);

/// Keeps, in a ProgramCache, what became of a helper that built the program of `key`.
[[nodiscard]] std::string compiler_key(const std::string& key);

/// By what fault the driver's compiler ended the process that built the program of `key`, and the
/// last line that it wrote; empty where no such thing is known.
[[nodiscard]] std::optional<std::string> compiler_fault(const ProgramCache& cache,
                                                        const std::string& key);

/// Whether a process has built the program of `key`, or was ended by it.
[[nodiscard]] bool is_tried(const ProgramCache& cache, const std::string& key);

/// The path of the helper program, clgauss-builder: beside the file that contains this code, or
/// where it was installed; empty if it is in neither place.
[[nodiscard]] std::filesystem::path builder_program();

/// When another process that builds is taken for stopped: in 10 s.
[[nodiscard]] std::chrono::steady_clock::time_point end_of_waiting();

/// cache.try_turn(key), waiting while another process builds that program. Calls `hear` several
/// times a second; it may throw. Returns null if it is still another's turn at `until`.
Turn await_turn(const ProgramCache& cache, const std::string& key,
                std::chrono::steady_clock::time_point until, const std::function<void()>& hear);

/// The processes that build, and the device and cache that they build for.
struct Builders {
  std::filesystem::path program = {};  // builder_program()
  std::string device = {};             // device_text()
  std::filesystem::path cache = {};    // the folder of a ProgramCache
  std::size_t processes = 0;           // in addition to this one
  /// Builds and keeps a job here. Where it is empty, helpers build all jobs.
  std::function<void(const BuildJob& job)> own = {};
  bool keeps_binaries = true;  // in the cache; otherwise the driver keeps its own
};

/// Programs to build, in this order.
struct BuildJobs {
  std::vector<BuildJob> needed;
  /// For later: built after the others and by helpers alone, which go on when the call has
  /// returned, and when this process has ended.
  std::vector<BuildJob> ahead = {};
  /// The turn to build ahead, which the helpers keep until they end.
  Turn turn_ahead = {};
};

/// Builds in the helper processes and in this one, until no needed job is left. A job that a helper
/// built is then in the cache. A failed job is not; whoever needs the program will see the error.
/// Where the compiler ended a helper in a needed job, compiler_fault() says so from then on, unless
/// this process builds, too.
/// Calls `hear` several times a second with the number of finished needed jobs; if `hear` throws,
/// the helpers are killed and the exception is passed on.
void build_by_processes(const Builders& builders, const BuildJobs& jobs,
                        const std::function<void(std::size_t done)>& hear);

/// The main function of the helper, which build_by_processes() started. Returns its exit code.
int run_builder();

}  // namespace clgauss
