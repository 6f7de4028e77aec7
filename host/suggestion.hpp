#pragma once
/// What a misspelt word was meant to be.

#include <string>
#include <string_view>
#include <vector>

namespace clgauss {

/// The word of `known` that is nearest to `typed` by insertions, deletions, replacements and
/// exchanges of neighbours, in any case; the first of several. Empty where even that needs more
/// than a third of the letters changed (one letter in words of up to five).
[[nodiscard]] std::string nearest_word(std::string_view typed,
                                       const std::vector<std::string>& known);

/// "; did you mean solve?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view typed,
                                       const std::vector<std::string>& known);

}  // namespace clgauss
