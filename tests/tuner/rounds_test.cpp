/// Cases that are made up, measured in rounds.

#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <map>
#include <memory>
#include <set>

#include "support/paths.hpp"
#include "tuner/experiments/case.hpp"

namespace clgauss::tune {

namespace {

const ExperimentInfo kInfo{"made up", "k", "f32", "", "test", {}};

/// Cases that write down what is done with them.
class Recorder {
 public:
  /// A case of `local` at `n` whose run takes `expected_s`, so it says.
  [[nodiscard]] Case one(std::size_t n, std::size_t local, double expected_s = 1e-6) {
    return single_case(row(n, local), [this, n, local, expected_s] {
      prepared.push_back(n + local);
      return Prepared{{}, [this, n, local] { return run(n + local); }, expected_s};
    });
  }
  /// The cases of some sizes at one n.
  [[nodiscard]] std::vector<Case> several(std::size_t n, std::size_t count,
                                          double expected_s = 1e-6) {
    std::vector<Case> cases;
    for (std::size_t local = 1; local <= count; ++local) cases.push_back(one(n, local, expected_s));
    return cases;
  }
  [[nodiscard]] static Row row(std::size_t n, std::size_t local) {
    Row row = row_for(kInfo);
    row.n = n;
    row.local = local;
    return row;
  }

