#pragma once
/// Parsers for lists, numbers and times in options. They throw UsageError for invalid text.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace clgauss::cli {

/// The parts of a comma-separated list such as "a,b,c". No part may be empty.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view text);

/// "10,25,50": numbers from 1 to 1e9, in the given order. Errors name `option`.
[[nodiscard]] std::vector<std::size_t> parse_counts(std::string_view option, std::string_view text);

/// "32,64:1024:64,2000" -> 32, 64, 128 .. 1024, 2000: comma-separated positive numbers and ranges
/// first:last[:step] (default step 1). The result is ascending without duplicates, at most 100000
/// numbers. Errors name `option`.
[[nodiscard]] std::vector<std::size_t> parse_sizes(std::string_view option, std::string_view text);

/// "60s", "3min", "1.5h", "500ms"; a plain number is in seconds. Must be positive.
[[nodiscard]] std::chrono::duration<double> parse_duration(std::string_view text);

}  // namespace clgauss::cli
