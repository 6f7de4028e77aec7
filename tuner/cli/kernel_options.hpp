#pragma once
/// A kernel to tune, as the options of the command line describe it.

#include <array>
#include <string_view>
#include <vector>

#include "tuner/kernel/kernel_task.hpp"

namespace clgauss::tune {

/// "buffer:TYPE:COUNT[:FILL]", FILL one of random (default), a number, FILE.npy;
/// "local:TYPE:COUNT"; "TYPE:VALUE". Throws UsageError.
[[nodiscard]] KernelArgument parse_kernel_argument(std::string_view text);
/// "N,2*N": expressions between commas outside parentheses, 1 to 3 of them. Throws UsageError
/// naming `option`.
[[nodiscard]] std::vector<Expression> parse_range(std::string_view option, std::string_view text);
/// "8:64:8 x 1,2,4": for each dimension a list of numbers, ranges and expressions. Throws
/// UsageError.
[[nodiscard]] std::vector<std::vector<Expression>> parse_local_sizes(std::string_view text);
/// "x", "xy": the dimensions in which a range may be rounded up. Throws UsageError.
[[nodiscard]] std::array<bool, 3> parse_dimensions(std::string_view text);
/// "TILE=8,16:64:16" or "REAL=float,double". Throws UsageError.
[[nodiscard]] Parameter parse_parameter(std::string_view text);
/// "n=1024,m=512" into `sizes`; a later one may use those before it. Throws UsageError.
void parse_sizes_into(Variables& sizes, std::string_view text);

}  // namespace clgauss::tune
