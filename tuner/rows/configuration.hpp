#pragma once
/// What was chosen, name by name, as searches and recorded files have it.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace clgauss::tune {

/// An integer, or a word as recorded files have them.
using Value = std::variant<std::int64_t, std::string>;
[[nodiscard]] std::string text_of(const Value& value);

/// Every parameter's value, in the order of their space.
using Configuration = std::vector<std::pair<std::string, Value>>;
/// "TILE_M = 128, TILE_N = 64"
[[nodiscard]] std::string text_of(const Configuration& configuration);

}  // namespace clgauss::tune
