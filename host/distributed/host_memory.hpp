#pragma once
/// Host memory for blocks of a matrix.

#include <clgauss/context.hpp>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>

namespace clgauss {

class HostMemory {
 public:
  /// `bytes`; where `context`'s device is not the host itself, pinned by its driver, so that
  /// devices copy from and to it at the speed of their wire. Throws OutOfMemory.
  HostMemory(const Context& context, std::size_t bytes);
  /// `bytes` of a file in `folder`, which has no name: the system writes there what the machine's
  /// memory does not hold, and takes it away when the process ends, however it ends. Throws
  /// FileError if the disk has not so much left.
  HostMemory(const std::filesystem::path& folder, std::size_t bytes);
  HostMemory(HostMemory&&) noexcept = default;
  HostMemory& operator=(HostMemory&&) noexcept = default;
  ~HostMemory() = default;

  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

 private:
  std::unique_ptr<std::byte, std::function<void(std::byte*)>> bytes_;
};

}  // namespace clgauss
