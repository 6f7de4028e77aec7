#pragma once
/// Structures of clgauss.h may grow in later versions: the caller states the size of its structure.

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <cstring>

namespace clgauss::c {

/// given.struct_size, which must be at least `least` bytes. Throws UsageError for a size that was
/// never set; the message calls the structure `what` of type `type`.
template <typename Struct>
[[nodiscard]] std::size_t checked_size(const Struct& given, const char* what, const char* type,
                                       std::size_t least = sizeof(Struct)) {
  constexpr std::size_t kLargest = 4096;  // a larger value was never set
  if (given.struct_size < least || given.struct_size > kLargest)
    throw UsageError(fmt::format("{}: struct_size is {}; set it to sizeof({}), which is {} here",
                                 what, given.struct_size, type, sizeof(Struct)));
  return given.struct_size;
}

/// Writes `told` to a structure of `size` bytes. Members that only a later version has become 0; an
/// earlier version gets only the members it has.
template <typename Struct>
void write(Struct* to, std::size_t size, Struct told) {
  told.struct_size = size;
  std::memset(to, 0, size);
  std::memcpy(to, &told, std::min(size, sizeof told));
}

}  // namespace clgauss::c
