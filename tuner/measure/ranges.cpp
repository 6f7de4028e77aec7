#include "tuner/measure/ranges.hpp"

#include <fmt/format.h>

#include <charconv>
#include <clgauss/error.hpp>
#include <set>

namespace clgauss::tune {

namespace {

constexpr std::size_t kMostSizes = 100000;

/// Cuts off and returns what stands before the first `separator`.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t place = text.find(separator);
  const std::string_view before = text.substr(0, place);
  text = place == std::string_view::npos ? std::string_view() : text.substr(place + 1);
  return before;
}

std::size_t parse_number(std::string_view option, std::string_view part, std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0)
    throw UsageError(fmt::format(
        "--{}: '{}' is neither a number above 0 nor a range first:last[:step]", option, part));
  return number;
}

}  // namespace

std::vector<std::size_t> parse_sizes(std::string_view option, std::string_view text) {
  std::set<std::size_t> sizes;
  bool more = true;
  while (more) {
    more = text.find(',') != std::string_view::npos;
    const std::string_view part = cut(text, ',');
    std::string_view rest = part;
    const bool range = part.find(':') != std::string_view::npos;
    const std::size_t first = parse_number(option, part, cut(rest, ':'));
    const bool stepped = rest.find(':') != std::string_view::npos;
    const std::size_t last = range ? parse_number(option, part, cut(rest, ':')) : first;
    const std::size_t step = stepped ? parse_number(option, part, rest) : 1;
    if (last < first)
      throw UsageError(fmt::format("--{}: the range '{}' ends before it begins", option, part));
    if ((last - first) / step >= kMostSizes)
      throw UsageError(fmt::format("--{}: '{}' are more than {} sizes", option, part, kMostSizes));
    for (std::size_t size = first; size <= last; size += step) sizes.insert(size);
  }
  if (sizes.size() > kMostSizes)
    throw UsageError(fmt::format("--{}: more than {} sizes", option, kMostSizes));
  return {sizes.begin(), sizes.end()};
}

}  // namespace clgauss::tune
