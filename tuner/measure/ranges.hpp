#pragma once
/// Lists of sizes as they are typed.

#include <cstddef>
#include <string_view>
#include <vector>

namespace clgauss::tune {

/// "32,64:1024:64,2000" -> 32, 64, 128 .. 1024, 2000: numbers above 0 and ranges first:last[:step] (step 1 if not given), separated
/// by commas; ascending, each once. Throws UsageError, naming `option`, for anything else and for more than 100000 sizes.
[[nodiscard]] std::vector<std::size_t> parse_sizes(std::string_view option, std::string_view text);

}  // namespace clgauss::tune
