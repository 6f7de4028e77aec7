#pragma once
/// Measures how fast a device computes.

#include <clgauss/context.hpp>
#include <optional>

namespace clgauss {

/// The rates measured before with this driver; if there are none, measures and caches them. f32 and
/// f64 runs are interleaved, so that a clock that rises meanwhile affects both. Empty without fp64,
/// and if the kernels do not build, fail or return wrong numbers; that outcome is not cached.
[[nodiscard]] std::optional<ArithmeticRates> measure_arithmetic(Context& context);

}  // namespace clgauss
