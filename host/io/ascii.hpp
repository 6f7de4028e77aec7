#pragma once
/// Letter case of ASCII, independent of the locale.

#include <algorithm>
#include <string>
#include <string_view>

namespace clgauss::io {

/// `text` with A-Z as a-z.
[[nodiscard]] inline std::string lowercase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

}  // namespace clgauss::io
