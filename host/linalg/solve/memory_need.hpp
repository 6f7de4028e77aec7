#pragma once
/// Whether a whole solve fits, asked before it starts.

#include <clgauss/device.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <string>

namespace clgauss {

/// Bytes that a solve takes on the device, and on the host for its copy of A.
struct MemoryNeed {
  std::string what;  // "the f64 system of n = 5 with 1 right-hand side"
  RealType type = RealType::f64;
  std::uint64_t matrix = 0, right_hand_sides = 0, workspace = 0;
  std::uint64_t host_copy = 0;  // of A, kept while the device works; 0: given up

  [[nodiscard]] std::uint64_t on_device() const { return matrix + right_hand_sides + workspace; }
};

/// Throws OutOfMemory, with what is needed, what there is and what to do, if the device's memory
/// does not suffice; or, on a CPU device, whose memory is the host's, if `host_bytes` of the
/// machine do not suffice for the device's part and the copy.
void require_memory(const MemoryNeed& need, const DeviceProfile& device, std::uint64_t host_bytes);

/// Bytes of everything that an LU with this spec holds beside A and B: its variants' workspaces,
/// pivots, packed operands. The same for what else `options` ask for.
[[nodiscard]] std::uint64_t lu_workspace_bytes(const DeviceProfile& device, const LuSpec& spec,
                                               RealType type, Index n, Index nrhs,
                                               const LuOptions& options = {});

}  // namespace clgauss
