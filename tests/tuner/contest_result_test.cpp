#include <doctest/doctest.h>

#include <clgauss/error.hpp>

#include "tuner/rows/contest_result.hpp"
#include "tuner/rows/result_folder.hpp"

namespace clgauss::tune {

namespace {

Point point_of(const std::string& rule, std::size_t local, std::size_t group,
               std::vector<double> times_ms) {
  Point point;
  point.row.n = 1012;
  point.row.rule = rule;
  point.row.local = local;
  point.row.group = group;
  for (double& ms : times_ms) ms *= 1e6;
  point.times_ns = std::move(times_ms);
  return point;
}

}  // namespace

TEST_CASE("rules that come to the same launch are one point, and the twin is the floor") {
  const ContestResult contest = contest_result(
      {point_of("lcm", 8, 8, {20, 21, 20}), point_of("multiple", 8, 8, {20, 21, 20}),
       point_of("max", 4096, 1013, {10, 10.2, 10.1}),
       point_of("fixed", 1024, 1013, {10, 10.2, 10.1}),
       point_of("fixed", 512, 512, {10.5, 10.6, 10.4}), point_of("driver", 0, 0, {30, 31, 32}),
       point_of("control", 4096, 1013, {10.6, 10.7, 10.6})});
  REQUIRE(contest.timings.size() == 4);
  CHECK(contest.of_rule("multiple") == contest.of_rule("lcm"));
  CHECK(contest.of_rule("lcm")->times_ns.size() == 3);  // one measurement, not two
  CHECK(contest.floor == doctest::Approx(10.6 / 10.1 - 1));
  CHECK(contest.best()->has_rule("max"));
  CHECK(contest.best()->locals == std::vector<std::size_t>{4096, 1024});
  CHECK(names_of(contest.indistinguishable()) == "4096, 512");
  CHECK(contest.order(*contest.of_rule("lcm"), *contest.best()) == Order::slower);
  CHECK(contest.of_rule("control") == nullptr);
  CHECK(contest.controlled);
  CHECK(contest.told_apart);  // 10.6 lies beyond the range of its twin's times
}

TEST_CASE("a launch that cannot be told from itself is a control that says so") {
  const ContestResult contest = contest_result(
      {point_of("fixed", 64, 64, {10, 11, 10.5}), point_of("control", 64, 64, {10.9, 10.2, 11.3})});
  CHECK(contest.controlled);
  CHECK_FALSE(contest.told_apart);
  CHECK_FALSE(contest_result({point_of("fixed", 64, 64, {10, 11})}).controlled);
}

TEST_CASE("launches of one round are compared as a pair, ways of one launch are one") {
  const std::vector<double> load{1, 4, 1, 2, 8, 1, 3, 1, 5, 1, 2, 1};
  std::vector<Row> rows;
  const auto add = [&](const std::string& rule, std::size_t local, const char* parameters,
                       double factor, const char* time = "2026-01-02T03:04:05Z") {
    Row row;
    row.time = time;
    row.kernel = "gauss_fwd";
    row.variant = "fixed";
    row.n = 1023;
    row.rule = rule;
    row.local = row.group = local;
    row.parameters = parameters;
    Outcome outcome;
    for (std::size_t round = 1; round <= load.size(); ++round) {
      outcome.times_ns.push_back(1e6 * factor * load[round - 1]);
      outcome.rounds.push_back(round);
    }
    for (const Row& one : rows_of(row, outcome)) rows.push_back(one);
  };
  add("fixed", 256, "", 1);                // 1024 = 4 x 256: no remainder
  add("fixed", 256, "SPLIT=round_up", 1);  // the same launch
  add("fixed", 256, "SPLIT=tall", 1.3);    // another
  add("fixed", 192, "", 1.1);
  add("fixed", 192, "SPLIT=exact", 1.05);
  add("control", 256, "", 1.01);
  const ContestResult contest = contest_result(group_rows(rows));
  REQUIRE(contest.timings.size() == 4);
  CHECK(contest.timings[0].times_ns.size() == load.size());  // one measurement, not two
  CHECK(contest.floor == doctest::Approx(0.01));
  CHECK(contest.told_apart);
  CHECK(contest.expected_apart == doctest::Approx(1 - median_interval(12, 0.05).coverage));
  CHECK(names_of(contest.indistinguishable()) == "256");
  CHECK(ratio_of(contest.timings[2], contest.timings[0]).low == doctest::Approx(1.1));
  CHECK(parse_rows(row_header() + "\n" + row_line(rows[3]), "f")[0].round == 4);

  // The same rounds of another contest are no pairs with these.
  add("max", 1024, "", 1.02, "2026-01-02T09:00:00Z");
  const ContestResult more = contest_result(group_rows(rows));
  CHECK(ratio_of(*more.of_rule("max"), more.timings[0]).low < 1);
}

TEST_CASE("launches that do nothing, and the device's own times, compete with none") {
  Point empty = point_of("empty", 256, 256, {1, 1, 1}), device = point_of("fixed", 64, 64, {7, 7});
  empty.row.kernel = kEmptyKernel;
  device.row.part = kDevicePart;
  const ContestResult contest =
      contest_result({point_of("fixed", 64, 64, {9, 9, 9}), empty, device});
  REQUIRE(contest.timings.size() == 1);
  CHECK(contest.timings[0].device_ns == std::vector<double>{7e6, 7e6});
  CHECK(contest.timings[0].times_ns.size() == 3);
  REQUIRE(contest.empty.size() == 1);
  CHECK(contest.empty[0].ms.median == 1);
}

TEST_CASE("without a twin, launches that were timed twice are the floor, and their times one") {
  const ContestResult contest =
      contest_result({point_of("lcm", 8, 8, {20, 20, 20}), point_of("multiple", 8, 8, {24, 24, 24}),
                      point_of("fixed", 64, 64, {18, 18, 18})});
  CHECK(contest.floor == doctest::Approx(0.2));
  CHECK(contest.of_rule("lcm")->times_ns.size() == 6);
  CHECK(contest.order(*contest.of_rule("lcm"), *contest.of_rule("fixed")) == Order::tie);
}

TEST_CASE("what failed keeps its reason, and the driver's size is chosen only where it is safe") {
  Point failed = point_of("max", 4096, 0, {});
  failed.row.status = Status::device_limit;
  const ContestResult contest = contest_result(
      {failed, point_of("driver", 0, 0, {5, 5, 5}), point_of("fixed", 64, 64, {9, 9, 9})});
  CHECK(contest.of_rule("max")->status == Status::device_limit);
  CHECK(contest.best()->by_driver());
  CHECK(fastest_choice(contest, 1024)->local == 64);  // 1.5 n is above the limit
  CHECK(fastest_choice(contest, 4096)->by_driver());
  CHECK(fastest_choice(contest_result({failed}), 4096) == nullptr);
}

TEST_CASE("more steps count more, single runs are called so") {
  Point few = point_of("fixed", 64, 64, {9, 9, 9}), all = point_of("fixed", 64, 64, {7});
  few.row.steps = 16;
  all.row.steps = 1011;
  const ContestResult contest = contest_result({few, all});
  REQUIRE(contest.timings.size() == 1);
  CHECK(contest.timings[0].ms.median == 7);
  CHECK(contest.timings[0].ms.single());
  CHECK(contest.floor == 0);
}

TEST_CASE("rows of the first schema are read: a group as asked for, and no interval") {
  const std::string header =
      "schema,time,version,device,platform,driver,experiment,kernel,type,variant,part,rule,n,local,"
      "parameters,main_launches,remainder_launches,build_options,status,repetition,repetitions,"
      "time_"
      "ns,estimated,steps,all_steps,work,detail\n";
  const std::string line =
      "1,2026-11-21T07:00:00Z,v,dev,plat,1,rules,gauss_fwd,f64,fixed,,max,1012,4096,,64,64,,ok,0,1,"
      "2500000.0,1,64,1011,1e9,\n";
  const auto rows = parse_rows(header + line, "f");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].group == 4096);
  CHECK(rows[0].low_ns == 0);
  CHECK(rows[0].time_ns == 2.5e6);
  const ContestResult contest = contest_result(group_rows(rows));
  CHECK(contest.timings[0].ms.single());
  const std::string second =
      "schema,time,version,device,platform,driver,experiment,kernel,type,variant,part,rule,n,local,"
      "group,parameters,main_launches,remainder_launches,build_options,status,repetition,"
      "repetitions,time_ns,low_ns,high_ns,estimated,steps,all_steps,work,detail\n"
      "2,2026-11-21T07:00:00Z,v,dev,plat,1,rules,gauss_fwd,f64,fixed,,max,1012,4096,1013,,64,64,,"
      "ok,"
      "0,1,2500000.0,,,1,64,1011,1e9,\n";
  CHECK(parse_rows(second, "f")[0].group == 1013);
  CHECK(group_rows(parse_rows(second, "f"))[0].rounds.empty());
  const auto now = parse_rows(row_header() + "\n" + row_line(rows[0]), "f");
  CHECK(now[0].group == 4096);
}

TEST_CASE("rows carry the interval of their configuration, and absurd numbers are refused") {
  Row row;
  row.n = 10;
  const auto rows = rows_of(row, {Status::ok, "", {3e6, 1e6, 2e6}});
  for (const Row& one : rows) {
    CHECK(one.low_ns == 1e6);
    CHECK(one.high_ns == 3e6);
  }
  CHECK(rows_of(row, {Status::ok, "", {3e6}})[0].high_ns == 0);
  const std::string header = row_header() + "\n", good = row_line(rows[0]);
  CHECK(parse_rows(header + good, "f").size() == 1);
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"3000000.0", "-1"},
                                 {"3000000.0", "nan"},
                                 {"3000000.0", "inf"},
                                 {"3000000.0", "1e30"},
                                 {",10,", ",99999999999999999,"}}) {
    std::string bad = good;
    REQUIRE(bad.find(from) != std::string::npos);
    bad.replace(bad.find(from), from.size(), to);
    CAPTURE(bad);
    CHECK_THROWS_AS((void)parse_rows(header + bad, "f"), FormatError);
  }
}

}  // namespace clgauss::tune
