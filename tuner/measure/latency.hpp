#pragma once
/// Latencies of the device's memories, by following a chain of addresses.

#include <clgauss/context.hpp>
#include <cstdint>

#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

/// Accesses that a latency is the mean of: the difference of two chains, so that the launch does
/// not count.
inline constexpr unsigned kLongChain = 60000, kShortChain = 4000;

/// Bytes of a chain that no cache holds: eight times the largest cache that the device tells of,
/// 512 MiB at least, or what an eighth of its memory and one allocation allow.
[[nodiscard]] std::uint64_t uncached_bytes(const Context& context);

/// Time of one access in a random cycle of 128-byte lines over `bytes` of global memory. Each
/// repetition goes on where the last one ended, so that a chain longer than a cache is not found in
/// it.
[[nodiscard]] Prepared global_latency(Context& context, std::uint64_t bytes,
                                      const TimingOptions& options);

/// Time of one access in a random cycle of 4-byte words over 4 KiB of local memory.
[[nodiscard]] Prepared local_latency(Context& context, const TimingOptions& options);

}  // namespace clgauss::tune
