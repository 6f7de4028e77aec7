#pragma once
/// How fast a device computes, measured.

#include <clgauss/context.hpp>
#include <optional>

namespace clgauss {

/// As measured before with this driver, else measured and kept: by both types in turns, so that a
/// clock that rises meanwhile counts for both. Empty without fp64, and where the kernels do not
/// build, fail or leave wrong numbers; that is not kept.
[[nodiscard]] std::optional<ArithmeticRates> measure_arithmetic(Context& context);

}  // namespace clgauss
