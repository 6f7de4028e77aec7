#include "suggestion.hpp"

#include <algorithm>
#include <cctype>

namespace clgauss {

namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// The Damerau-Levenshtein distance in its restricted form: no letter is edited twice.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  using Line = std::vector<std::size_t>;
  Line before_last(b.size() + 1), last(b.size() + 1), line(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    line[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      line[j] = std::min({last[j] + 1, line[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        line[j] = std::min(line[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(line);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view typed, const std::vector<std::string>& known) {
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  std::string nearest;
  for (const std::string& word : known) {
    const std::size_t distance = edit_distance(typed, word);
    // Replacing every letter is no match, so the distance must be below the word's length.
    if (distance < least && distance < word.size()) {
      least = distance;
      nearest = word;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(typed, known);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

}  // namespace clgauss
