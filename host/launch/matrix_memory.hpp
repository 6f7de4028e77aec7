#pragma once
/// Memory for the matrices of a solve, kept by the context for the next one.

#include <array>
#include <clgauss/context.hpp>
#include <clgauss/opencl.hpp>
#include <cstdint>
#include <string>

namespace clgauss {

/// New memory costs a page fault per 4 KiB on the first write, and the pages are returned
/// afterwards. On a CPU with 2 cores that takes about a fifth of a solve at n = 2048 and 4096; on
/// an H100 it takes 1 to 2 ms of the 10 to 25 ms of a solve there. So up to three matrices of the
/// last solve are kept, each of at most 256 MB and, in a device's own memory, at most 1/kShare of
/// it. They are released when a matrix of another size is requested.
class MatrixMemory {
 public:
  static constexpr std::uint64_t kMostBytes = 256U << 20U, kShare = 64;

  /// A buffer of `bytes`, kept or new, with undefined content. If none of that size is kept, the
  /// kept ones are released. Earlier work with the buffer may still be running, so enqueue on the
  /// same queue. Throws as Context::allocate().
  [[nodiscard]] cl::Buffer take(const Context& context, std::uint64_t bytes,
                                const std::string& what);
  /// Keeps the buffer of `bytes` if the limits allow it. Call it at the end of a solve that threw
  /// nothing, when nobody else holds the buffer.
  void give(const Context& context, cl::Buffer buffer, std::uint64_t bytes);
  /// Bytes kept at present.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  struct Kept {
    cl::Buffer buffer;
    std::uint64_t bytes = 0;
  };
  std::array<Kept, 3> kept_;  // the f64 matrix, f32 factors, the matrix mixed by butterflies
};

}  // namespace clgauss
