#include "tuner/measure/duration.hpp"

#include <array>
#include <charconv>
#include <clgauss/error.hpp>
#include <cmath>
#include <string>
#include <utility>

namespace clgauss::tune {

std::chrono::duration<double> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}}};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] =
      std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error == std::errc{} && std::isfinite(number) && number > 0)
    for (const auto& [unit, seconds] : kUnits)
      if (std::string_view(rest, static_cast<std::size_t>(end - rest)) == unit)
        return std::chrono::duration<double>(number * seconds);
  throw UsageError("'" + std::string(text) +
                   "' is no duration: a number above 0 and ms, s, min or h, as in 60s or 3min");
}

}  // namespace clgauss::tune
