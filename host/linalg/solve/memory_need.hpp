#pragma once
/// Checks in advance whether a whole solve fits in memory.

#include <clgauss/device.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <string>

namespace clgauss {

/// Bytes that a solve needs on the device, and on the host for its copy of A.
struct MemoryNeed {
  std::string what;  // "the f64 system of n = 5 with 1 right-hand side"
  RealType type = RealType::f64;
  std::uint64_t matrix = 0, right_hand_sides = 0, workspace = 0;
  std::uint64_t host_copy = 0;  // of A, kept during the solve; 0: freed

  [[nodiscard]] std::uint64_t on_device() const { return matrix + right_hand_sides + workspace; }
};

/// Throws OutOfMemory if the device's memory is too small. On a CPU device, which shares the host's
/// memory, throws also if the machine's `host_bytes` cannot hold both the device's part and the
/// host's copy. The message says what is needed, what is available and what to do.
void require_memory(const MemoryNeed& need, const DeviceProfile& device, std::uint64_t host_bytes);

/// Bytes that an LU with this spec needs besides A and B: its kernels' workspaces, the pivots and
/// packed operands. Also for Cholesky or L D L^T, if `options` ask for them.
[[nodiscard]] std::uint64_t lu_workspace_bytes(const DeviceProfile& device, const LuSpec& spec,
                                               RealType type, Index n, Index nrhs,
                                               const LuOptions& options = {});

}  // namespace clgauss
