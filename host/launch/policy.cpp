#include <fmt/format.h>

#include <charconv>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

namespace clgauss {

namespace {

using Rule = WorkGroupPolicy::Rule;

constexpr std::pair<Rule, const char*> kRuleNames[] = {{Rule::automatic, "auto"},
                                                       {Rule::tuned, "tuned"},
                                                       {Rule::driver, "driver"},
                                                       {Rule::lcm, "lcm"}};

}  // namespace

WorkGroupPolicy parse_work_group_policy(std::string_view text) {
  for (const auto& [rule, name] : kRuleNames)
    if (text == name) return {rule, 0};
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{} || end != text.data() + text.size() || size == 0)
    throw UsageError(fmt::format(
        "work-group size '{}' is neither 'auto', 'tuned', 'driver', 'lcm' nor a number above 0",
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

NdRange range_1d(std::size_t size, std::size_t offset) { return {1, {size, 1}, {offset, 0}}; }

NdRange range_2d(std::array<std::size_t, 2> size, std::array<std::size_t, 2> offset) {
  return {2, size, offset};
}

}  // namespace clgauss
