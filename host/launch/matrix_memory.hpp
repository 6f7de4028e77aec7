#pragma once
/// Memory for the matrices of a solve, which a context keeps for the next one.

#include <array>
#include <clgauss/context.hpp>
#include <clgauss/opencl.hpp>
#include <cstdint>
#include <string>

namespace clgauss {

/// New memory costs a page fault for every 4 KiB, on the first write, and as many pages are given
/// back: on a CPU with 2 cores about a fifth of a solve at n = 2048 and 4096. On an H100 it costs
/// 1 to 2 ms of a solve's 10 to 25 there. So matrices of the last solve stay, at most three of up
/// to 256 MB, and of a device's own memory up to a kShare-th, until one of another size is wanted.
class MatrixMemory {
 public:
  static constexpr std::uint64_t kMostBytes = 256U << 20U, kShare = 64;

  /// A buffer of `bytes`, kept or new, with any numbers in it; where none of that size is kept, no
  /// other is from now on. What was enqueued with it may still run: enqueue behind it. Throws as
  /// Context::allocate().
  [[nodiscard]] cl::Buffer take(const Context& context, std::uint64_t bytes,
                                const std::string& what);
  /// Keeps the buffer of `bytes`, if it may. For the end of a solve that nothing was thrown from:
  /// who else held the buffer has let go of it.
  void give(const Context& context, cl::Buffer buffer, std::uint64_t bytes);
  /// Bytes that are kept now.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  struct Kept {
    cl::Buffer buffer;
    std::uint64_t bytes = 0;
  };
  std::array<Kept, 3> kept_;  // of f64; factors in f32, and what butterflies mixed
};

}  // namespace clgauss
