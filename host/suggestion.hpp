#pragma once
/// Suggestions for misspelt words.

#include <string>
#include <string_view>
#include <vector>

namespace clgauss {

/// The word of `known` that is nearest to `typed`, ignoring case; the first if several tie.
/// Insertions, deletions, replacements and exchanges of neighbouring letters count as one edit
/// each. Empty if the nearest word is more than a third of the letters away (more than one letter
/// for words of up to five).
[[nodiscard]] std::string nearest_word(std::string_view typed,
                                       const std::vector<std::string>& known);

/// "; did you mean solve?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view typed,
                                       const std::vector<std::string>& known);

}  // namespace clgauss
