#include "tuner/rows/contest_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace clgauss::tune {

namespace {

Timing timing_of(const Point& point) {
  const Row& row = point.row;
  Timing timing{.n = row.n,
                .local = row.local,
                .group = row.group,
                .parameters = row.parameters,
                .rules = {row.rule},
                .locals = {row.local},
                .status = row.status,
                .detail = row.detail,
                .steps = row.steps,
                .estimated = row.estimated,
                .times_ns = point.times_ns,
                .ms = {}};
  return timing;
}

bool same_launch(const Timing& a, const Timing& b) {
  const auto launch = [](const Timing& timing) {
    return std::tuple(timing.by_driver(), timing.ok() ? timing.group : timing.local, timing.ok(),
                      std::string_view(timing.parameters));
  };
  return launch(a) == launch(b);
}

/// Takes the rules of `other` over, and its samples where they are of another measurement of as
/// many steps.
void merge(Timing& timing, const Timing& other, double& floor) {
  for (const std::string& rule : other.rules)
    if (!timing.has_rule(rule)) timing.rules.push_back(rule);
  for (const std::size_t local : other.locals)
    if (std::ranges::find(timing.locals, local) == timing.locals.end())
      timing.locals.push_back(local);
  if (other.steps != timing.steps) {
    if (other.steps < timing.steps) return;
    timing.times_ns = other.times_ns;
    timing.steps = other.steps;
    timing.estimated = other.estimated;
  } else if (timing.times_ns != other.times_ns) {
    floor = std::max(floor, noise_floor(timing.times_ns, other.times_ns));
    timing.times_ns.insert(timing.times_ns.end(), other.times_ns.begin(), other.times_ns.end());
  }
}

}  // namespace

bool Timing::has_rule(std::string_view rule) const {
  return std::ranges::find(rules, rule) != rules.end();
}

std::string Timing::name() const {
  if (by_driver()) return "driver";
  constexpr std::string_view split = "SPLIT=";
  return parameters.starts_with(split)
             ? fmt::format("{} {}", local, parameters.substr(split.size()))
             : std::to_string(local);
}

const Timing* ContestResult::best() const {
  const Timing* best = nullptr;
  for (const Timing& timing : timings)
    if (timing.ok() && (best == nullptr || timing.ms.median < best->ms.median)) best = &timing;
  return best;
}

const Timing* ContestResult::of_rule(std::string_view rule) const {
  const auto found =
      std::ranges::find_if(timings, [&](const Timing& timing) { return timing.has_rule(rule); });
  return found == timings.end() ? nullptr : &*found;
}

Order ContestResult::order(const Timing& one, const Timing& other) const {
  return order_of(one.times_ns, other.times_ns, floor);
}

std::vector<const Timing*> ContestResult::indistinguishable() const {
  std::vector<const Timing*> tied;
  const Timing* const first = best();
  if (first == nullptr) return tied;
  for (const Timing& timing : timings)
    if (timing.ok() && (&timing == first || order(timing, *first) == Order::tie))
      tied.push_back(&timing);
  std::ranges::sort(tied, {}, [](const Timing* timing) { return timing->ms.median; });
  return tied;
}

Estimate ratio_of(const Timing& one, const Timing& other) {
  return ratio_of(one.times_ns, other.times_ns);
}

ContestResult contest_result(const std::vector<Point>& points) {
  ContestResult result;
  std::vector<Timing> controls;
  for (const Point& point : points) {
    Timing timing = timing_of(point);
    if (timing.has_rule(kControlRule)) {
      controls.push_back(std::move(timing));
      continue;
    }
    const auto same = std::ranges::find_if(
        result.timings, [&](const Timing& other) { return same_launch(other, timing); });
    if (same == result.timings.end())
      result.timings.push_back(std::move(timing));
    else
      merge(*same, timing, result.floor);
  }
  for (const Timing& control : controls)
    for (const Timing& timing : result.timings)
      if (control.ok() && timing.ok() && timing.group == control.group &&
          timing.parameters == control.parameters && timing.steps == control.steps) {
        result.floor = std::max(result.floor, noise_floor(timing.times_ns, control.times_ns));
        result.controlled = true;
        if (order_of(timing.times_ns, control.times_ns, 0) != Order::tie) result.told_apart = true;
      }
  for (Timing& timing : result.timings) {
    if (!timing.ok()) continue;
    timing.ms = estimate(timing.times_ns);
    for (double* ns : {&timing.ms.median, &timing.ms.low, &timing.ms.high}) *ns /= 1e6;
  }
  return result;
}

const Timing* fastest_choice(const ContestResult& contest, std::size_t limit) {
  const Timing* best = nullptr;
  for (const Timing& timing : contest.timings)
    if (timing.ok() && timing.parameters.empty() &&
        (!timing.by_driver() || driver_is_safe(timing.n, limit)) &&
        (best == nullptr || timing.ms.median < best->ms.median))
      best = &timing;
  return best;
}

std::string names_of(const std::vector<const Timing*>& timings) {
  std::string names;
  for (const Timing* timing : timings) names += (names.empty() ? "" : ", ") + timing->name();
  return names;
}

}  // namespace clgauss::tune
