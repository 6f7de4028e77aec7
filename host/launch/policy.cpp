#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

namespace clgauss {

namespace {

using Rule = WorkGroupPolicy::Rule;

constexpr std::pair<Rule, const char*> kRuleNames[] = {{Rule::automatic, "auto"},
                                                       {Rule::tuned, "tuned"},
                                                       {Rule::driver, "driver"},
                                                       {Rule::lcm, "lcm"},
                                                       {Rule::fit, "fit"}};

}  // namespace

WorkGroupPolicy parse_work_group_policy(std::string_view text) {
  for (const auto& [rule, name] : kRuleNames)
    if (text == name) return {rule, 0};
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{} || end != text.data() + text.size() || size == 0)
    throw UsageError(
        fmt::format("work-group size '{}' is neither 'auto', 'tuned', 'driver', 'lcm', 'fit' nor a "
                    "number above "
                    "0",
                    text));
  return {Rule::fixed, size};
}

std::string work_group_policy_name(const WorkGroupPolicy& policy) {
  for (const auto& [rule, name] : kRuleNames)
    if (policy.rule == rule) return name;
  return std::to_string(policy.size);
}

Split split_range(std::size_t size, std::size_t local) {
  const std::size_t main = size / local * local;
  return {main, size - main};
}

std::string_view split_mode_name(SplitMode mode) {
  constexpr std::string_view names[] = {"auto",     "off",         "padded", "exact",
                                        "round_up", "non_uniform", "tall"};
  return names[static_cast<std::size_t>(mode)];
}

std::size_t largest_divisor(std::size_t range, std::size_t limit) {
  if (range <= limit) return range;
  std::size_t largest = 1;
  for (std::size_t divisor = 1; divisor * divisor <= range; ++divisor) {
    if (range % divisor != 0) continue;
    if (divisor <= limit) largest = std::max(largest, divisor);
    if (range / divisor <= limit) largest = std::max(largest, range / divisor);
  }
  return largest;
}

std::size_t fitting_size(std::size_t range, std::size_t limit, std::size_t multiple) {
  const auto rounded_up = [&](std::size_t size) { return (range + size - 1) / size * size; };
  if (multiple == 0 || multiple > limit) return std::min(range, limit);
  const std::size_t largest = limit / multiple * multiple;
  if (range <= largest) return rounded_up(multiple);
  std::size_t best = largest;
  for (std::size_t size = largest; size >= 5 * limit / 8 && size >= multiple; size -= multiple)
    if (rounded_up(size) < rounded_up(best)) best = size;
  return best;
}

NdRange range_1d(std::size_t size, std::size_t offset) { return {1, {size, 1}, {offset, 0}}; }

NdRange range_2d(std::array<std::size_t, 2> size, std::array<std::size_t, 2> offset) {
  return {2, size, offset};
}

}  // namespace clgauss
