#pragma once
/// What a program wrote, looked into.

#include <doctest/doctest.h>

#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace clgauss::test {

[[nodiscard]] inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Checks that `text` has `part`, and shows both where it has not.
inline void holds(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CAPTURE(part);
  CHECK(has(text, part));
}

/// Numbers between white space, up to the first that is none.
[[nodiscard]] inline std::vector<double> numbers_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<double>(in), {}};
}

}  // namespace clgauss::test
