#include "tuner/cli/lists.hpp"

#include <fmt/format.h>

#include <charconv>
#include <clgauss/error.hpp>

#include "tuner/search/searcher.hpp"

namespace clgauss::tune {

std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    if (parts.back().empty())
      throw UsageError(fmt::format("'{}' is not a list like a,b,c", text));
    begin = end + 1;
  }
  return parts;
}

std::vector<std::size_t> parse_counts(std::string_view option, std::string_view text) {
  std::vector<std::size_t> counts;
  for (const std::string& part : parse_list(text)) {
    std::size_t count = 0;
    const char* const end = part.data() + part.size();
    const auto [rest, error] = std::from_chars(part.data(), end, count);
    if (error != std::errc{} || rest != end || count == 0 || count > 1'000'000'000)
      throw UsageError(fmt::format("--{} '{}' is no number from 1 on", option, part));
    counts.push_back(count);
  }
  return counts;
}

std::string strategies_text() {
  std::string text = "one or more of:";
  for (const Strategy& strategy : strategies())
    text += fmt::format("\n  {}: {}", strategy.name, strategy.description);
  return text;
}

}  // namespace clgauss::tune
