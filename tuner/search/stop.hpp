#pragma once
/// When a search ends before everything was tried.

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace clgauss::tune {

/// Whether to stop after so many evaluations. Asked before each next one.
using StopCondition = std::function<bool(std::size_t evaluations)>;

[[nodiscard]] StopCondition never();
[[nodiscard]] StopCondition after_evaluations(std::size_t count);
/// By the wall clock, from this call on. An evaluation that has begun is finished.
[[nodiscard]] StopCondition after_duration(std::chrono::duration<double> budget);
[[nodiscard]] StopCondition any_of(std::vector<StopCondition> conditions);

}  // namespace clgauss::tune
