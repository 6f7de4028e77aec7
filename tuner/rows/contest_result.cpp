#include "tuner/rows/contest_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace clgauss::tune {

namespace {

constexpr std::string_view kSplitName = "SPLIT=";

/// The parameters, but for those about a remainder that is not there.
std::string effective_parameters(const Row& row) {
  constexpr std::string_view about_remainder[] = {"SPLIT=exact", "SPLIT=round_up"};
  const bool divides = row.variant == "fixed" && row.group > 0 && (row.n + 1) % row.group == 0;
  return divides && std::ranges::find(about_remainder, row.parameters) != std::end(about_remainder)
             ? ""
             : row.parameters;
}

Timing timing_of(const Point& point) {
  const Row& row = point.row;
  Timing timing{.n = row.n,
                .local = row.local,
                .group = row.group,
                .parameters = effective_parameters(row),
                .rules = {row.rule},
                .locals = {row.local},
                .status = row.status,
                .detail = row.detail,
                .steps = row.steps,
                .estimated = row.estimated,
                .times_ns = point.times_ns,
                .rounds = point.rounds,
                .launches = row.main_launches + row.remainder_launches,
                .chosen = row.chosen,
                .suggested = row.suggested,
                .device_ns = {},
                .work = row.work,
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

RoundTimes round_times(const Timing& timing) { return {timing.times_ns, timing.rounds}; }

/// Whether the two were timed in a common round.
bool paired(const Timing& a, const Timing& b) {
  std::vector<std::size_t> common;
  std::ranges::set_intersection(a.rounds, b.rounds, std::back_inserter(common));
  return !common.empty();
}

double floor_between(const Timing& timing, const Timing& twin) {
  if (!paired(timing, twin)) return noise_floor(timing.times_ns, twin.times_ns);
  const double ratio = paired_ratio(round_times(timing), round_times(twin)).median;
  return std::max(ratio, 1 / ratio) - 1;
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
    timing.rounds = other.rounds;
    timing.device_ns = other.device_ns;
    timing.steps = other.steps;
    timing.estimated = other.estimated;
  } else if (timing.times_ns != other.times_ns) {
    floor = std::max(floor, floor_between(timing, other));
    const bool later = !timing.rounds.empty() && !other.rounds.empty() &&
                       timing.rounds.back() < other.rounds.front();
    timing.times_ns.insert(timing.times_ns.end(), other.times_ns.begin(), other.times_ns.end());
    if (later)
      timing.rounds.insert(timing.rounds.end(), other.rounds.begin(), other.rounds.end());
    else
      timing.rounds.clear();  // two measurements of the same rounds are no pairs with others
  }
}

/// Judges the controls: how far apart they lie from their twins.
void judge_controls(ContestResult& result, const std::vector<Timing>& controls) {
  for (const Timing& control : controls)
    for (const Timing& timing : result.timings) {
      if (!control.ok() || !timing.ok() || timing.group != control.group ||
          timing.parameters != control.parameters || timing.steps != control.steps)
        continue;
      const Estimate ratio = ratio_of(timing, control);
      result.floor = std::max(result.floor, floor_between(timing, control));
      result.controlled = true;
      result.told_apart = result.told_apart || order_of(ratio, 0) != Order::tie;
      result.expected_apart =
          paired(timing, control) ? 1 - median_interval(ratio.count, kError).coverage : kError;
    }
}

}  // namespace

bool Timing::has_rule(std::string_view rule) const {
  return std::ranges::find(rules, rule) != rules.end();
}

std::string Timing::name() const {
  if (by_driver()) return "driver";
  return parameters.starts_with(kSplitName)
             ? fmt::format("{} {}", local, parameters.substr(kSplitName.size()))
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
  return order_of(ratio_of(one, other), floor);
}

Order ContestResult::order_to_best(const Timing& one) const {
  const auto others = static_cast<std::size_t>(std::ranges::count_if(timings, &Timing::ok)) - 1;
  const Timing& first = *best();
  return &one == &first ? Order::tie : order_of(ratio_of(one, first, others), floor);
}

std::vector<const Timing*> ContestResult::indistinguishable() const {
  std::vector<const Timing*> tied;
  const Timing* const first = best();
  if (first == nullptr) return tied;
  for (const Timing& timing : timings)
    if (timing.ok() && order_to_best(timing) == Order::tie) tied.push_back(&timing);
  std::ranges::sort(tied, {}, [](const Timing* timing) { return timing->ms.median; });
  return tied;
}

Estimate ratio_of(const Timing& one, const Timing& other, std::size_t comparisons) {
  return paired(one, other) ? paired_ratio(round_times(one), round_times(other), comparisons)
                            : ratio_of(one.times_ns, other.times_ns);
}

ContestResult contest_result(const std::vector<Point>& points) {
  ContestResult result;
  std::vector<Timing> controls, on_device;
  for (const Point& point : points) {
    Timing timing = timing_of(point);
    if (point.row.part == kDevicePart) {
      on_device.push_back(std::move(timing));
      continue;
    }
    if (timing.has_rule(kControlRule)) {
      controls.push_back(std::move(timing));
      continue;
    }
    if (point.row.kernel == kEmptyKernel) {
      result.empty.push_back(std::move(timing));
      continue;
    }
    const auto same = std::ranges::find_if(
        result.timings, [&](const Timing& other) { return same_launch(other, timing); });
    if (same == result.timings.end())
      result.timings.push_back(std::move(timing));
    else
      merge(*same, timing, result.floor);
  }
  judge_controls(result, controls);
  for (std::vector<Timing>* timings : {&result.timings, &result.empty})
    for (Timing& timing : *timings) {
      if (!timing.ok()) continue;
      timing.ms = estimate(timing.times_ns);
      for (double* ns : {&timing.ms.median, &timing.ms.low, &timing.ms.high}) *ns /= 1e6;
      for (const Timing& device : on_device)
        if (same_launch(device, timing) && device.rules == std::vector{timing.rules.front()})
          timing.device_ns = device.times_ns;
    }
  return result;
}

const Timing* fastest_choice(const ContestResult& contest, std::size_t limit) {
  const Timing* best = nullptr;
  for (const Timing& timing : contest.timings)
    if (timing.ok() && timing.parameters != "SPLIT=non_uniform" &&
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
