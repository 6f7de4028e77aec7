#pragma once
/// Progress reports of long work.

#include <clgauss/export.hpp>
#include <functional>
#include <string_view>

namespace CLGAUSS_EXPORT clgauss {

/// Called from time to time during long work with the current step and the fraction done, 0..1. The
/// text after ": " changes meanwhile: "factorisation: 12 of 63 blocks, 41.5 GFLOP/s". The callback
/// may throw, which ends the work.
using ProgressCallback = std::function<void(std::string_view what, double fraction)>;

}  // namespace clgauss
