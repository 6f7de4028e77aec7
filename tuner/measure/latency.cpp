#include "tuner/measure/latency.hpp"

#include <algorithm>
#include <bit>
#include <clgauss/lab/launch.hpp>
#include <numeric>
#include <random>
#include <vector>

namespace clgauss::tune {

namespace {

/// Words of which every `stride`-th holds the place of the next: one random cycle through all of
/// them (Sattolo).
std::vector<cl_uint> random_cycle(std::size_t places, std::size_t stride) {
  std::vector<cl_uint> next(places);
  std::iota(next.begin(), next.end(), 0U);
  std::mt19937 random(1);
  for (std::size_t i = places - 1; i > 0; --i) std::swap(next[i], next[random() % i]);
  std::vector<cl_uint> words(places * stride);
  for (std::size_t i = 0; i < places; ++i)
    words[i * stride] = static_cast<cl_uint>(next[i] * stride);
  return words;
}

cl_uint end_of_chain(const std::vector<cl_uint>& words, unsigned steps) {
  cl_uint at = 0;  // where the first chase begins
  for (unsigned s = 0; s < steps; ++s) at = words[at];
  return at;
}

/// By `kernel` (next, steps, result ..), whose other arguments are set.
Prepared prepare_chain(Context& context, Kernel kernel, const std::vector<cl_uint>& words,
                       const TimingOptions& options) {
  const cl::CommandQueue& queue = context.queue();
  const cl::Buffer next = context.allocate(words.size() * sizeof(cl_uint), "a chain of addresses");
  const cl::Buffer result = context.allocate(sizeof(cl_uint), "the end of the chain");
  queue.enqueueWriteBuffer(next, CL_TRUE, 0, words.size() * sizeof(cl_uint), words.data());
  queue.enqueueFillBuffer(result, cl_uint{0}, 0, sizeof(cl_uint));
  queue.finish();
  auto chase_s = [&queue, kernel = std::move(kernel), next, result](unsigned steps) mutable {
    kernel.set_arguments(next, cl_uint{steps}, result);
    return time_once([&] {
      enqueue_kernel(queue, kernel, cl::NDRange(1), cl::NDRange(1));
      queue.finish();
    });
  };
  const double expected_s = chase_s(kLongChain);
  cl_uint end = 0;
  queue.enqueueReadBuffer(result, CL_TRUE, 0, sizeof end, &end);
  if (end != end_of_chain(words, kLongChain))
    return {{Status::wrong_result, "the chain ends elsewhere", {}}};
  if (!(expected_s <= options.timeout_s)) return {too_slow(expected_s)};

  auto timed_ns = [chase_s]() mutable {
    const double chain_s = chase_s(kLongChain) - chase_s(kShortChain);
    return std::max(1e-3, 1e9 * chain_s / (kLongChain - kShortChain));
  };
  for (std::size_t w = 0; w < options.warmups; ++w) {
    if (options.between) options.between();
    timed_ns();
  }
  return {{}, timed_ns, expected_s};
}

}  // namespace

std::uint64_t uncached_bytes(const Context& context) {
  constexpr std::uint64_t least = 512U << 20U, caches = 8;
  const DeviceProfile& device = context.profile();
  const auto cache =
      context.queue().getInfo<CL_QUEUE_DEVICE>().getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>();
  const std::uint64_t limit = std::min(device.max_alloc_bytes, device.global_mem_bytes / 8);
  return std::bit_floor(std::min(limit, std::max(least, std::bit_ceil(caches * cache))));
}

Prepared global_latency(Context& context, std::uint64_t bytes, const TimingOptions& options) {
  constexpr std::size_t kWordsOfLine = 128 / sizeof(cl_uint);
  Kernel kernel = context.programs().kernel("latency.cl", "chase_global", {});
  return prepare_chain(context, kernel, random_cycle(bytes / 128, kWordsOfLine), options);
}

Prepared local_latency(Context& context, const TimingOptions& options) {
  constexpr cl_uint kWords = 1024;
  Kernel kernel = context.programs().kernel("latency.cl", "chase_local", {});
  kernel.set_arguments_from(3, kWords, cl::Local(kWords * sizeof(cl_uint)));
  return prepare_chain(context, kernel, random_cycle(kWords, 1), options);
}

}  // namespace clgauss::tune
