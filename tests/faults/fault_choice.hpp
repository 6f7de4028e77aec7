#pragma once
/// Which calls the tests of faults let fail.

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

namespace clgauss::test {

/// 1 for CLGAUSS_FAULTS=every, N for every:N, each Nth call; empty if the variable is not set: then
/// a few are tried.
inline std::optional<std::size_t> fault_step() {
  const char* faults = std::getenv("CLGAUSS_FAULTS");
  if (faults == nullptr) return std::nullopt;
  const std::string word = "every", text = faults;
  if (text == word) return 1;
  const long step = text.starts_with(word + ":") ? std::atol(text.c_str() + word.size() + 1) : 0;
  if (step < 1) throw std::invalid_argument("CLGAUSS_FAULTS=" + text + " is not every or every:N");
  return static_cast<std::size_t>(step);
}

}  // namespace clgauss::test
