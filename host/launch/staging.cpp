#include "launch/staging.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "opencl_error.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

/// Size of a transfer: long enough for the bus, short enough for a core's cache.
constexpr std::size_t kChunkBytes = std::size_t{1} << 20U;
/// Alignment of a chunk: that of a cache line, which suits any number type.
constexpr std::size_t kAlignment = 64;

Index items_of_chunk(std::size_t item_bytes) {
  return std::max<Index>(1, kChunkBytes / std::max<std::size_t>(item_bytes, 1));
}

}  // namespace

/// What one thread uses: two chunks, one of which may be in transfer.
struct Staging::Lane {
  cl::Buffer pinned;  // empty: the memory is pageable
  std::byte* memory = nullptr;
  std::vector<std::byte> pageable;
  std::size_t chunk_bytes = 0;
  std::array<cl::Event, 2> on_its_way;

  /// Writes items first .. last. Returns an OpenCL error code.
  cl_int write(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index first, Index last,
               std::size_t item_bytes, const FillItems& fill) {
    const Index step = items_of_chunk(item_bytes);
    for (int turn = 0; first < last; first += step, turn = 1 - turn) {
      const Index end = std::min(last, first + step);
      cl::Event& mine = on_its_way[static_cast<std::size_t>(turn)];
      if (const cl_int error = wait_for(mine); error != CL_SUCCESS) return error;
      fill(first, end, chunk(turn));
      cl_event event = nullptr;
      const cl_int error =
          clEnqueueWriteBuffer(queue(), buffer(), CL_FALSE, first * item_bytes,
                               (end - first) * item_bytes, chunk(turn), 0, nullptr, &event);
      if (error != CL_SUCCESS) return error;
      mine = cl::Event(event);
      if (const cl_int flushed = clFlush(queue()); flushed != CL_SUCCESS) return flushed;
    }
    return CL_SUCCESS;
  }

  /// Reads items first .. last: one chunk is transferred while the other is drained.
  cl_int read(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index first, Index last,
              std::size_t item_bytes, const DrainItems& drain) {
    const Index step = items_of_chunk(item_bytes);
    const auto ask_for = [&](int turn, Index begin) -> cl_int {
      if (begin >= last) return CL_SUCCESS;
      cl_event event = nullptr;
      const cl_int error = clEnqueueReadBuffer(queue(), buffer(), CL_FALSE, begin * item_bytes,
                                               (std::min(last, begin + step) - begin) * item_bytes,
                                               chunk(turn), 0, nullptr, &event);
      if (error != CL_SUCCESS) return error;
      on_its_way[static_cast<std::size_t>(turn)] = cl::Event(event);
      return clFlush(queue());
    };
    cl_int error = ask_for(0, first);
    for (int turn = 0; first < last && error == CL_SUCCESS; first += step, turn = 1 - turn) {
      error = ask_for(1 - turn, first + step);
      if (error == CL_SUCCESS) error = wait_for(on_its_way[static_cast<std::size_t>(turn)]);
      if (error == CL_SUCCESS) drain(first, std::min(last, first + step), chunk(turn));
    }
    return error;
  }

  /// Waits for the transfers of both chunks, even if one fails. Returns an error code if one did.
  cl_int wait() {
    cl_int worst = CL_SUCCESS;
    for (cl::Event& event : on_its_way)
      if (const cl_int error = wait_for(event); error != CL_SUCCESS) worst = error;
    return worst;
  }

 private:
  [[nodiscard]] std::byte* chunk(int turn) const {
    return memory + static_cast<std::size_t>(turn) * chunk_bytes;
  }

  static cl_int wait_for(cl::Event& event) {
    if (event() == nullptr) return CL_SUCCESS;
    const cl_int error = clWaitForEvents(1, &event());
    event = cl::Event();
    return error;
  }
};

Staging::Staging(const cl::Context& context, const cl::CommandQueue& queue, Transfers transfers)
    : context_(context), queue_(queue), transfers_(transfers) {}

Staging::~Staging() {
  bool any = false;
  for (const auto& lane : lanes_)
    if (lane->pinned() != nullptr) {
      (void)clEnqueueUnmapMemObject(queue_(), lane->pinned(), lane->memory, 0, nullptr, nullptr);
      any = true;
    }
  if (any) (void)clFinish(queue_());
}

