#include "tuner/explain/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>

#include "tuner/measure/estimate.hpp"

namespace clgauss::tune {

namespace {

double& of(Prediction& prediction, Term term) {
  return prediction.terms[static_cast<std::size_t>(term)];
}

double rounded_up(std::size_t items, std::size_t lanes) {
  return static_cast<double>((items + lanes - 1) / lanes * lanes);
}

/// Bytes that memory moves for `bytes` of each work-item, of which `length` are neighbours.
double moved(double bytes, double element_bytes, std::size_t length, double sector) {
  return bytes * std::max(1.0, sector / (static_cast<double>(length) * element_bytes));
}

/// Adds what `groups` take to the terms of `prediction`.
void add_groups(const DeviceConstants& device, const Groups& groups, Prediction& prediction) {
  if (groups.count <= 0) return;
  const std::size_t items = groups.x * groups.y;
  const double padded =
      rounded_up(groups.x, groups.y == 1 ? device.lanes : 1) * static_cast<double>(groups.y);
  const auto units = static_cast<double>(device.units);
  const double held = static_cast<double>(device.resident(items));
  const double resident = std::min(held, std::max(1.0, groups.count / units));
  const double waves = std::max(1.0, groups.count / (units * held));

  const ItemWork& work = groups.work;
  const double bytes =
      moved(work.bytes_along_x, work.element_bytes, groups.x, device.sector_bytes) +
      moved(work.bytes_along_y, work.element_bytes, groups.y, device.sector_bytes);
  const double share = groups.active * resident * units;
  const double memory_ns =
      share * static_cast<double>(items) * bytes * device.ns_per_byte(groups.footprint);
  const double arithmetic_ns = share * padded * work.flops / device.flops_per_ns;
  const double waiting_ns = device.latency_ns * std::max(1.0, work.reads) + device.item_ns * padded;

  const double dispatch_ns = groups.count / device.groups_per_ns;
  const double life_ns = waiting_ns + std::max(memory_ns, arithmetic_ns);
  prediction.ns += std::max(dispatch_ns, waves * life_ns);
  if (dispatch_ns >= waves * life_ns) {
    of(prediction, Term::dispatch) += dispatch_ns;
    return;
  }
  of(prediction, Term::occupancy) += waves * waiting_ns;
  const Term bound = memory_ns >= arithmetic_ns ? Term::bandwidth : Term::arithmetic;
  of(prediction, bound) += waves * std::max(memory_ns, arithmetic_ns);
}

Prediction predict_step(const DeviceConstants& device, const Step& step) {
  const auto launches = static_cast<double>(step.size());
  Prediction on_device;
  on_device.ns = of(on_device, Term::tail) = launches * device.start_ns;
  for (const Launch& launch : step)
    for (const Groups& groups : launch) add_groups(device, groups, on_device);
  on_device.device_ns = on_device.ns;
  const double host_ns = launches * device.launch_ns;
  if (host_ns < on_device.ns) return on_device;
  Prediction on_host{host_ns, {}, on_device.ns};
  of(on_host, Term::launch) = host_ns;
  return on_host;
}

/// Operations a byte, above which a launch says something of arithmetic; and its rate where none
/// does.
constexpr double kComputes = 4, kUnknownRate = 1e9;

/// A time that is off by more is off by this much: single ones must not count for all.
constexpr double kMostError = 1.5;

double error_of(const DeviceConstants& device, std::span<const Observation> observations) {
  double sum = 0;
  for (const Observation& one : observations)
    sum += std::min(kMostError, std::abs(std::log(predict(device, one.steps).ns / one.ns)));
  return sum / static_cast<double>(observations.size());
}

struct Fitted {
  DeviceConstants device;
  double error = std::numeric_limits<double>::infinity();
};

/// One constant after the other by a factor, which shrinks where it does not help.
Fitted descend(std::span<const Observation> observations, const DeviceConstants& start) {
  using Constant = double DeviceConstants::*;
  constexpr std::array<Constant, 10> constants{&DeviceConstants::launch_ns,
                                               &DeviceConstants::start_ns,
                                               &DeviceConstants::groups_per_ns,
                                               &DeviceConstants::latency_ns,
                                               &DeviceConstants::item_ns,
                                               &DeviceConstants::bytes_per_ns,
                                               &DeviceConstants::flops_per_ns,
                                               &DeviceConstants::sector_bytes,
                                               &DeviceConstants::cache_bytes_per_ns,
                                               &DeviceConstants::cache_bytes};
  constexpr double kFirstFactor = 2, kLastFactor = 1.01, kShrink = 0.6, kLeast = 1e-6;
  std::array<double, constants.size()> factors;
  factors.fill(kFirstFactor);
  Fitted best{start, error_of(start, observations)};
  for (int round = 0; round < 60 && *std::ranges::max_element(factors) > kLastFactor; ++round)
    for (std::size_t c = 0; c < constants.size(); ++c) {
      bool better = false;
      for (const double factor : {factors[c], 1 / factors[c]}) {
        DeviceConstants tried = best.device;
        tried.*constants[c] *= factor;
        const double error = error_of(tried, observations);
        if (error > best.error - kLeast) continue;
        best = {tried, error};
        better = true;
        break;
      }
      if (!better) factors[c] = std::pow(factors[c], kShrink);
    }
  return best;
}

}  // namespace

std::size_t DeviceConstants::resident(std::size_t items) const {
  const std::size_t whole = (items + lanes - 1) / lanes * lanes;
  return std::max<std::size_t>(1, std::min(unit_groups, unit_items / whole));
}

bool DeviceConstants::computes() const { return flops_per_ns < kUnknownRate / 2; }

double DeviceConstants::ns_per_byte(double footprint) const {
  const double cached = footprint > cache_bytes ? cache_bytes / footprint : 1;
  return cached / cache_bytes_per_ns + (1 - cached) / bytes_per_ns;
}

std::string_view term_name(Term term) {
  constexpr std::array<std::string_view, kTerms> names{"launch",    "tail",      "dispatch",
                                                       "occupancy", "bandwidth", "arithmetic"};
  return names[static_cast<std::size_t>(term)];
}

Term Prediction::dominant() const {
  return static_cast<Term>(std::ranges::max_element(terms) - terms.begin());
}

Prediction predict(const DeviceConstants& device, std::span<const Step> steps) {
  Prediction mean;
  const double share = 1 / static_cast<double>(steps.size());
  for (const Step& step : steps) {
    const Prediction one = predict_step(device, step);
    mean.ns += share * one.ns;
    mean.device_ns += share * one.device_ns;
    for (std::size_t t = 0; t < kTerms; ++t) mean.terms[t] += share * one.terms[t];
  }
  return mean;
}

std::string reason_of(const DeviceConstants& device, const Prediction& prediction, std::size_t x,
                      std::size_t y) {
  const std::size_t held = device.resident(x * y);
  switch (prediction.dominant()) {
    case Term::launch:
      return fmt::format("the host launches no faster than one launch in {:.2f} us",
                         device.launch_ns * 1e-3);
    case Term::tail:
      return fmt::format("a launch takes {:.2f} us on the device before and after its groups",
                         device.start_ns * 1e-3);
    case Term::dispatch:
      return fmt::format("the device dispatches {} groups a microsecond",
                         significant(device.groups_per_ns * 1e3, 3));
    case Term::occupancy:
      return fmt::format(
          "a compute unit holds {} {} of {} work-items, which wait for {} ns each", held,
          held == 1 ? "group" : "groups", x * y,
          significant(device.latency_ns + device.item_ns * static_cast<double>(x * y), 3));
    case Term::bandwidth:
      return fmt::format("memory moves {} GB/s", significant(device.bytes_per_ns, 3));
    case Term::arithmetic:
      return fmt::format("it computes {} Gflop/s", significant(device.flops_per_ns, 3));
  }
  return {};
}

DeviceConstants first_guess(std::span<const Observation> observations, std::size_t units,
                            std::size_t lanes) {
  DeviceConstants guess{.units = std::max<std::size_t>(1, units),
                        .lanes = std::max<std::size_t>(1, lanes)};
  guess.launch_ns = std::numeric_limits<double>::infinity();
  guess.groups_per_ns = guess.bytes_per_ns = guess.flops_per_ns = 1e-3;
  bool computes = false;  // whether one of them tells what arithmetic costs
  for (const Observation& one : observations) {
    double launches = 0, groups = 0, bytes = 0, flops = 0;
    for (const Step& step : one.steps)
      for (const Launch& launch : step) {
        ++launches;
        for (const Groups& of : launch) {
          const double items = of.count * of.active * static_cast<double>(of.x * of.y);
          groups += of.count;
          bytes += items * (of.work.bytes_along_x + of.work.bytes_along_y);
          flops += items * of.work.flops;
        }
      }
    const double ns = one.ns * static_cast<double>(one.steps.size());
    guess.launch_ns = std::min(guess.launch_ns, ns / launches);
    guess.groups_per_ns = std::max(guess.groups_per_ns, groups / ns);
    guess.bytes_per_ns = std::max(guess.bytes_per_ns, bytes / ns);
    guess.flops_per_ns = std::max(guess.flops_per_ns, flops / ns);
    computes = computes || flops > kComputes * bytes;
  }
  guess.start_ns = guess.launch_ns / 2;
  guess.latency_ns = static_cast<double>(guess.units) / guess.groups_per_ns;
  guess.item_ns = guess.latency_ns / 1024;
  guess.bytes_per_ns *= 1.5;
  guess.flops_per_ns = computes ? 1.5 * guess.flops_per_ns : kUnknownRate;
  guess.cache_bytes_per_ns = 2 * guess.bytes_per_ns;
  guess.cache_bytes = 32e6;
  guess.sector_bytes = 32;
  return guess;
}

DeviceConstants fit(std::span<const Observation> observations, const DeviceConstants& start,
                    std::size_t max_group) {
  if (observations.empty()) throw UsageError("no launch was measured that the model knows");
  Fitted best;
  const auto try_limits = [&](std::size_t items, std::size_t groups) {
    DeviceConstants tried = start;
    tried.unit_items = items;
    tried.unit_groups = groups;
    const Fitted fitted = descend(observations, tried);
    if (fitted.error < best.error) best = fitted;
  };
  try_limits(1, 1);
  if (max_group == 0) return best.device;
  for (const std::size_t halves : {2U, 3U, 4U})
    for (const std::size_t groups : {8U, 16U, 32U}) try_limits(max_group * halves / 2, groups);
  return best.device;
}

}  // namespace clgauss::tune
