#pragma once
/// Lists as options take them, "10,25,50", and the strategies' help.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace clgauss::tune {

/// The parts between commas. Throws UsageError for an empty part.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view text);

/// Numbers of at least 1. Throws UsageError, naming `option`, for anything else.
[[nodiscard]] std::vector<std::size_t> parse_counts(std::string_view option, std::string_view text);

/// Name and description of each strategy, one a line.
[[nodiscard]] std::string strategies_text();

}  // namespace clgauss::tune
