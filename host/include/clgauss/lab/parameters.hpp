#pragma once
/// Tunable parameters of a kernel or an algorithm, by name, so that a tuner can vary, store and
/// restore them.

#include <clgauss/export.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// A flat list in a fixed order, with each name once.
using Parameters = std::vector<std::pair<std::string, int>>;

/// The value of `name`. Throws UsageError if there is none.
[[nodiscard]] int value_of(const Parameters& parameters, std::string_view name);

/// Changes the value of `name`. Throws UsageError if there is no such parameter.
void set_value(Parameters& parameters, std::string_view name, int value);

}  // namespace clgauss
