#pragma once
/// Parameters as text, as in the rows.

#include <fmt/format.h>

#include <clgauss/lab/parameters.hpp>
#include <string>

namespace clgauss::tune {

/// "TILE_M=128 TILE_N=64"
inline std::string parameters_text(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

}  // namespace clgauss::tune
