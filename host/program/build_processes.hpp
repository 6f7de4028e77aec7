#pragma once
/// Programs built by processes of their own. A driver may take the programs of one process one
/// after the other, whatever threads ask for them (NVIDIA's does), and those of several processes
/// at once; and a compiler that ends its process takes only a helper.

#include <clgauss/opencl.hpp>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace clgauss {

/// A program to be built, and the key that it is stored by in a ProgramCache.
struct BuildJob {
  std::string key, source, options;
};

/// What tells a device and its driver from others: the first part of every key.
[[nodiscard]] std::string device_text(const cl::Device& device);

/// The helper program, clgauss-builder: beside the file that this code lies in, or where it was
/// installed; empty if it is in neither place.
[[nodiscard]] std::filesystem::path builder_program();

/// Who builds, and for what.
struct Builders {
  std::filesystem::path program;                 // builder_program()
  std::string device;                            // device_text()
  std::filesystem::path cache;                   // the folder of a ProgramCache
  std::size_t processes = 0;                     // beside this one
  std::function<void(const BuildJob& job)> own;  // builds and keeps a job in this process
};

/// Has `jobs` built, in their order, by so many processes and this one. A job that a process builds
/// is in the cache afterwards, but for one that fails: who needs it will see why. `hear` is told,
/// some times a second, how many are done; what it throws ends the processes and leaves.
void build_by_processes(const Builders& builders, const std::vector<BuildJob>& jobs,
                        const std::function<void(std::size_t done)>& hear);

/// The helper's whole work, with what build_by_processes() gave it. Returns its exit code.
int run_builder();

}  // namespace clgauss