cl::Buffer Staging::strip(const Context& context, std::uint64_t bytes) {
  if (bytes <= strip_bytes_) return strip_;
  strip_ = cl::Buffer();  // frees the old one before allocating
  strip_bytes_ = 0;
  cl::Buffer made = context.allocate(bytes, "columns on their way");
  if (bytes > context.profile().global_mem_bytes / kShareOfStrip) return made;
  strip_bytes_ = bytes;
  return strip_ = std::move(made);
}

void Staging::require_lanes(Index lanes, std::size_t chunk_bytes) {
  const auto too_small = [&](const auto& lane) { return lane->chunk_bytes < chunk_bytes; };
  if (std::ranges::any_of(lanes_, too_small)) {
    for (const auto& lane : lanes_)
      if (lane->pinned() != nullptr) queue_.enqueueUnmapMemObject(lane->pinned, lane->memory);
    lanes_.clear();
  }
  while (lanes_.size() < lanes) {
    auto lane = std::make_unique<Lane>();
    lane->chunk_bytes =
        (std::max(chunk_bytes, kChunkBytes) + kAlignment - 1) / kAlignment * kAlignment;
    const std::size_t bytes = 2 * lane->chunk_bytes;
    if (transfers_ == Transfers::pinned) {
      try {
        lane->pinned = cl::Buffer(context_, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
        lane->memory = static_cast<std::byte*>(
            queue_.enqueueMapBuffer(lane->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes));
      } catch (const cl::Error&) {
        transfers_ = Transfers::pageable;
        lane->pinned = cl::Buffer();
      }
    }
    if (transfers_ == Transfers::pageable) {
      lane->pageable.resize(bytes);
      lane->memory = lane->pageable.data();
    }
    lanes_.push_back(std::move(lane));
  }
}

void Staging::write_mapped(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
                           std::size_t item_bytes, const FillItems& fill) const {
  auto* const mapped = static_cast<std::byte*>(queue.enqueueMapBuffer(
      buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, count * item_bytes));
  // Bound by memory bandwidth and by the page faults of a new buffer. Huge pages (madvise) are not
  // used: they were up to 10 times faster, but 4 times slower where memory was fragmented.
  const Index step = items_of_chunk(item_bytes);
  in_parallel(count, step, [&](Index first, Index last) {
    for (; first < last; first += step)
      fill(first, std::min(last, first + step), mapped + first * item_bytes);
  });
  queue.enqueueUnmapMemObject(buffer, mapped);
  queue.finish();
}

void Staging::read_mapped(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
                          std::size_t item_bytes, const DrainItems& drain) const {
  auto* const mapped = static_cast<std::byte*>(
      queue.enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ, 0, count * item_bytes));
  in_parallel(count, items_of_chunk(item_bytes),
              [&](Index first, Index last) { drain(first, last, mapped + first * item_bytes); });
  queue.enqueueUnmapMemObject(buffer, mapped);
  queue.finish();
}

template <typename Move>
void Staging::by_lanes(const char* call, Index count, std::size_t item_bytes, const Move& move) {
  const Index grain = items_of_chunk(item_bytes);
  require_lanes(parts_of(count, grain), item_bytes);
  std::atomic<Index> next = 0;
  std::atomic<cl_int> error = CL_SUCCESS;
  in_parallel(count, grain, [&](Index first, Index last) {
    Lane& lane = *lanes_[next++];
    const cl_int moved = move(lane, first, last);
    const cl_int arrived = lane.wait();
    if (const cl_int code = moved != CL_SUCCESS ? moved : arrived; code != CL_SUCCESS) error = code;
  });
  check_call(call, error);
}

void Staging::write(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
                    std::size_t item_bytes, const FillItems& fill) {
  if (count == 0 || item_bytes == 0) return;
  if (transfers_ == Transfers::mapped) return write_mapped(queue, buffer, count, item_bytes, fill);
  by_lanes("clEnqueueWriteBuffer", count, item_bytes, [&](Lane& lane, Index first, Index last) {
    return lane.write(queue, buffer, first, last, item_bytes, fill);
  });
}

void Staging::read(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count,
                   std::size_t item_bytes, const DrainItems& drain) {
  if (count == 0 || item_bytes == 0) return;
  if (transfers_ == Transfers::mapped) return read_mapped(queue, buffer, count, item_bytes, drain);
  by_lanes("clEnqueueReadBuffer", count, item_bytes, [&](Lane& lane, Index first, Index last) {
    return lane.read(queue, buffer, first, last, item_bytes, drain);
  });
}

}  // namespace clgauss
