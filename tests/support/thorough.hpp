#pragma once
/// How much the tests try: a part of what they list, or, with CLGAUSS_TESTS=all, all of it. Every
/// kernel has its turn on every device either way.

#include <clgauss/matrix.hpp>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace clgauss::test {

/// Orders on both sides of what groups and blocks divide, a prime among them.
inline const std::vector<Index> kSizesOfAllKinds{1, 2, 3, 31, 32, 33, 127, 128, 129, 500, 1031};

[[nodiscard]] inline bool thorough() {
  const char* const asked = std::getenv("CLGAUSS_TESTS");
  return asked != nullptr && std::string_view(asked) == "all";
}

/// `all`, or every `step`-th of it and the last.
template <typename T>
[[nodiscard]] std::vector<T> some_of(std::vector<T> all, std::size_t step) {
  if (thorough() || all.empty()) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i + 1 < all.size(); i += step) some.push_back(all[i]);
  some.push_back(all.back());
  return some;
}

}  // namespace clgauss::test
