#pragma once
/// Tunable numbers of a kernel or an algorithm by name, so that a tuner can vary, store and restore
/// them.

#include <clgauss/export.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// Flat, in a fixed order, each name once.
using Parameters = std::vector<std::pair<std::string, int>>;

/// The value of `name`. Throws UsageError if it is not there.
[[nodiscard]] int value_of(const Parameters& parameters, std::string_view name);

/// Gives `name`, which must be there, another value. Throws UsageError if it is not.
void set_value(Parameters& parameters, std::string_view name, int value);

}  // namespace clgauss
