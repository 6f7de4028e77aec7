#include "tuner/measure/duration.hpp"

#include <fmt/format.h>

#include <charconv>
#include <clgauss/error.hpp>
#include <cmath>

namespace clgauss::tune {

std::chrono::duration<double> parse_duration(std::string_view text) {
  double number = 0;
  const char* const text_end = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), text_end, number);
  const std::string_view unit(end, static_cast<std::size_t>(text_end - end));
  const double seconds = unit.empty() || unit == "s"    ? 1
                         : unit == "min" || unit == "m" ? 60
                         : unit == "h"                  ? 3600
                                                        : 0;
  if (error != std::errc{} || seconds == 0 || !std::isfinite(number) || !(number > 0))
    throw UsageError(fmt::format("'{}' is no time; write 90s, 3min or 1h", text));
  return std::chrono::duration<double>(number * seconds);
}

}  // namespace clgauss::tune
