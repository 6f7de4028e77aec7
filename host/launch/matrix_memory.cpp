#include "launch/matrix_memory.hpp"

#include <algorithm>
#include <utility>

namespace clgauss {

cl::Buffer MatrixMemory::take(const Context& context, std::uint64_t bytes,
                              const std::string& what) {
  for (Kept& one : kept_)
    if (one.buffer() != nullptr && one.bytes == bytes) return std::exchange(one, {}).buffer;
  kept_ = {};
  return context.allocate(bytes, what);
}

void MatrixMemory::give(const Context& context, cl::Buffer buffer, std::uint64_t bytes) {
  const DeviceProfile& device = context.profile();
  if (bytes > kMostBytes) return;
  if (device.type != DeviceType::cpu && bytes > device.global_mem_bytes / kShare) return;
  const auto place = std::ranges::find(kept_, std::uint64_t{0}, &Kept::bytes);
  if (place != kept_.end()) *place = {std::move(buffer), bytes};
}

std::uint64_t MatrixMemory::bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Kept& one : kept_) sum += one.bytes;
  return sum;
}

}  // namespace clgauss
