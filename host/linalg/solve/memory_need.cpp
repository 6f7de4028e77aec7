#include "linalg/solve/memory_need.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/cholesky/cholesky.hpp"
#include "kernels/common/variants.hpp"
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
      need.host_copy > 0 && need.on_device() <= host_bytes ? "solving in place frees that copy, "
                                                           : "",
      advice(need)));
}

namespace {

/// The kernels of a factorisation and their parameters.
struct Factorisation {
  Variants variants;
  Parameters parameters;
};

Factorisation factorisation_of(const LuSpec& spec, const LuOptions& options,
                               const Setting& setting) {
  const bool gpu = spec.family == LuFamily::gpu;
  if (options.positive_definite)
    return {cholesky_variants().subspan(gpu ? 1 : 0, 1),
            gpu ? usual_cholesky_parameters(setting) : spec.parameters};
  if (!options.symmetric) return {variants_of(spec.family), spec.parameters};
  const Variants variants = gpu ? ldlt_variants().subspan(1) : ldlt_variants().first(1);
  return {variants, usual_parameters(variants, setting)};
}

}  // namespace

std::uint64_t lu_workspace_bytes(const DeviceProfile& device, const LuSpec& spec, RealType type,
                                 Index n, Index nrhs, const LuOptions& options) {
  const Setting setting{device, type, n};
  const bool gpu = spec.family == LuFamily::gpu;
  const auto [variants, parameters] = factorisation_of(spec, options, setting);
  std::uint64_t bytes = workspace_bytes(variants, parameters, setting);
  if (gpu) bytes += n * sizeof(std::uint32_t);                // pivots
  if (options.symmetric) bytes += n * nrhs * bytes_of(type);  // B in the order of pivots
  if (device.type != DeviceType::cpu) return bytes;
  // Only CPUs pack operands of products and need a workspace for many right-hand sides.
  if (!gpu && nrhs > 1) bytes += TrsmCpu::bytes(device, type, n, nrhs);
  if (!gpu && !options.symmetric) return bytes;
  const char* const columns = options.symmetric ? "WIDTH" : "NB";
  return bytes + gemm_workspace_bytes(default_cpu_gemm_spec(device, type),
                                      {n, n, static_cast<Index>(value_of(parameters, columns))});
}

}  // namespace clgauss