  /// The runs of round `round` of the first block of `count`.
  [[nodiscard]] std::vector<std::size_t> round(std::size_t round, std::size_t count) const {
    const auto first = runs.begin() + static_cast<std::ptrdiff_t>(round * count);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  std::vector<std::size_t> prepared, runs;  // n + local, in the order in which that came about

 private:
  double run(std::size_t what) {
    runs.push_back(what);
    return static_cast<double>(1000 * what + runs.size());
  }
};

const ExperimentProgress kSilent = [](double, const std::string&) {};

ExperimentSummary measure(const std::filesystem::path& place, std::vector<Case> cases,
                          std::size_t rounds, const ExperimentLimits& limits = {},
                          const ExperimentProgress& progress = kSilent) {
  ResultFolder folder(place, kInfo, false);
  return run_cases(folder, std::move(cases), rounds, limits, progress);
}

std::vector<Row> rows_in(const std::filesystem::path& place) {
  return read_results(place).at(0).rows;
}

}  // namespace

TEST_CASE("rounds: all of a block run once a round, each round in another order") {
  const test::TemporaryFolder place;
  Recorder recorder;
  std::vector<Case> cases = recorder.several(100, 8);
  cases.push_back(control_of(cases.back()));
  CHECK(measure(place.path(), std::move(cases), 5).measured == 9);
  CHECK(recorder.prepared == std::vector<std::size_t>{101, 102, 103, 104, 105, 106, 107, 108, 108});
  REQUIRE(recorder.runs.size() == 5 * 9);
  std::set<std::vector<std::size_t>> orders;
  for (std::size_t round = 0; round < 5; ++round) {
    std::vector<std::size_t> order = recorder.round(round, 9);
    orders.insert(order);
    std::ranges::sort(order);
    CHECK(order == recorder.prepared);  // the control is one of its own
  }
  CHECK(orders.size() == 5);

  std::map<std::string, std::vector<double>> times;
  for (const Row& row : rows_in(place.path())) {
    CHECK(row.repetitions == 5);
    CHECK(row.repetition == times[row.rule + std::to_string(row.local)].size());
    CHECK(row.low_ns > 0);
    times[row.rule + std::to_string(row.local)].push_back(row.time_ns);
  }
  REQUIRE(times.size() == 9);
  for (const auto& [name, of_one] : times) {
    CHECK(of_one.size() == 5);
    CHECK(std::ranges::is_sorted(of_one));
  }
  CHECK(times["control8"] != times["8"]);
}

TEST_CASE(
    "rounds: a block is of one n and ends with 32 cases or a minute, a control joins its twin") {
  const test::TemporaryFolder place;
  Recorder recorder;
  std::vector<Case> cases = recorder.several(100, 32);
  cases.push_back(control_of(cases.back()));
  std::ranges::move(recorder.several(200, 3), std::back_inserter(cases));
  std::ranges::move(recorder.several(300, 5, 11), std::back_inserter(cases));  // 2 x 11 s each
  measure(place.path(), std::move(cases), 2);
  REQUIRE(recorder.runs.size() == 2 * (33 + 3 + 5));
  for (const std::size_t round : {0U, 1U}) {
    const std::vector<std::size_t> order = recorder.round(round, 33);
    CHECK(std::ranges::count(order, 132U) == 2);
  }
  const auto ends_with = [&](std::size_t first, std::size_t count) {
    std::vector<std::size_t> block(
        recorder.runs.begin() + static_cast<std::ptrdiff_t>(first),
        recorder.runs.begin() + static_cast<std::ptrdiff_t>(first + count));
    return *std::ranges::max_element(block);
  };
  CHECK(ends_with(0, 66) == 132);
  CHECK(ends_with(66, 6) == 203);
  CHECK(ends_with(72, 6) == 303);  // three are expected to take over a minute
  CHECK(ends_with(78, 4) == 305);
}

TEST_CASE("rounds: what fails leaves its reason and does not run on") {
  const test::TemporaryFolder place;
  Recorder recorder;
  std::vector<Case> cases = recorder.several(100, 2);
  const auto failing = [](std::size_t local, std::function<Prepared()> prepare) {
    return single_case(Recorder::row(100, local), std::move(prepare));
  };
  int runs = 0;
  cases.push_back(failing(3, []() -> Prepared { throw DeviceLimit("too much"); }));
  cases.push_back(failing(4, [] { return Prepared{too_slow(100)}; }));
  cases.push_back(failing(5, [&runs] {
    return Prepared{{}, [&runs]() -> double {
                      if (++runs == 2) throw OutOfMemory("no room");
                      return 1;
                    }};
  }));
  cases.push_back(failing(6, [] { return Prepared{{Status::ok, "", {7, 8}}}; }));
  cases.push_back({{Recorder::row(100, 7), Recorder::row(100, 8)}, [] {
                     return std::vector<Prepared>{{{}, [] { return 5.0; }}, {too_slow(9)}};
                   }});
  CHECK(measure(place.path(), std::move(cases), 3).measured == 7);
  CHECK(runs == 2);
  CHECK(recorder.runs.size() == 2 * 3);
  std::map<std::size_t, std::vector<Row>> rows;
  for (const Row& row : rows_in(place.path())) rows[row.local].push_back(row);
  const auto only = [&](std::size_t local) {
    REQUIRE(rows[local].size() == 1);
    CHECK(rows[local].front().time_ns == 0);
    return rows[local].front();
  };
  CHECK(rows[1].size() == 3);
  CHECK(only(3).status == Status::device_limit);
  CHECK(only(3).detail == "too much");
  CHECK(only(4).status == Status::timeout);
  CHECK(only(5).status == Status::device_limit);
  CHECK(only(5).detail == "no room");
  CHECK(rows[6].size() == 2);  // measured while it was prepared
  CHECK(rows[7].size() == 3);
  CHECK(only(8).status == Status::timeout);
  CHECK(measure(place.path(), recorder.several(100, 8), 3).measured == 0);  // all are there
}

TEST_CASE("rounds: an interruption leaves whole rows of what was timed, to be completed later") {
  const test::TemporaryFolder place;
  struct Stop {};
  const auto interrupted_after = [&](int calls) {
    Recorder recorder;
    std::vector<Case> cases = recorder.several(100, 4);
    cases.push_back(single_case(Recorder::row(100, 5), [] { return Prepared{too_slow(99)}; }));
    std::ranges::move(recorder.several(200, 4), std::back_inserter(cases));
    double last = 0;
    CHECK_THROWS_AS(measure(place.path(), std::move(cases), 3, {},
                            [&](double fraction, const std::string&) {
                              CHECK(fraction >= last);
                              CHECK(fraction <= 1);
                              last = fraction;
                              if (--calls < 0) throw Stop();
                            }),
                    Stop);
    return recorder;
  };
  CHECK(interrupted_after(3).runs.empty());  // while it prepares
  CHECK(rows_in(place.path()).empty());

  CHECK(interrupted_after(5 + 6).runs.size() == 6);  // in the second round
  std::vector<Row> rows = rows_in(place.path());
  CHECK(std::ranges::count(rows, Status::timeout, &Row::status) == 1);
  CHECK(std::ranges::count(rows, Status::ok, &Row::status) == 6);
  for (const Row& row : rows)
    if (row.status == Status::ok) CHECK(row.repetitions == 3);

  CHECK(interrupted_after(4 + 12 + 2).runs.size() == 12);  // in the second block; the timeout stays
  Recorder rest;
  std::vector<Case> cases = rest.several(100, 5);
  std::ranges::move(rest.several(200, 4), std::back_inserter(cases));
  const ExperimentSummary summary = measure(place.path(), std::move(cases), 3);
  CHECK(summary.points == 9);
  CHECK(summary.measured == 4);
  CHECK(rest.prepared == std::vector<std::size_t>{201, 202, 203, 204});
  rows = rows_in(place.path());
  CHECK(rows.size() == 8 * 3 + 1);
}

TEST_CASE("rounds: a block takes no more than the budget has left, and what is begun is finished") {
  const test::TemporaryFolder place;
  Recorder recorder;
  CHECK(measure(place.path(), recorder.several(100, 4), 3, {1e-9}).left == 4);
  CHECK(recorder.runs.empty());
  // The second is expected to take all that is left; it is over at once.
  const ExperimentSummary summary = measure(place.path(), recorder.several(100, 4, 10), 3, {50});
  CHECK(summary.measured == 4);
  CHECK(recorder.runs.size() == 4 * 3);
  const std::vector<std::size_t> first = recorder.round(0, 6);
  CHECK(*std::ranges::max_element(first) == 102);
  CHECK(rows_in(place.path()).size() == 12);
}

TEST_CASE("rounds: what a case holds goes with its block") {
  const test::TemporaryFolder place;
  std::vector<Case> cases;
  std::weak_ptr<int> held;
  {
    auto matrix = std::make_shared<int>(1);
    held = matrix;
    cases.push_back(single_case(Recorder::row(100, 1), [matrix] {
      return Prepared{{}, [matrix] { return static_cast<double>(*matrix); }};
    }));
  }
  bool seen = false;
  cases.push_back(single_case(Recorder::row(200, 1), [&] {
    seen = true;
    CHECK(held.expired());
    return Prepared{{Status::constraint, "no", {}}};
  }));
  measure(place.path(), std::move(cases), 2);
  CHECK(seen);
}

}  // namespace clgauss::tune
