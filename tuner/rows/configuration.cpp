#include "tuner/rows/configuration.hpp"

#include <fmt/format.h>

namespace clgauss::tune {

std::string text_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  return std::get<std::string>(value);
}

std::string text_of(const Configuration& configuration) {
  std::string text;
  for (const auto& [name, value] : configuration)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, text_of(value));
  return text;
}

}  // namespace clgauss::tune
