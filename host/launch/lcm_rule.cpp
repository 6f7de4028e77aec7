#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <numeric>

namespace clgauss {

namespace {

std::size_t largest_multiple_within(std::size_t multiple, std::size_t limit) {
  return limit / multiple * multiple;
}

void check(const LcmRuleInput& input) {
  if (input.compute_units == 0) throw UsageError("the LCM rule needs at least one compute unit");
  if (input.preferred_multiple == 0)
    throw UsageError("the LCM rule needs a preferred multiple of at least 1");
  if (input.work_group_limit == 0)
    throw UsageError("the LCM rule needs a work-group limit of at least 1");
  if (input.total_cores && *input.total_cores < input.compute_units)
    throw UsageError(fmt::format("{} cores are fewer than {} compute units", *input.total_cores,
                                 input.compute_units));
}

std::size_t product(std::size_t a, std::size_t b) {
  std::size_t result = 0;
  if (__builtin_mul_overflow(a, b, &result))
    throw UsageError(fmt::format(
        "the LCM rule needs multiples that fit 64 bits, {} times {} does not; give smaller numbers",
        a, b));
  return result;
}

/// The size to use where the LCM is no usable size: the largest legal multiple of the preferred
/// multiple, otherwise the limit.
std::size_t without_lcm(const LcmRuleInput& input, std::size_t limit) {
  const std::size_t size = largest_multiple_within(input.preferred_multiple, limit);
  return size > 0 ? size : limit;
}

}  // namespace

LcmRule lcm_rule(const LcmRuleInput& input) {
  check(input);
  const std::size_t limit = input.work_group_limit;
  LcmRule rule;
  if (!input.total_cores) {
    rule.clamped = without_lcm(input, std::min(limit, kUnknownDeviceWorkGroup));
    rule.reason = fmt::format("cores per compute unit unknown: a multiple of {} of at most {}",
                              input.preferred_multiple, std::min(limit, kUnknownDeviceWorkGroup));
    return rule;
  }
  const std::size_t cores_per_compute_unit = *input.total_cores / input.compute_units;
  rule.lcm =
      product(input.preferred_multiple / std::gcd(input.preferred_multiple, cores_per_compute_unit),
              cores_per_compute_unit);
  rule.raw = product(*input.total_cores / *rule.lcm + 1, *rule.lcm);
  if (*rule.raw <= limit) {
    rule.clamped = *rule.raw;
    rule.reason = fmt::format("the smallest multiple of LCM({}, {}) = {} above {} cores",
                              input.preferred_multiple, cores_per_compute_unit, *rule.lcm,
                              *input.total_cores);
  } else if (*rule.lcm <= limit) {
    rule.clamped = largest_multiple_within(*rule.lcm, limit);
    rule.reason =
        fmt::format("{} is above the limit {}: the largest multiple of LCM({}, {}) = {} within it",
                    *rule.raw, limit, input.preferred_multiple, cores_per_compute_unit, *rule.lcm);
  } else {
    rule.clamped = without_lcm(input, limit);
    rule.reason = fmt::format("LCM({}, {}) = {} itself is above the limit {}",
                              input.preferred_multiple, cores_per_compute_unit, *rule.lcm, limit);
  }
  return rule;
}

}  // namespace clgauss
