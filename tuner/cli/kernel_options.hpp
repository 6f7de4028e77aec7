#pragma once
/// A kernel to tune, as the options of the command line describe it.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/kernel/kernel_task.hpp"

namespace clgauss::tune {

/// "buffer:TYPE:COUNT[:FILL]" or "scratch:..", FILL one of random (default), a number, FILE.npy;
/// "local:TYPE:COUNT"; "TYPE:VALUE". Throws UsageError.
[[nodiscard]] KernelArgument parse_kernel_argument(std::string_view text);
/// "N,2*N": expressions between commas outside parentheses, 1 to 3 of them. Throws UsageError
/// naming `option`.
[[nodiscard]] std::vector<Expression> parse_range(std::string_view option, std::string_view text);
/// "8:64:8 x 1,2,4": for each dimension a list of numbers, ranges and expressions. Throws
/// UsageError.
[[nodiscard]] std::vector<std::vector<Expression>> parse_local_sizes(std::string_view text);
/// "[ARG=]FILE.npy", "[ARG=]|COMMAND".
[[nodiscard]] Reference::Expected parse_expected(std::string_view text);
/// "x", "xy": the dimensions in which a range may be rounded up. Throws UsageError.
[[nodiscard]] std::array<bool, 3> parse_dimensions(std::string_view text);
/// "TILE=8,16:64:16" or "REAL=float,double". Throws UsageError.
[[nodiscard]] Parameter parse_parameter(std::string_view text);
/// Of each --size, "n=1024,m=2*n": a value may use the names before it. Names that are new belong
/// to the size before; one that has a value begins another size, in which all else stays as it was.
/// At least one size, of the same names all. Throws UsageError.
[[nodiscard]] std::vector<Variables> parse_size_table(const std::vector<std::string>& texts);

}  // namespace clgauss::tune
