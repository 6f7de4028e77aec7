#include "linalg/solve/memory_need.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/cholesky/cholesky.hpp"
#include "kernels/cholesky/cholesky_cpu.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "kernels/substitution/trsm_cpu.hpp"

namespace clgauss {

namespace {

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string parts_text(const MemoryNeed& need) {
  return fmt::format("matrix {}, right-hand sides {}, pivots and workspace {}",
                     megabytes(need.matrix), megabytes(need.right_hand_sides),
                     megabytes(need.workspace));
}

std::string advice(const MemoryNeed& need) {
  return need.type == RealType::f64 ? "f32 takes half, another device may have more"
                                    : "another device may have more";
}

}  // namespace

void require_memory(const MemoryNeed& need, const DeviceProfile& device, std::uint64_t host_bytes) {
  if (need.on_device() > device.global_mem_bytes)
    throw OutOfMemory(fmt::format("{} needs {} ({}), the memory of {} is {}; {}", need.what,
                                  megabytes(need.on_device()), parts_text(need), device.name,
                                  megabytes(device.global_mem_bytes), advice(need)));
  if (device.type != DeviceType::cpu || need.on_device() + need.host_copy <= host_bytes) return;
  throw OutOfMemory(fmt::format(
      "{} needs {} ({}, and {} for the copy of A that the residual is computed from), this machine "
      "or container has {}; {}{}",
      need.what, megabytes(need.on_device() + need.host_copy), parts_text(need),
      megabytes(need.host_copy), megabytes(host_bytes),
      need.host_copy > 0 && need.on_device() <= host_bytes ? "solving in place gives that copy up, "
                                                           : "",
      advice(need)));
}

std::uint64_t lu_workspace_bytes(const DeviceProfile& device, const LuSpec& spec, RealType type,
                                 Index n, Index nrhs, bool positive_definite) {
  const Setting setting{device, type, n};
  const bool gpu = spec.family == LuFamily::gpu;
  std::uint64_t bytes =
      !positive_definite ? workspace_bytes(variants_of(spec.family), spec.parameters, setting)
      : gpu ? cholesky_variant().workspace_bytes(usual_cholesky_parameters(setting), setting)
            : cholesky_cpu_variant().workspace_bytes(spec.parameters, setting);
  if (gpu) bytes += n * sizeof(std::uint32_t);  // pivots
  if (device.type != DeviceType::cpu) return bytes;
  // Only CPUs pack the operands of products, and have a workspace for many right-hand sides.
  if (!gpu) return nrhs > 1 ? bytes + TrsmCpu::bytes(device, type, n, nrhs) : bytes;
  const Parameters parameters =
      positive_definite ? usual_cholesky_parameters(setting) : spec.parameters;
  return bytes + gemm_workspace_bytes(default_cpu_gemm_spec(device, type),
                                      {n, n, static_cast<Index>(value_of(parameters, "NB"))});
}

}  // namespace clgauss
