#pragma once
/// Lists of words in sentences.

#include <string>
#include <string_view>
#include <vector>

namespace clgauss {

/// "lu, mixed and rbt" with "and" as the `last` word: at least one word.
[[nodiscard]] inline std::string enumeration(const std::vector<std::string_view>& words,
                                             std::string_view last) {
  std::string text(words.front());
  for (std::size_t i = 1; i < words.size(); ++i)
    text.append(i + 1 < words.size() ? ", " : " " + std::string(last) + " ").append(words[i]);
  return text;
}

}  // namespace clgauss
