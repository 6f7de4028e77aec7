#pragma once
/// Times as people write them.

#include <chrono>
#include <string_view>

namespace clgauss::tune {

/// "60s", "3min", "1.5h", "500ms"; a number alone is seconds. Throws UsageError for anything else, and unless it is above 0.
[[nodiscard]] std::chrono::duration<double> parse_duration(std::string_view text);

}  // namespace clgauss::tune
