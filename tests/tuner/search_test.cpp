#include <doctest/doctest.h>

#include <chrono>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <cmath>
#include <map>
#include <set>

#include "support/paths.hpp"
#include "tuner/rows/t4.hpp"
#include "tuner/search/replay.hpp"
#include "tuner/search/stop.hpp"

namespace clgauss::tune {

namespace {

/// x, y in 1, 2, 4, .. 128, without those whose product is above 2048; the word of z costs a
/// factor.
Space small_space() {
  const std::vector<Value> powers{1, 2, 4, 8, 16, 32, 64, 128};
  return {{{"x", powers}, {"y", powers}, {"z", {"slow", "fast"}}},
          [](const Space::Point& point) { return point[0] + point[1] <= 11; }};
}

/// Smallest, 1, at x = 16, y = 32, z = fast; empty, a failure, where x = y.
std::optional<double> time_at(const Space& space, std::size_t configuration) {
  const auto p = space.point(configuration);
  if (p[0] == p[1]) return std::nullopt;
  return 1 + std::abs(p[0] - 4.0) + 0.5 * std::abs(p[1] - 5.0) + (p[2] == 1 ? 0 : 2);
}

std::vector<std::size_t> tried_by(Searcher& searcher, const Space& space, std::size_t most) {
  std::vector<std::size_t> tried;
  while (tried.size() < most) {
    const auto next = searcher.next();
    if (!next) break;
    tried.push_back(*next);
    searcher.report(*next, time_at(space, *next));
  }
  return tried;
}

T4File t4_of(const Space& space) {
  T4File file{{"OpenCL", "a platform", "a device", "a tuner"}, {}};
  for (std::size_t i = 0; i < space.size(); ++i) {
    T4Result result;
    result.configuration = space.configuration(i);
    result.time_ns = time_at(space, i);
    result.measurements = {{"gflops", 1.5, "Gflop/s"}};
    if (result.time_ns)
      result.outcome.times_ns = {*result.time_ns, *result.time_ns};
    else
      result.outcome.status = Status::wrong_result;
    result.outcome.detail = "bytes \xff of a driver";
    file.results.push_back(std::move(result));
  }
  return file;
}

}  // namespace

TEST_CASE("search: a space too large to be listed is searched, and only what is valid is tried") {
  std::vector<Value> values;
  for (std::int64_t value = 1; value <= 64; ++value) values.emplace_back(value);
  std::size_t asked = 0;
  const auto valid = [&asked](const Space::Point& point) {
    ++asked;
    return (point[0] + point[1]) % 4 == 0 && point[2] <= point[3];
  };
  std::vector<Parameter> parameters;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"})
    parameters.push_back({name, values});
  const Space space = Space::unlisted(parameters, valid);
  CHECK(asked == 0);
  CHECK(space.size() == std::size_t{1} << 48U);
  CHECK_FALSE(space.is_listed());
  const auto time = [&](std::size_t configuration) {
    double sum = 1;
    for (const std::uint16_t one : space.point(configuration)) sum += std::abs(one - 20.0);
    return sum;
  };
  std::map<std::string, double> best;  // of six searches
  for (const std::string& strategy : strategy_names()) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      CAPTURE(strategy);
      CAPTURE(seed);
      const auto searcher = make_searcher(strategy, space, {{}, seed});
      std::set<std::size_t> tried;
      double found = 1e9;
      for (int i = 0; i < 60; ++i) {
        const auto next = searcher->next();
        REQUIRE(next.has_value());
        CHECK(valid(space.point(*next)));
        CHECK(space.find(space.point(*next)) == *next);
        CHECK(space.find(space.configuration(*next)) == *next);
        CHECK(tried.insert(*next).second);
        found = std::min(found, time(*next));
        searcher->report(*next, time(*next));
      }
      best[strategy] += found / 6;
      for (const std::size_t near : space.neighbours(*tried.begin()))
        CHECK(valid(space.point(near)));
    }
  }
  CHECK(best["model"] < best["random"]);
  CHECK(space.some(5).size() == 5);

  const Space few =
      Space::unlisted({{"a", values}}, [](const auto& point) { return point[0] < 3; });
  for (const std::string& strategy : strategy_names()) {
    CAPTURE(strategy);
    const auto searcher = make_searcher(strategy, few);
    int found = 0;
    while (const auto next = searcher->next()) {
      searcher->report(*next, 1);
      ++found;
    }
    CHECK(found == 3);
  }
  CHECK_THROWS_AS((void)Space::unlisted(std::vector<Parameter>(11, {"a", values}),
                                        [](const auto&) { return true; }),
                  UsageError);
}

TEST_CASE("a space holds what its predicate accepts, and finds it again") {
  const Space space = small_space();
  CHECK(space.size() == 2 * (64 - 6));
  for (std::size_t i = 0; i < space.size(); ++i) {
    CHECK(space.find(space.point(i)) == i);
    CHECK(space.find(space.configuration(i)) == i);
  }
  CHECK_FALSE(space.find(Configuration{{"x", 128}, {"y", 128}, {"z", "fast"}}).has_value());
  CHECK_FALSE(space.find(Configuration{{"x", 1}, {"y", 1}}).has_value());
  CHECK_THROWS_AS(Space({{"x", {1}}}, [](const auto&) { return false; }), UsageError);
  CHECK_THROWS_AS(Space(std::vector<Configuration>{{{"x", 1}}, {{"x", 1}}}), UsageError);
  CHECK_THROWS_AS(Space(std::vector<Configuration>{{{"x", 1}}, {{"y", 2}}}), UsageError);
}

