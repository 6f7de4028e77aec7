#pragma once
/// The rows of `clgauss-tune kernel`: of each launch that was tried, and of the last comparison.

#include <string_view>

#include "tuner/rows/row.hpp"

namespace clgauss::tune {

inline constexpr std::string_view kKernelExperiment = "kernel";
/// The part of the rows of what was timed interleaved at the end.
inline constexpr std::string_view kFinalPart = "final";

/// What a launch does in a second, and where its rows have how much that is in all.
struct RateKind {
  std::string_view name, unit;
  double Row::*amount;
};

inline constexpr RateKind kGflops{"gflops", "Gflop/s", &Row::work};
inline constexpr RateKind kGbytes{"gbytes_per_s", "GB/s", &Row::bytes};

}  // namespace clgauss::tune
