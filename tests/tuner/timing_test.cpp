#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "matrix/transfer.hpp"
#include "support/devices.hpp"
#include "tuner/measure/restored_matrix.hpp"
#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

namespace {

/// Times that are given out one after the other.
struct Script {
  std::vector<double> times;
  std::size_t taken = 0;

  double operator()() { return times.at(taken++); }
};

std::string nothing_wrong() { return {}; }

}  // namespace

TEST_CASE("timing: a run that is right is timed after one that warms up") {
  Script script{{900, 10, 20, 30, 40}};
  const Outcome outcome =
      time_at_once({3}, checked(
                            1e9, "a test", [&] { return script(); }, nothing_wrong));
  CHECK(outcome.status == Status::ok);
  CHECK(outcome.times_ns == std::vector<double>{10, 20, 30});
}

TEST_CASE("timing: what is wrong or slow is not timed, what is hopeless only once") {
  const auto outcome_of = [](const RunLimits& limits, const std::string& fault) {
    Script script{{100, 50, 50, 50}};
    return time_at_once(
        limits, checked(
                    limits.timeout_ns, "a test", [&] { return script(); }, [&] { return fault; }));
  };
  const Outcome wrong = outcome_of({3}, "a wrong element");
  CHECK(wrong.status == Status::wrong_result);
  CHECK(wrong.detail == "a wrong element");
  CHECK(wrong.times_ns.empty());
  CHECK(outcome_of({3, {}, 99}, "").status == Status::timeout);
  CHECK(outcome_of({3, {}, 100}, "").status == Status::ok);
  CHECK(outcome_of({3, 24.9}, "").times_ns.size() == 1);
  CHECK(outcome_of({3, 25.1}, "").times_ns.size() == 3);
}

TEST_CASE("timing: a duel takes turns in a random order, with a twin, and without the first runs") {
  std::string turns;
  Script a{{900, 1, 1, 1}}, b{{900, 2, 2, 2, 2, 2, 2}};
  const Duel times = duel(
      3, [&] { return turns += 'a', a(); }, [&] { return turns += 'b', b(); });
  CHECK(turns.starts_with("ab"));
  CHECK(turns.size() == 2 + 3 * 3);
  CHECK(turns != "ababbabbabb");
  CHECK(times.a_ns == std::vector<double>{1, 1, 1});
  CHECK(times.b_ns.size() == 3);
  CHECK(times.twin_ns.size() == 3);
  CHECK(times.gain().median == 2);
  CHECK(times.order() == Order::faster);
}

TEST_CASE("timing: a duel of equals goes on until its end, and a noisy one decides nothing") {
  std::mt19937 random(7);
  const auto noisy = [&] { return 1 + static_cast<double>(random() % 1000) / 1000; };
  const Duel equal = duel(5, noisy, noisy);
  CHECK(equal.a_ns.size() == 15);
  CHECK(equal.order() == Order::tie);
  int decided = 0;
  for (int i = 0; i < 50; ++i)  // a gain of 2 % under a noise of 100 %
    decided += duel(
                   5, [&] { return noisy() / 1.02; }, noisy)
                   .order() != Order::tie;
  CHECK(decided <= 5);
}

TEST_CASE("timing: short runs are repeated, within bounds") {
  CHECK(passes_for(1e-3, 5e-3, 32) == 5);
  CHECK(passes_for(1, 5e-3, 32) == 1);
  CHECK(passes_for(1e-9, 5e-3, 32) == 32);
  CHECK(passes_for(0, 5e-3, 32) == 32);
}

TEST_CASE(
    "timing: what is repeated warms up, tells how long it takes, and gives the time of one pass") {
  std::vector<std::size_t> passes;
  bool slow_now = false;
  int between = 0;
  const TimingOptions options{20, 10, [&] { ++between; }};
  const auto run = [&](std::size_t count) {
    passes.push_back(count);
    if (slow_now) std::this_thread::sleep_for(count * std::chrono::microseconds(100));
  };
  const Prepared prepared = repeated(options, 5e-3, run);
  CHECK(prepared.outcome.status == Status::ok);
  CHECK(between == 20);
  REQUIRE(passes.size() == 20);
  CHECK(passes.front() == 1);           // as long as was expected
  CHECK(std::ranges::max(passes) > 1);  // nothing is soon done
  CHECK(prepared.expected_s > 0);
  slow_now = true;
  double ns = 0;
  const double wall_s = time_once([&] { ns = prepared.timed_ns(); });
  CHECK(ns >= 100e3);
  CHECK(ns * static_cast<double>(passes.back()) <= 1e9 * wall_s);
  prepared.timed_ns();
  REQUIRE(passes.size() == 22);
  CHECK(passes[20] == passes[21]);
  const Prepared slow = repeated(options, 11, run);
  CHECK(slow.outcome.status == Status::timeout);
  CHECK_FALSE(slow.timed_ns);
  CHECK(repeated(options, std::nan(""), run).outcome.status == Status::timeout);
  CHECK(passes.size() == 22);
}

TEST_CASE("timing: a matrix that was overwritten is as it was") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Matrix matrix = random_matrix(5, 3, 1);
    const RestoredMatrix restored(context, RealType::f32, matrix, 7, "a test");
    CHECK(restored.view().ld == 7);
    context.queue().enqueueFillBuffer(restored.view().buffer, cl_float{9}, 0, 5 * 7 * 4);
    restored.restore(context.queue());
    const Values values = download(context.queue(), restored.view().buffer, RealType::f32, 5 * 7);
    for (Index i = 0; i < 5; ++i)
      for (Index j = 0; j < 3; ++j)
        CHECK(values[i * 7 + j] == static_cast<double>(static_cast<float>(matrix(i, j))));
  });
}

}  // namespace clgauss::tune
