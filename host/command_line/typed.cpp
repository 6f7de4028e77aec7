#include "command_line/typed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <clgauss/error.hpp>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace clgauss::cli {

namespace {

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The positive number that `text` consists of.
std::optional<std::size_t> count_in(std::string_view text) {
  std::size_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  return error == std::errc{} && rest == end && count > 0 ? std::optional(count) : std::nullopt;
}

}  // namespace

std::vector<std::string> parse_list(std::string_view text) {
  const std::vector<std::string_view> parts = parts_of(text, ',');
  if (std::ranges::any_of(parts, &std::string_view::empty))
    throw UsageError(fmt::format("'{}' is not a list like a,b,c", text));
  return {parts.begin(), parts.end()};
}

std::vector<std::size_t> parse_counts(std::string_view option, std::string_view text) {
  constexpr std::size_t kMost = 1'000'000'000;
  std::vector<std::size_t> counts;
  for (const std::string& part : parse_list(text)) {
    counts.push_back(count_in(part).value_or(kMost + 1));
    if (counts.back() > kMost)
      throw UsageError(fmt::format("--{} '{}' is not a number of at least 1", option, part));
  }
  return counts;
}

std::vector<std::size_t> parse_sizes(std::string_view option, std::string_view text) {
  constexpr std::size_t kMostSizes = 100000;
  std::set<std::size_t> sizes;
  for (const std::string_view part : parts_of(text, ',')) {
    std::vector<std::size_t> range;  // first, last, step
    for (const std::string_view number : parts_of(part, ':'))
      range.push_back(count_in(number).value_or(0));
    if (range.size() > 3 || std::ranges::find(range, 0U) != range.end())
      throw UsageError(fmt::format(
          "--{}: '{}' is neither a number above 0 nor a range first:last[:step]", option, part));
    const std::size_t first = range.front(), last = range.size() > 1 ? range[1] : first,
                      step = range.size() > 2 ? range[2] : 1;
    if (last < first)
      throw UsageError(fmt::format("--{}: the range '{}' ends before it begins", option, part));
    const std::size_t steps = (last - first) / step;
    if (steps >= kMostSizes)
      throw UsageError(fmt::format("--{}: '{}' are more than {} sizes", option, part, kMostSizes));
    for (std::size_t s = 0; s <= steps; ++s) sizes.insert(first + s * step);
  }
  if (sizes.size() > kMostSizes)
    throw UsageError(fmt::format("--{}: more than {} sizes", option, kMostSizes));
  return {sizes.begin(), sizes.end()};
}

std::chrono::duration<double> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}}};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error == std::errc{} && std::isfinite(number) && number > 0)
    for (const auto& [unit, seconds] : kUnits)
      if (std::string_view(rest, static_cast<std::size_t>(end - rest)) == unit)
        return std::chrono::duration<double>(number * seconds);
  throw UsageError(fmt::format(
      "'{}' is not a duration: write a number above 0 with ms, s, min or h, as in 60s or 3min",
      text));
}

}  // namespace clgauss::cli
