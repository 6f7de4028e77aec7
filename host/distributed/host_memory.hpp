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
  /// Allocates `bytes`. If `context`'s device is not the host itself, its driver pins the memory,
  /// so that devices transfer at the full speed of their bus. Throws OutOfMemory.
  HostMemory(const Context& context, std::size_t bytes);
  /// Maps `bytes` of an unlinked file in `folder`. The system writes to it what does not fit into
  /// the machine's memory, and deletes it when the process ends in any way. Throws FileError if the
  /// disk has not enough space.
  HostMemory(const std::filesystem::path& folder, std::size_t bytes);
  HostMemory(HostMemory&&) noexcept = default;
  HostMemory& operator=(HostMemory&&) noexcept = default;
  ~HostMemory() = default;

  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

 private:
  std::unique_ptr<std::byte, std::function<void(std::byte*)>> bytes_;
};

}  // namespace clgauss
