#pragma once
/// What kernels have in common whose work-groups wait for each other, so that all of them must be
/// resident at once: they exchange packets, each with a tag that its reader waits for.

#include <clgauss/context.hpp>
#include <string>

namespace clgauss {

/// Why no work-group may wait for another on the device. Empty: they may, where a probe shows that
/// they run at once.
[[nodiscard]] std::string lacks_residency(const DeviceProfile& device);

/// What is wrong where the probe, or a wait, failed.
inline constexpr const char* kNotResident =
    "its work-groups do not all run at once, as they must to wait for each other";

/// The macro PACKET_BITS of cl/common/waiting.clh. Half of a packet is payload, half its tag.
[[nodiscard]] unsigned packet_bits(const DeviceProfile& device);
/// The largest tag in half of such a packet.
[[nodiscard]] cl_uint last_tag(unsigned packet_bits);
/// Packets of `bytes` of payload.
[[nodiscard]] constexpr std::uint64_t packets_for(std::uint64_t bytes, unsigned packet_bits) {
  return bytes / (packet_bits / 16);
}

/// The buffer in which they lie. It need not be cleared from launch to launch, as tags grow.
class PacketExchange {
 public:
  PacketExchange(std::uint64_t bytes, cl_uint last_tag) : bytes_(bytes), last_tag_(last_tag) {}

  struct Part {
    const cl::Buffer& buffer;
    cl_uint epoch;  // the first tag
  };

  /// For a launch that uses up to `tags` of them. Throws OutOfMemory.
  [[nodiscard]] Part next(const Context& context, const cl::CommandQueue& queue, cl_uint tags);

 private:
  std::uint64_t bytes_;
  cl_uint last_tag_, epoch_ = 1;
  cl::Buffer buffer_;
};

}  // namespace clgauss
