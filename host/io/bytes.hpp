#pragma once
/// Reads bytes whose number is not known in advance.

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/matrix.hpp>
#include <string>
#include <vector>

#include "io/memory.hpp"

namespace clgauss::io {

using Bytes = std::vector<char, UninitializedAllocator<char>>;

/// The limit for data whose size is not known in advance: half of this machine's memory, because
/// the numbers in the data need the rest.
[[nodiscard]] inline Index most_unsized_bytes() { return physical_memory() / 2; }

/// All bytes that `read(place, count)` returns, until it returns 0. Throws OutOfMemory before there
/// are more than `most` bytes. The message names the file and `what`, for example "unpacks to".
template <typename Read>
[[nodiscard]] Bytes read_all(const std::string& name, std::string_view what, Index most,
                             Read read) {
  Bytes bytes;
  std::size_t used = 0;
  while (true) {
    if (used == bytes.size()) {
      if (used > most)
        throw OutOfMemory(fmt::format(
            "{}: {} more than the {} that are taken of such a file on a machine with {} of memory",
            name, what, readable_bytes(most), readable_bytes(physical_memory())));
      try {
        bytes.resize(std::clamp(2 * used, std::size_t{1} << 16U, most + 1));
      } catch (const OutOfMemory& error) {
        throw OutOfMemory(fmt::format("{}: {}", name, error.what()));
      }
    }
    const std::size_t got = read(bytes.data() + used, bytes.size() - used);
    used += got;
    if (got == 0) {
      bytes.resize(used);
      return bytes;
    }
  }
}

}  // namespace clgauss::io
