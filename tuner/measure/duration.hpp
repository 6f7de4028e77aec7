#pragma once
/// Times as they are typed.

#include <chrono>
#include <string_view>

namespace clgauss::tune {

/// "90", "90s", "1.5min", "2h" -> seconds. Throws UsageError for anything else and for nothing or less.
[[nodiscard]] std::chrono::duration<double> parse_duration(std::string_view text);

}  // namespace clgauss::tune
