#pragma once
/// How much the tests try: a part of what they list, or, with CLGAUSS_TESTS=all, all of it. Every kernel has its turn on every device either way.

#include <clgauss/context.hpp>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace clgauss::test {

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

/// Whether large systems are left out on a device: a CPU whose driver runs work-items in lockstep (llvmpipe) takes 50 times as long.
[[nodiscard]] inline bool is_slow(Context& context) {
  return !thorough() && context.profile().type == DeviceType::cpu && !context.runs_long_loops();
}

}  // namespace clgauss::test