TEST_CASE("neighbours differ in one parameter, adjacent ones by one value, and all are valid") {
  const Space space = small_space();
  const auto centre = space.find(Configuration{{"x", 16}, {"y", 128}, {"z", "fast"}});
  REQUIRE(centre.has_value());
  CHECK(space.neighbours(*centre).size() == 4 + 7 + 1);  // x = 32, 64, 128 are not valid
  CHECK(space.adjacent(*centre).size() == 1 + 1 + 1);
  for (const std::size_t near : space.neighbours(*centre)) {
    int changed = 0;
    for (std::size_t p = 0; p < 3; ++p) changed += space.point(near)[p] != space.point(*centre)[p];
    CHECK(changed == 1);
  }
}

TEST_CASE("each strategy tries everything once, and is the same for one seed") {
  const Space space = small_space();
  for (const Strategy& strategy : strategies()) {
    CAPTURE(strategy.name);
    const SearchStart start{{7, 3, 7}, 5};
    const auto tried = tried_by(*strategy.make(space, start), space, 1000);
    CHECK(tried.size() == space.size());
    CHECK(std::set(tried.begin(), tried.end()).size() == space.size());
    CHECK(tried[0] == 7);
    CHECK(tried[1] == 3);
    CHECK(tried == tried_by(*strategy.make(space, start), space, 1000));
  }
  CHECK_THROWS_AS(static_cast<void>(make_searcher("lucky", space)), UsageError);
}

TEST_CASE("the model finds the optimum of a smooth space in half of it") {
  const Space space = small_space();
  const RecordedSpace recorded = recorded_space(t4_of(space));
  CHECK(replay(recorded, "model", {{58}, 20}).front().percentile_10 == 1);
}

TEST_CASE("a search in a space too large for the model's list goes on") {
  std::vector<Value> numbers;
  for (int i = 1; i <= 120; ++i) numbers.emplace_back(i);
  const Space space({{"x", numbers}, {"y", numbers}}, [](const auto&) { return true; });
  const auto searcher = make_searcher("model", space, {{}, 2});
  double best = 1e9;
  std::set<std::size_t> tried;
  for (int i = 0; i < 60; ++i) {
    const std::size_t next = searcher->next().value();
    CHECK(tried.insert(next).second);
    const double time = 1 + std::hypot(space.point(next)[0] - 70.0, space.point(next)[1] - 30.0);
    best = std::min(best, time);
    searcher->report(next, time);
  }
  CHECK(best < 5);
}

TEST_CASE("stop conditions") {
  CHECK_FALSE(never()(1000));
  CHECK_FALSE(after_evaluations(3)(2));
  CHECK(after_evaluations(3)(3));
  CHECK(after_duration(std::chrono::seconds(0))(0));
  CHECK_FALSE(after_duration(std::chrono::hours(1))(0));
  CHECK(any_of({never(), after_evaluations(1)})(1));
  CHECK_FALSE(any_of({})(1));
}

TEST_CASE("a replay gives the same figures again, rises with the evaluations and counts failures") {
  const RecordedSpace recorded = recorded_space(t4_of(small_space()));
  CHECK(recorded.best_ns == 1);
  const ReplayOptions options{{5, 20, 116}, 10, 3};
  const auto first = replay(recorded, "random", options),
             again = replay(recorded, "random", options);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(first[i].median == again[i].median);
    CHECK(first[i].percentile_10 <= first[i].median);
    if (i > 0) CHECK(first[i].median >= first[i - 1].median);
  }
  CHECK(first[2].percentile_10 == 1);
  CHECK_THROWS_AS(static_cast<void>(replay(recorded, "random", {{0}, 1})), UsageError);
  CHECK_THROWS_AS(static_cast<void>(replay(recorded, "random", {{1}, 0})), UsageError);
}

TEST_CASE("another device's best are the first to be tried") {
  const T4File file = t4_of(small_space());
  const RecordedSpace recorded = recorded_space(file);
  ReplayOptions options{{1}, 3};
  options.seeds = best_of(file, recorded.space, 2);
  CHECK(options.seeds.size() == 2);
  CHECK(replay(recorded, "random", options).front().median == 1);
}

TEST_CASE("on the recorded GEMM the model beats random") {
  const RecordedSpace recorded = recorded_space(
      read_t4((test::data_folder() / "spaces" / "gemm_cpu_f32_512_pocl_T4.json.gz").string()));
  const ReplayOptions options{{25, 50}, 20};
  const auto random = replay(recorded, "random", options);
  const auto model = replay(recorded, "model", options);
  for (std::size_t i = 0; i < 2; ++i) CHECK(model[i].median >= random[i].median);
}

TEST_CASE("T4 files come back as they were, compressed or not") {
  const test::TemporaryFolder folder;
  const T4File file = t4_of(small_space());
  for (const char* name : {"t4.json", "t4.json.gz"}) {
    const std::string path = (folder / name).string();
    write_t4(path, file);
    const T4File back = read_t4(path);
    CHECK(back.metadata.device == "a device");
    REQUIRE(back.results.size() == file.results.size());
    for (std::size_t i = 0; i < back.results.size(); ++i) {
      CHECK(back.results[i].configuration == file.results[i].configuration);
      CHECK(back.results[i].outcome.status == file.results[i].outcome.status);
      CHECK(back.results[i].time_ns.has_value() == file.results[i].time_ns.has_value());
      if (back.results[i].time_ns)
        CHECK(*back.results[i].time_ns == doctest::Approx(*file.results[i].time_ns));
      CHECK(back.results[i].measurements.front().value == 1.5);
    }
  }
}

}  // namespace clgauss::tune
