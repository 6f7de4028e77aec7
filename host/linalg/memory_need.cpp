#include "linalg/memory_need.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>

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
  return need.type == RealType::f64 ? "use --type f32, which takes half, or another --device"
                                    : "use another --device";
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
      need.host_copy > 0 && need.on_device() <= host_bytes
          ? "use --in-place, which gives that copy up, or "
          : "",
      advice(need)));
}

std::uint64_t lu_workspace_bytes(const LuSpec& spec, RealType type, Index n, Index nrhs) {
  const std::uint64_t element = bytes_of(type);
  const auto number = [&](const char* name) { return static_cast<Index>(spec.value(name)); };
  if (spec.family == LuFamily::gpu)
    return 3 * n * sizeof(std::uint32_t) +  // pivots, and two lists of a tournament
           n * std::max<std::uint64_t>(element, spec.value("PERSISTENT") == 1 ? 16 : 0);
  // The panel store, the packed row block of U, the row numbers of every panel; see LuCpu.
  const Index nb = number("NB"), rb = number("RB"), nr = number("NR");
  std::uint64_t elements = (n + nr) * nb + nb * 8 + n;
  for (Index k = 0; k < n; k += nb) elements += (n - k + rb - 1) / rb * (nb + 8) * rb;
  const Index panels = (n + nb - 1) / nb;
  if (nrhs > 1) elements += (n + nrhs) * 256;  // operands of the solves' products, packed
  return elements * element + (panels * n + 2 * n) * sizeof(std::uint32_t);
}

}  // namespace clgauss
