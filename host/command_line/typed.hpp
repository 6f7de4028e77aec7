#pragma once
/// Lists, numbers and times as options take them. What is not understood is a UsageError.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace clgauss::cli {

/// The parts between commas: "a,b,c". None may be empty.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view text);

/// "10,25,50": numbers from 1 to 1e9, in their order. Errors name `option`.
[[nodiscard]] std::vector<std::size_t> parse_counts(std::string_view option, std::string_view text);

/// "32,64:1024:64,2000" -> 32, 64, 128 .. 1024, 2000: numbers above 0 and ranges first:last[:step]
/// (step 1 if not given), separated by commas; ascending, each once, at most 100000. Errors name
/// `option`.
[[nodiscard]] std::vector<std::size_t> parse_sizes(std::string_view option, std::string_view text);

/// "60s", "3min", "1.5h", "500ms"; a number alone is seconds. Above 0.
[[nodiscard]] std::chrono::duration<double> parse_duration(std::string_view text);

}  // namespace clgauss::cli
