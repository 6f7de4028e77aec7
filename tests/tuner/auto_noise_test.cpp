#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "support/devices.hpp"
#include "tuner/auto/auto.hpp"
#include "tuner/auto/elimination_tuner.hpp"
#include "tuner/experiments/contest.hpp"

namespace clgauss::tune {

TEST_CASE("auto: a noisy machine is refused with advice, a quiet one is not") {
  CHECK(noise_refusal(0.01, 0.1, 2).empty());
  const std::string refusal = noise_refusal(0.4, 3, 2);
  CHECK(refusal.find("40 %") != std::string::npos);
  CHECK(refusal.find("they keep 3 of 2 cores busy") != std::string::npos);
  CHECK(refusal.find("--accept-noise") != std::string::npos);
  CHECK_FALSE(noise_refusal(std::numeric_limits<double>::quiet_NaN(), 0, 2).empty());
}

TEST_CASE(
    "auto: what is taken so far is among the last, and wins only what beats it and the rule") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (test::is_slow(context)) return;
    const std::size_t taken = 24;
    const EliminationTuning tuning =
        tune_elimination(context, RealType::f32, 40, {}, &taken, [] {});
    const auto by_group = [&](std::size_t group) {
      return std::ranges::any_of(tuning.last.timings, [&](const Timing& timing) {
        return timing.ok() && timing.group == group;
      });
    };
    CHECK(by_group(24));
    CHECK(tuning.incumbent.group == 24);
    CHECK(tuning.best.ok());
    const auto rules = rule_candidates(context, RealType::f32, 40);
    const std::size_t rule =
        std::min<std::size_t>(candidate_of(rules, "lcm").choice.policy.size, 41);
    bool beats_all = true;
    for (const Timing& other : tuning.last.timings)
      if (other.ok() && !other.by_driver() && (other.group == 24 || other.group == rule))
        beats_all = beats_all && tuning.last.order(tuning.best, other) == Order::faster;
    CHECK(tuning.wins == beats_all);
    CHECK(machine_noise(context) >= 0);
  });
}

}  // namespace clgauss::tune
