#include "tuner/layer/trial.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>

using namespace clgauss::layer;

namespace {

const Way kRow{{1, {250, 1, 1}}, false}, kShort{{1, {50, 1, 1}}, false};
const Way kSplit{{1, {256, 1, 1}}, true};

/// The time of a launch: of a way, or, without one, of the driver's own size.
using Clock = std::function<double(std::optional<Way>)>;

struct Run {
  std::size_t launches = 0;
  std::map<std::string, std::size_t> of;  // by way; "" is the driver's own
};

/// Gives the trial its launches until it is over, `ahead` of them before the first has ended.
Run run(Trial& trial, const Clock& clock, std::size_t ahead = 1) {
  Run run;
  while (!trial.is_over()) {
    std::vector<Trial::Turn> turns;
    while (turns.size() < ahead) {
      const auto turn = trial.next();
      if (!turn) break;
      turns.push_back(*turn);
    }
    REQUIRE_FALSE(turns.empty());
    for (const Trial::Turn& turn : turns) {
      std::optional<Way> way;
      if (turn.way) way = trial.ways()[*turn.way];
      ++run.launches;
      ++run.of[way ? text(*way) : ""];
      trial.add(turn, clock(way));
    }
  }
  return run;
}

/// Noise of a percent, the same each time.
double jitter() {
  static int count = 0;
  return 1 + 0.01 * ((count++ * 7) % 10) / 10;
}

}  // namespace

TEST_CASE("trial: the faster way is kept, within a bounded number of launches") {
  for (const std::size_t ahead : {1, 3, 100}) {
    CAPTURE(ahead);
    Trial trial({kRow, kShort});
    const Run seen = run(
        trial, [](auto way) { return (!way          ? 300
                                      : way == kRow ? 100
                                                    : 200) *
                                     jitter(); }, ahead);
    const Verdict verdict = trial.verdict();
    CHECK(verdict.way == kRow);
    CHECK(verdict.gain == doctest::Approx(3).epsilon(0.03));
    CHECK(seen.launches == 2 + 2 * Trial::kChoosing + 3 * Trial::kComparing);
    CHECK(seen.of.at("") == 2 * Trial::kComparing);
  }
}

TEST_CASE("trial: what is as fast as the driver's own is not kept, nor what is slower") {
  for (const double factor : {1.0, 0.99, 0.96, 1.3}) {
    CAPTURE(factor);
    Trial trial({kRow});
    run(trial, [&](auto way) { return (way ? factor : 1) * 100 * jitter(); });
    CHECK_FALSE(trial.verdict().way);
    CHECK(trial.verdict().gain == 1);
    CHECK(trial.verdict().tried_gain > 0);
  }
}

TEST_CASE("trial: a split must gain more than a size that divides") {
  for (const Way& way : {kRow, kSplit}) {
    Trial trial({way});
    run(trial, [&](auto tried) { return (tried ? 88 : 100) * jitter(); });
    CHECK(trial.verdict().way.has_value() == !way.split);
  }
}

TEST_CASE("trial: where equal launches differ much, nothing is kept") {
  Trial trial({kRow});
  int launch = 0;
  run(trial, [&](auto way) { return (way ? 80.0 : 100.0) * (launch++ % 3 == 0 ? 2 : 1); });
  CHECK_FALSE(trial.verdict().way);
}

TEST_CASE("trial: one slow launch does not hide what is much faster") {
  Trial trial({kRow});
  bool is_first = true;
  int of_row = 0;
  run(trial, [&](auto way) {
    if (way && ++of_row == 7 && std::exchange(is_first, false)) return 1000.0;
    return (way ? 40 : 100) * jitter();
  });
  CHECK(trial.verdict().way == kRow);
}

TEST_CASE("trial: a way that the driver refuses is given up") {
  Trial trial({kRow, kShort});
  while (const auto turn = trial.next()) {
    if (turn->way == 0) trial.give_up(0);
    trial.add(*turn,
              turn->way == 0 ? std::nullopt : std::optional((turn->way ? 50 : 100) * jitter()));
  }
  CHECK(trial.is_over());
  CHECK(trial.verdict().way == kShort);
  Trial none({kRow});
  const auto turn = none.next();
  REQUIRE(turn);
  none.give_up(0);
  none.add(*turn, std::nullopt);
  CHECK(none.is_over());
  CHECK_FALSE(none.verdict().way);
}

TEST_CASE("trial: without times, or without ways, it ends and keeps nothing") {
  Trial trial({kRow});
  while (const auto turn = trial.next()) trial.add(*turn, std::nullopt);
  CHECK(trial.is_over());
  CHECK_FALSE(trial.verdict().way);
  CHECK(Trial({}).is_over());
}
