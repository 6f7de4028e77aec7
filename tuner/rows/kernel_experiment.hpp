#pragma once
/// The rows of `clgauss-tune kernel`: of each launch that was tried, and of the last comparison.

#include <string_view>

namespace clgauss::tune {

inline constexpr std::string_view kKernelExperiment = "kernel";
/// The part of the rows of what was timed interleaved at the end.
inline constexpr std::string_view kFinalPart = "final";

}  // namespace clgauss::tune
