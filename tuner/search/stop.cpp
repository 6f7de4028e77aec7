#include "tuner/search/stop.hpp"

#include <algorithm>

namespace clgauss::tune {

StopCondition never() {
  return [](std::size_t) { return false; };
}

StopCondition after_evaluations(std::size_t count) {
  return [count](std::size_t evaluations) { return evaluations >= count; };
}

StopCondition after_duration(std::chrono::duration<double> budget) {
  const auto start = std::chrono::steady_clock::now();
  return [start, budget](std::size_t) { return std::chrono::steady_clock::now() - start >= budget; };
}

StopCondition any_of(std::vector<StopCondition> conditions) {
  return [conditions = std::move(conditions)](std::size_t evaluations) {
    return std::ranges::any_of(conditions,
                               [&](const StopCondition& met) { return met(evaluations); });
  };
}

}  // namespace clgauss::tune
