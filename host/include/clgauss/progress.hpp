#pragma once
/// How long work tells what it is doing.

#include <clgauss/export.hpp>
#include <functional>
#include <string_view>

namespace CLGAUSS_EXPORT clgauss {

/// Called now and then on long work with what is being done and the share done, 0..1. What stands
/// behind ": " changes on the way: "factorisation: 12 of 63 blocks, 41.5 GFLOP/s". It may throw,
/// which ends the work.
using ProgressCallback = std::function<void(std::string_view what, double fraction)>;

}  // namespace clgauss
