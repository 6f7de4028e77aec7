#pragma once
/// Host memory that devices copy from and to at the speed of their wire.

#include <clgauss/context.hpp>
#include <cstddef>
#include <memory>

namespace clgauss {

class HostMemory {
 public:
  /// `bytes`, pinned through `context`'s driver where its device is not the host itself. Throws OutOfMemory.
  HostMemory(const Context& context, std::size_t bytes);
  HostMemory(HostMemory&&) noexcept = default;
  HostMemory& operator=(HostMemory&&) noexcept = default;
  ~HostMemory() = default;

  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

 private:
  std::unique_ptr<std::byte, std::function<void(std::byte*)>> bytes_;
};

}  // namespace clgauss
