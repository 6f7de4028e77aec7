#pragma once
/// The blocks of columns as StarPU data.

#include <starpu.h>
#include <starpu_mpi.h>

#include <atomic>
#include <clgauss/distributed.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "distributed/host_memory.hpp"

namespace clgauss {

/// A StarPU data handle, unregistered in the destructor.
class Handle {
 public:
  Handle() = default;
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    // With several ranks, an error cannot be followed by an orderly shutdown.
    if (handle_ != nullptr && std::uncaught_exceptions() == 0)
      starpu_data_unregister(handle_);
    else if (handle_ != nullptr && !has_ranks())
      starpu_data_unregister_no_coherency(handle_);
  }

  /// Registers `count` elements at `memory`; if that is null, StarPU allocates them.
  void make(void* memory, std::size_t count, std::size_t element) {
    starpu_vector_data_register(&handle_, memory != nullptr ? STARPU_MAIN_RAM : -1,
                                reinterpret_cast<uintptr_t>(memory),
                                static_cast<std::uint32_t>(count), element);
    starpu_data_set_sequential_consistency_flag(handle_, 1);
  }
  void give_to(int rank, std::int64_t tag) { starpu_mpi_data_register(handle_, tag, rank); }

  [[nodiscard]] starpu_data_handle_t get() const { return handle_; }

 private:
  starpu_data_handle_t handle_ = nullptr;
};

/// The main thread's access to data of this rank, in host memory.
class HostAccess {
 public:
  HostAccess(const Handle& handle, starpu_data_access_mode mode) : handle_(handle.get()) {
    starpu_data_acquire(handle_, mode);
  }
  HostAccess(const HostAccess&) = delete;
  HostAccess& operator=(const HostAccess&) = delete;
  ~HostAccess() { starpu_data_release(handle_); }

  [[nodiscard]] std::byte* data() const {
    return reinterpret_cast<std::byte*>(starpu_vector_get_local_ptr(handle_));
  }

 private:
  starpu_data_handle_t handle_;
};

/// One block of columns, row-major, and the row exchanges of its panel.
struct Block {
  std::optional<HostMemory> memory;
  Handle columns, pivots;
  std::vector<std::int32_t> pivot_memory;
  std::atomic<bool> factored = false, stored = false;
};
using Blocks = std::deque<Block>;

}  // namespace clgauss
