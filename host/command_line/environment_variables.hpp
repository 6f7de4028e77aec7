#pragma once
/// The environment variables that every clgauss program reads, for its help.

#include <vector>

#include "command_line/command.hpp"

namespace clgauss::cli {

/// These variables, followed by `more` of the program's own.
[[nodiscard]] inline std::vector<EnvironmentVariable> environment_variables(
    const std::vector<EnvironmentVariable>& more = {}) {
  std::vector<EnvironmentVariable> all{
      {"CLGAUSS_DEVICE", "the device when --device is not given"},
      {"CLGAUSS_KERNELS=portable",
       "leave out the kernels with one vendor's instructions, as --kernels portable"},
      {"CLGAUSS_KERNEL_DIR", "read the .cl files from this folder"},
      {"CLGAUSS_CACHE=off", "do not keep built kernels on disk"},
      {"CLGAUSS_TUNED=off", "do not use what clgauss-tune auto stored, nor what is shipped"},
      {"CLGAUSS_BUILDS=serial",
       "build kernels one after the other, for a driver that cannot build several at once; "
       "threads: by this process alone, without clgauss-builder"},
      {"CLGAUSS_TRANSFERS=mapped",
       "how large arrays reach the device: mapped, pinned or pageable, instead of what suits it"},
      {"CLGAUSS_KERNEL_FAULTS=lu_small=build,trsv=wrong",
       "make these kernel files fail to build, or give wrong numbers, for tests"},
      {"CLGAUSS_F64_RATIO=32",
       "let auto choose as on a GPU, not tuned, whose f32 is 32 (1, 2, 4 .. 64) times as fast as "
       "its f64, instead of measuring that"},
      {"XDG_CACHE_HOME", "built kernels lie in clgauss below this folder (else HOME's .cache)"},
      {"XDG_DATA_HOME",
       "tuned numbers lie in clgauss/tuned below this folder (else HOME's .local/share)"},
      {"HOME", "the folder of the user, for these two"},
      {"OCL_ICD_VENDORS", "read by the OpenCL loader: the folder with the drivers' .icd files"},
      {"RUSTICL_ENABLE=llvmpipe",
       "read by Mesa: the drivers whose devices rusticl shows, llvmpipe for the CPU"},
      {"POCL_CACHE_DIR", "read by PoCL: where it keeps built kernels"},
      {"POCL_KERNEL_CACHE=0", "read by PoCL: do not keep them; clgauss then keeps its own"},
      {"POCL_AFFINITY",
       "read by PoCL: whether its threads stay on their cores; the program sets 1 if it is not "
       "set"},
      {"CUDA_DEVICE_MAX_CONNECTIONS",
       "read by NVIDIA's driver: how many queues run beside each other; the program sets 2, all "
       "that it has, if it is not set"},
      {"NO_COLOR=1", "no colours on a terminal"},
      {"TERM=dumb", "likewise"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace clgauss::cli
