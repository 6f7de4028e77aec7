#pragma once
/// Structures of clgauss.h that may grow: a caller says how large his is.

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <cstring>

namespace clgauss::c {

/// given.struct_size, at least `least` bytes. Throws UsageError, which calls it `what` of type
/// `type`, for what was never set.
template <typename Struct>
[[nodiscard]] std::size_t checked_size(const Struct& given, const char* what, const char* type,
                                       std::size_t least = sizeof(Struct)) {
  constexpr std::size_t kLargest = 4096;  // above, it was never set
  if (given.struct_size < least || given.struct_size > kLargest)
    throw UsageError(fmt::format("{}: struct_size is {}; set it to sizeof({}), which is {} here",
                                 what, given.struct_size, type, sizeof(Struct)));
  return given.struct_size;
}

/// What a later version's structure has more becomes 0; an earlier one's has less.
template <typename Struct>
void write(Struct* to, std::size_t size, Struct told) {
  told.struct_size = size;
  std::memset(to, 0, size);
  std::memcpy(to, &told, std::min(size, sizeof told));
}

}  // namespace clgauss::c
