#include "kernels/common/packets.hpp"

#include <limits>

namespace clgauss {

/// PoCL, rusticl and Intel's runtime may run two work-groups in parallel or one after the other.
/// Measured: a launch of two gave up waiting in one run of three while other programs used the
/// cores.
std::string lacks_residency(const DeviceProfile& device) {
  return device.type == DeviceType::cpu
             ? "a CPU runs work-groups as it has threads for them, so none may wait for another"
             : "";
}

unsigned packet_bits(const DeviceProfile& device) { return device.int64_atomics ? 64 : 32; }

cl_uint last_tag(unsigned packet_bits) {
  return packet_bits == 64 ? std::numeric_limits<cl_uint>::max()
                           : std::numeric_limits<cl_ushort>::max();
}

PacketExchange::Part PacketExchange::next(const Context& context, const cl::CommandQueue& queue,
                                          cl_uint tags) {
  const bool is_new = buffer_() == nullptr;
  if (is_new) buffer_ = context.allocate(bytes_, "the packets of a panel");
  if (is_new || epoch_ > last_tag_ - 2 * tags) {  // tags would repeat
    queue.enqueueFillBuffer(buffer_, cl_int{0}, 0, bytes_);
    epoch_ = 1;
  }
  const cl_uint epoch = epoch_;
  epoch_ += tags;
  return {buffer_, epoch};
}

}  // namespace clgauss
