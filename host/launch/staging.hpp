#pragma once
/// Transfers the host's numbers to a device's buffers and back.

#include <clgauss/context.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/opencl.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "launch/matrix_memory.hpp"

namespace clgauss {

/// Writes items first .. last to `out`. Called on several threads at once; must not throw.
using FillItems = std::function<void(Index first, Index last, std::byte* out)>;
/// Takes items first .. last from `in`. Called on several threads at once; must not throw.
using DrainItems = std::function<void(Index first, Index last, const std::byte* in)>;

/// Belongs to a context. Where device and host share memory, the buffer is mapped and nothing is
/// copied twice. Otherwise the items go through chunks of pinned host memory, which are kept: every
/// core fills or drains one chunk while its other one is in transfer. An H200 transfers mapped
/// buffers, whose host memory is new each time, at 2 GB/s, pageable memory at 7 and pinned memory
/// at 55.
class Staging {
 public:
  /// `context` and `queue` must outlive this object.
  Staging(const cl::Context& context, const cl::CommandQueue& queue, Transfers transfers);
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging();

  /// Writes `count` items of `item_bytes` to the beginning of `buffer`, on `queue`, and waits.
  /// Throws OpenClError, OutOfMemory.
  void write(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
             std::size_t item_bytes, const FillItems& fill);

  /// Reads `count` items from the beginning of `buffer`, after the work enqueued before, and waits.
  /// Throws OpenClError, OutOfMemory.
  void read(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
            std::size_t item_bytes, const DrainItems& drain);

  /// The kind of transfer in use. It is pageable if the driver refused pinned memory.
  [[nodiscard]] Transfers transfers() const noexcept { return transfers_; }

  /// The memory of the last solve's matrices.
  [[nodiscard]] MatrixMemory& matrices() noexcept { return matrices_; }

  /// Device memory for columns in transfer: at least `bytes`, with undefined content. It is kept
  /// for the next call if it is at most 1/kShareOfStrip of the device's memory, because allocating
  /// 100 MB takes a driver longer than transferring them. Earlier work with it may still be
  /// running, so enqueue on the context's queue. Throws as Context::allocate().
  static constexpr std::uint64_t kShareOfStrip = 64;
  [[nodiscard]] cl::Buffer strip(const Context& context, std::uint64_t bytes);

 private:
  struct Lane;

  void write_mapped(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
                    std::size_t item_bytes, const FillItems& fill) const;
  void read_mapped(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
                   std::size_t item_bytes, const DrainItems& drain) const;
  /// Calls move(lane, first, last), which returns an OpenCL error code, for parts of `count` items,
  /// each part with its own lane.
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
