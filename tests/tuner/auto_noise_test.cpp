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
    "auto: what is taken so far is among the last, and wins only what beats it and what fits") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (test::is_slow(context)) return;
    const LaunchChoice taken{{WorkGroupPolicy::Rule::fixed, 24}, SplitMode::exact};
    const EliminationTuning tuning =
        tune_elimination(context, RealType::f32, 40, {}, &taken, [] {});
    const auto timed = [&](std::size_t group, const char* parameters) {
      const auto found = std::ranges::find_if(tuning.last.timings, [&](const Timing& timing) {
        return timing.ok() && timing.group == group && timing.parameters == parameters;
      });
      return found == tuning.last.timings.end() ? nullptr : &*found;
    };
    const Timing *const before = timed(24, "SPLIT=exact"), *const fit = timed(41, "");
    REQUIRE(before != nullptr);
    REQUIRE(fit != nullptr);  // one group of all 41 columns
    CHECK(tuning.incumbent.group == 24);
    CHECK(tuning.incumbent.parameters == "SPLIT=exact");
    CHECK(tuning.best.ok());
    const auto best = std::ranges::find_if(tuning.last.timings, [&](const Timing& timing) {
      return timing.times_ns == tuning.best.times_ns;
    });
    REQUIRE(best != tuning.last.timings.end());
    const auto beats = [&](const Timing* other) {
      return other != &*best && tuning.last.order_to_best(*other) == Order::slower;
    };
    if (tuning.last.best() == &*best) CHECK(tuning.wins == (beats(before) && beats(fit)));
    CHECK(machine_noise(context) >= 0);
  });
}

}  // namespace clgauss::tune
