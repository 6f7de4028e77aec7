#pragma once
/// The way of the host's numbers to a device's buffers and back.

#include <clgauss/context.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/opencl.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "launch/matrix_memory.hpp"

namespace clgauss {

/// Writes items first .. last at `out`. Called on several threads at once; must not throw.
using FillItems = std::function<void(Index first, Index last, std::byte* out)>;
/// Takes items first .. last from `in`, likewise.
using DrainItems = std::function<void(Index first, Index last, const std::byte* in)>;

/// Belongs to a context. Where device and host have one memory the buffer is mapped, and nothing is
/// copied twice. Else the items go through chunks of host memory that the driver pinned, which are
/// kept: every core fills or drains one chunk while its other one is on its way. An H200 takes
/// mapped buffers, whose host memory is new every time, at 2 GB/s, pageable memory at 7, pinned
/// memory at 55.
class Staging {
 public:
  /// `context` and `queue` must outlive it.
  Staging(const cl::Context& context, const cl::CommandQueue& queue, Transfers transfers);
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  /// Writes `count` items of `item_bytes` to `buffer`, from its first byte on, by `queue`, and
  /// waits. Throws OpenClError, OutOfMemory.
  void write(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
             std::size_t item_bytes, const FillItems& fill);

  /// The same back: reads `count` items from the first byte of `buffer` on, behind what was
  /// enqueued before, and waits. Throws OpenClError, OutOfMemory.
  void read(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
            std::size_t item_bytes, const DrainItems& drain);

  /// How it is done: pageable where the driver gave no pinned memory.
  [[nodiscard]] Transfers transfers() const noexcept { return transfers_; }

  /// What the matrices of the last solve lay in.
  [[nodiscard]] MatrixMemory& matrices() noexcept { return matrices_; }

  /// Memory of the device for columns on their way, at least `bytes`, with any numbers in it. It
  /// stays for the next call where it is no more than a kShareOfStrip-th of the device's memory: a
  /// driver takes longer to give 100 MB than a bus to fill them. What was enqueued with it may
  /// still run: enqueue behind it, on the context's queue. Throws as Context::allocate().
  static constexpr std::uint64_t kShareOfStrip = 64;
  [[nodiscard]] cl::Buffer strip(const Context& context, std::uint64_t bytes);

 private:
  struct Lane;

  void write_mapped(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
                    std::size_t item_bytes, const FillItems& fill) const;
  void read_mapped(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
                   std::size_t item_bytes, const DrainItems& drain) const;
  /// move(lane, first, last), which returns an OpenCL error code, for parts of `count` items, each
  /// with a lane of its own.
  template <typename Move>
  void by_lanes(const char* call, Index count, std::size_t item_bytes, const Move& move);
  void require_lanes(Index lanes, std::size_t chunk_bytes);

  const cl::Context& context_;
  const cl::CommandQueue& queue_;
  Transfers transfers_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  MatrixMemory matrices_;
  cl::Buffer strip_;
  std::uint64_t strip_bytes_ = 0;
};

}  // namespace clgauss
