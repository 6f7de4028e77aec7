#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/error.hpp>

#include "support/made_up_rows.hpp"
#include "support/process.hpp"
#include "tuner/report/comparison.hpp"
#include "tuner/report/elimination_data.hpp"
#include "tuner/report/elimination_figures.hpp"
#include "tuner/report/elimination_tables.hpp"
#include "tuner/report/html.hpp"
#include "tuner/report/kernel_section.hpp"
#include "tuner/report/markdown.hpp"
#include "tuner/report/overview.hpp"
#include "tuner/report/page.hpp"
#include "tuner/report/section.hpp"
#include "tuner/report/verdict.hpp"
#include "tuner/rows/kernel_experiment.hpp"

namespace clgauss::tune::report {

namespace {

using test::content_of;
using test::made_up_results;
using test::MadeUp;
using test::TemporaryFolder;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Verdict verdict_on(const std::vector<Results>& results) {
  const auto data = elimination_data(results);
  REQUIRE(data.size() == 1);
  return verdict_of(data.front());
}

std::string page_of(const std::vector<Results>& results) {
  Illustrator illustrator;
  return page(results, "A <title> & \"more\"", illustrator);
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

/// 1012 + 1 is prime; 500 + 1 is not.
const std::vector<MadeUp> kRuleHolds{{500, "driver", 0, 12},  {500, "lcm", 192, 10.2},
                                     {500, "fixed", 256, 10}, {1012, "driver", 0, 4000},
                                     {1012, "lcm", 192, 50},  {1012, "fixed", 256, 80}};

}  // namespace

TEST_CASE("text cannot become markup") {
  CHECK(escape("<a href='x'>&\"") == "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
  CHECK(paragraph("use `--local <1>` here") == "<p>use <code>--local &lt;1&gt;</code> here</p>\n");
  const std::string table = html(Table{"<c>", {"<h>"}, {{"<1>", "<2>"}}, true});
  CHECK_FALSE(contains(table, "<c>"));
  CHECK(contains(table, "<td>&lt;2&gt;</td>"));
  CHECK(html(Table{"empty", {"x"}, {}, true}).empty());
}

TEST_CASE("the verdict where the rule holds") {
  const Verdict verdict = verdict_on({made_up_results("rules", kRuleHolds)});
  CHECK(verdict.rule_local == 192);
  CHECK(verdict.rule_sizes == 2);
  CHECK(verdict.rule_ties == 2);  // 2 % slower, but times scatter by 10 %
  CHECK(verdict.rule->ratio.median == doctest::Approx(1.02));
  CHECK(verdict.rule->n == 500);
  CHECK_FALSE(verdict.rule_is_largest());
  CHECK(verdict.small_divisor.slower == 0);
  CHECK(verdict.other.slower ==
        1);  // 1013 is prime, but below the limit of 1024: its divisor is large
  CHECK(verdict.other.ties == 1);
  CHECK(verdict.other.worst->ratio.median == doctest::Approx(80));
  REQUIRE(verdict.advice.size() == 1);
  CHECK(verdict.advice[0].local == "192");
  CHECK(verdict.advice[0].from == 500);
  CHECK(verdict.advice[0].to == 1012);
  const auto text = sentences(verdict);
  REQUIRE(text.size() == 4);
  CHECK(contains(text[0], "cannot be judged: only 2 n"));
  CHECK(contains(
      text[1],
      "At 2 of the 2 n timed it is the best or statistically tied with the best: the rule holds"));
  CHECK(contains(text[2], "at worst it takes 80 [65.5, 97.8] times as long (n = 1012)"));
  CHECK(contains(text[3],
                 "`--local 192` for n = 500 to 1012 (worth 1.18 [0.963, 1.44] (n = 500) to 80"));
}

TEST_CASE("tables of the elimination have the rate of the best where its operations are known") {
  auto known = made_up_results("rules", {{500, "lcm", 192, 10.2}, {500, "fixed", 256, 10}});
  const auto rates = [](const Results& results) {
    const auto data = elimination_data({results});
    REQUIRE(data.size() == 1);
    return rules_table(data.front().rules, {}).rows.at(0).at(2);
  };
  CHECK(rates(known) == "-");
  for (Row& row : known.rows) row.work = 5e9;
  CHECK(rates(known) == "500");
}

TEST_CASE("a kernel's tables have the rates that are known, each of its own launch") {
  ExperimentInfo info = test::made_up_experiment(std::string(kKernelExperiment));
  std::vector<Row> rows;
  const auto add = [&](const std::string& parameters, double work, double ms) {
    Row row = row_for(info);
    row.rule = "fixed";
    row.part = kFinalPart;
    row.parameters = parameters;
    row.work = work;
    for (const Row& one : rows_of(row, {Status::ok, "", {ms * 1e6, ms * 1e6, ms * 1e6}}))
      rows.push_back(one);
  };
  add("TILE=8", 2e9, 1);
  add("TILE=16", 0, 4);
  const Table table = kernel_tables(group_rows(rows)).front();
  REQUIRE(table.rows.size() == 2);
  CHECK(table.columns.at(3) == "Gflop/s");
  CHECK(std::ranges::find(table.columns, "GB/s") == table.columns.end());
  CHECK(table.rows[0].at(3) == "2000");
  CHECK(table.rows[1].at(3) == "-");
  for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
}

TEST_CASE("what only noise keeps from being told apart does not hold") {
  auto wide = made_up_results("rules", {{500, "lcm", 192, 10.2}, {500, "fixed", 256, 10}});
  for (Row& row : wide.rows)
    if (row.rule == "lcm" && row.repetition == 2) row.time_ns = 30e6;
  CHECK(contains(sentences(verdict_on({wide}))[0], "whether the rule holds cannot be decided"));
  CHECK(contains(page_of({wide}), "<td>cannot be distinguished from noise</td>"));
}

TEST_CASE("the verdict where the rule fails, and one size for all n") {
  const Verdict verdict = verdict_on({made_up_results("rules", {{500, "driver", 0, 20},
                                                                {500, "lcm", 192, 30},
                                                                {500, "fixed", 64, 10},
                                                                {500, "fixed", 512, 11},
                                                                {2000, "lcm", 192, 100},
                                                                {2000, "fixed", 64, 99},
                                                                {2000, "fixed", 512, 150}})});
  CHECK(verdict.rule_ties == 1);
  CHECK(verdict.rule->ratio.median == doctest::Approx(3));
  CHECK(verdict.rule_best == "64");
  REQUIRE(verdict.advice.size() == 1);
  CHECK(verdict.advice[0].local == "64");
  CHECK(verdict.advice[0].from == 500);
  CHECK(verdict.advice[0].to == 2000);
  CHECK(verdict.advice[0].most->n == 500);
  const auto text = sentences(verdict);
  CHECK(contains(text[1], "does not hold"));
  CHECK(contains(text[1], "At 1 of the 2 n"));
  CHECK(text.size() == 4);  // on the rule, the driver and what to use, but nothing for any n
  CHECK(contains(text[3], "worth 2 [1.64, 2.44] times the driver's own"));
}

TEST_CASE(
    "advice names the n where a size stops being the best, and agrees with what auto stores") {
  std::vector<MadeUp> points;
  for (const std::size_t n : {1000, 2000, 4000, 8000}) {
    const double ms = static_cast<double>(n);
    points.push_back({n, "lcm", 1024, n == 1000 ? ms : 1.5 * ms});
    points.push_back({n, "fixed", 512, n == 1000 ? 1.5 * ms : ms});
    points.push_back({n, "driver", 0, 2 * ms});
  }
  const auto verdict = verdict_on({made_up_results("rules", points)});
  REQUIRE(verdict.advice.size() == 2);
  CHECK(verdict.advice[0].local == "1024");
  CHECK(verdict.advice[0].to == 1000);
  CHECK(verdict.advice[1].local == "512");
  CHECK(verdict.advice[1].from == 2000);
  CHECK(verdict.advice[1].count == 3);
  CHECK(verdict.advice[1].most->ratio.median == doctest::Approx(2));
  CHECK(verdict.rule_is_largest());
}

TEST_CASE(
    "one group over the whole range is one choice by whatever size, and what was not timed is no "
    "objection") {
  Results results =
      made_up_results("sweep", {{500, "fixed", 512, 10},
                                {500, "fixed", 64, 20},
                                {800, "fixed", 832, 20},
                                {800, "fixed", 64, 40},
                                {900, "fixed", 128, 30},  // and nothing of 901 and more
                                {900, "fixed", 64, 31},
                                {1000, "fixed", 1024, 30},
                                {1000, "fixed", 64, 60},
                                {2000, "fixed", 1024, 100},
                                {2000, "fixed", 64, 50}});
  for (Row& row : results.rows) row.group = std::min(row.local, row.n + 1);
  const auto verdict = verdict_on({results});
  REQUIRE(verdict.advice.size() == 2);
  CHECK(verdict.advice[0].local == "1024");
  CHECK(verdict.advice[0].from == 500);
  CHECK(verdict.advice[0].to == 1000);
  CHECK(verdict.advice[0].count == 3);
  CHECK(verdict.advice[1].local == "64");
  CHECK(verdict.advice[1].from == 2000);
}

TEST_CASE("the driver is judged by the largest divisor of n + 1, not by primes") {
  // 2006 = 2 * 17 * 59: 118; 2002 + 1 = 2003 is prime; 2026 = 2 * 1013: 1013; 4006 = 2 * 2003: 2
  const auto outliers = made_up_results("outliers", {{2002, "driver", 0, 900},
                                                     {2002, "lcm", 192, 10},
                                                     {2005, "driver", 0, 9},
                                                     {2005, "lcm", 192, 10},
                                                     {2025, "driver", 0, 5},
                                                     {2025, "lcm", 192, 10},
                                                     {4005, "driver", 0, 800},
                                                     {4005, "lcm", 192, 10}});
  const Verdict verdict = verdict_on({outliers});
  CHECK(verdict.small_divisor.slower == 2);
  CHECK(verdict.small_divisor.worst->n == 2002);
  CHECK(verdict.other.faster == 1);  // 9 against 10 is within the scatter of 10 %
  CHECK(verdict.other.ties == 1);
  const auto data = elimination_data({outliers}).front();
  const Table distribution = distribution_table(data.outliers, 1024);
  REQUIRE(distribution.rows.size() == 5);
  CHECK(distribution.rows[0][1] == "4");
  CHECK(distribution.rows[1][0] == "n + 1 prime");
  CHECK(distribution.rows[1][1] == "1");
  CHECK(distribution.rows[3][0] == "divisor below 32");
  CHECK(distribution.rows[3][4] == "2");
  const Table lines = outliers_table(data.outliers, 1024);
  REQUIRE(lines.rows.size() == 4);
  CHECK(lines.rows[0][1] == "prime");
  CHECK(lines.rows[3][1].empty());
  CHECK(lines.rows[3][2] == "2");
  CHECK(contains(page_of({outliers}), "1 of 1 primes, 1 of 3 others"));
}

TEST_CASE(
    "nothing is advised that is slower than the driver's own, and that only where it is safe") {
  const auto rules = made_up_results(
      "rules", {{1000, "driver", 0, 5}, {1000, "lcm", 192, 10}, {1000, "fixed", 64, 20}});
  CHECK(verdict_on({rules}).advice.empty());  // a prime near 1000 is above the limit
  CHECK(verdict_on({rules}).driver_best == std::vector<std::size_t>{1000});
  const auto small = made_up_results(
      "rules", {{500, "driver", 0, 5}, {500, "lcm", 192, 10}, {500, "fixed", 64, 20}});
  CHECK(verdict_on({small}).advice.front().local == "driver");
  const auto tie = made_up_results(
      "rules", {{1000, "driver", 0, 9.5}, {1000, "lcm", 192, 10}, {1000, "fixed", 64, 20}});
  CHECK(verdict_on({tie}).advice.front().local == "192");
  CHECK(contains(sentences(verdict_on({tie})).back(), "no different from the driver's own"));

  auto slow = made_up_results("outliers", {{1018, "driver", 0, 0}, {1018, "lcm", 192, 10}});
  slow.rows.front().status = Status::timeout;
  const Verdict verdict = verdict_on({rules, slow});
  CHECK(contains(sentences(verdict)[2], "too long to be timed at 1 n, first at n = 1018"));
}

namespace {

/// The rows of `n` where the driver takes `driver_ms`, the best size in two launches `two_ms`, in
/// one `one_ms`, and what fits `fit_ms`.
void add_design(Results& results, std::size_t n, double driver_ms, double two_ms, double one_ms,
                double fit_ms) {
  const auto more = made_up_results("rules", {{n, "driver", 0, driver_ms},
                                              {n, "fixed", 256, two_ms},
                                              {n, "fixed", 256, one_ms},
                                              {n, "fit", 500, fit_ms}});
  std::size_t at = 0;
  for (Row row : more.rows) {
    const std::size_t point = at++ / 3;  // of three repetitions each
    if (point >= 2) row.parameters = "SPLIT=round_up";
    results.rows.push_back(row);
    results.info = more.info;
  }
}

}  // namespace

TEST_CASE("the best launch is advised, size and way, and never what its own table refutes") {
  Results results;
  add_design(results, 1030, 100, 100, 20, 60);
  add_design(results, 1040, 90, 95, 21, 60);
  add_design(results, 1050, 90, 95, 22, 60);
  const Verdict verdict = verdict_on({results});
  REQUIRE(verdict.choice.has_value());
  CHECK(verdict.choice->choice == "256 --split round_up");
  CHECK(verdict.choice->count == 3);
  CHECK(verdict.choice->gain == doctest::Approx(90 / 21.0));
  CHECK(verdict.choice->worst_gain.n == 1050);
  CHECK(verdict.choice->loss == 1);
  CHECK(verdict.fit->loss == doctest::Approx(60 / 21.0));
  CHECK(advice_words(verdict) == "`--local 256 --split round_up`");
  CHECK(verdict.advice.front().local == "256 --split round_up");
  CHECK(contains(sentences(verdict)[0], "Use `--local 256 --split round_up`. Over 3 n"));
  CHECK(verdict.rounded_up.faster == 3);
}

TEST_CASE("what fits is advised where it is as good, and what loses to the driver's own is not") {
  Results alike, loses;
  for (const std::size_t n : {1030, 1040, 1050}) {
    add_design(alike, n, 90, 95, 60, 61);
    add_design(loses, n, 90, 95, n == 1040 ? 150 : 20, 60);  // 256 rounded up: best but at one n
  }
  CHECK(verdict_on({alike}).choice->choice == "fit");
  const Verdict verdict = verdict_on({loses});
  CHECK(verdict.choice->choice == "fit");
  CHECK(verdict.choice->slower == 0);
  CHECK(verdict.choice->worst_loss.ratio.median == doctest::Approx(3));
}

TEST_CASE("the first screen says what to do, what it is worth over NULL, and why") {
  Results results;
  add_design(results, 1030, 100, 100, 20, 60);
  add_design(results, 1040, 90, 95, 21, 60);
  add_design(results, 1050, 90, 95, 22, 60);
  for (Row& row : results.rows)
    if (row.rule == "driver" && row.n == 1030) row.chosen = "1x1";
  const Table table = devices_table(overviews(by_device({results})));
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0][2] == "--local 256 --split round_up");
  CHECK(table.rows[0][3] == "4.29");  // 90 / 21
  CHECK(table.rows[0][4].starts_with("4.09 ["));
  CHECK(table.rows[0][6].starts_with("at n = 1030 the driver makes groups of 1x1"));
  const std::string page = page_of({results});
  CHECK(contains(page, "id=\"launches\""));
  CHECK(contains(page, "cl::NDRange((columns + local - 1) / local * local, rows)"));
  CHECK(page.find("id=\"launches\"") < page.find("The source and this device"));
}

TEST_CASE("a noisy machine and rows of an older design are said before anything else") {
  Results noisy;
  add_design(noisy, 1030, 100, 100, 20, 60);
  CHECK(cautions({noisy}).size() == 1);  // without rounds
  for (Row& row : noisy.rows) row.round = row.repetition + 1;
  CHECK(cautions({noisy}).empty());
  noisy.info.busy_cores = 2;
  noisy.info.host_cores = 2;
  REQUIRE(cautions({noisy}).size() == 1);
  CHECK(contains(cautions({noisy})[0], "up to 2 cores busy when 1 of 1 experiments began"));
  CHECK(contains(markdown({noisy}, "t"), "> Noisy machine. Other programs"));
  CHECK(contains(page_of({noisy}), "<div class=\"noise\">"));
}

TEST_CASE("an experiment that its budget ended says how much of it there is") {
  Results cut = made_up_results("rules", kRuleHolds);
  cut.folder = "results/outliers";
  for (Row& row : cut.rows) row.round = row.repetition + 1;
  const auto with = [&](const std::string& sizes) {
    cut.info.command = "clgauss-tune outliers --sizes " + sizes + " --budget 9s -o x";
    return cautions({cut});
  };
  REQUIRE(with("100:900:100,1012").size() == 1);
  CHECK(with("100:900:100,1012")[0] == "Ended by the time budget: outliers (2 of 10 n).");
  CHECK(with("500,1012").empty());
  CHECK(with("500:501").empty());
  CHECK(with("nonsense").empty());

  Results walks =
      made_up_results("bandwidth", {{100, "", 64, 1}, {100, "", 128, 1}, {100, "", 8, 1}});
  walks.folder = "results/bandwidth";
  walks.info.kernel = "";
  for (Row& row : walks.rows) row.kernel = "sum_rows";
  walks.info.command = "clgauss-tune reproduce all --budget 9s -o x";
  REQUIRE(cautions({walks}).size() == 1);
  CHECK(cautions({walks})[0] == "Ended by the time budget: bandwidth (2 of 497 group sizes).");
  walks.info.command = "clgauss-tune reproduce bandwidth --local 8,64,128 --budget 9s -o x";
  CHECK(cautions({walks}).empty());
  walks.info.command = "clgauss-tune reproduce bandwidth -o x";
  CHECK(cautions({walks}).empty());
}

TEST_CASE("where nothing is as fast as the driver's own, that is what is advised") {
  Results results;
  for (const std::size_t n : {100, 200, 300}) add_design(results, n, 90, 100, 97, 95);
  const Verdict verdict = verdict_on({results});  // 5 %, where times scatter by 10 %
  REQUIRE(verdict.choice.has_value());
  CHECK(verdict.choice->choice == "driver");
  CHECK(verdict.choice->gain == 1);
  CHECK(contains(sentences(verdict)[0], "Use `--local driver`. Over 3 n it is 1 times as fast"));
}

TEST_CASE("few n, partial rows and a noisy machine are no ground for advice") {
  Results few, noisy, partial;
  add_design(few, 1030, 90, 95, 60, 61);
  CHECK_FALSE(verdict_on({few}).choice.has_value());
  CHECK(contains(sentences(verdict_on({few}))[0], "cannot be judged: only 1 n"));
  for (const std::size_t n : {1030, 1040, 1050}) {
    add_design(noisy, n, 90, 95, 20, 60);
    const auto control = made_up_results("rules", {{n, "control", 256, 140}});
    noisy.rows.insert(noisy.rows.end(), control.rows.begin(), control.rows.end());
    add_design(partial, n, 90, 95, n == 1040 ? 0 : 20, 60);  // 256 rounded up is missing at one
  }
  const Verdict verdict = verdict_on({noisy});
  CHECK(verdict.noise == doctest::Approx(140 / 95.0 - 1));
  CHECK_FALSE(verdict.choice.has_value());
  CHECK(contains(sentences(verdict)[0], "cannot be judged: equal launches differ by 47 %"));
  CHECK(verdict_on({partial}).choice->choice == "fit");
}

TEST_CASE("the page as Markdown has the same verdict and tables, and nothing in them is markup") {
  const std::string text = markdown({made_up_results("rules", kRuleHolds)}, "T | <b>");
  CHECK(contains(text, "# T \\| \\<b>"));
  CHECK(contains(text, "the rule holds"));
  CHECK(contains(text, "| 500 | 10 [9, 11] |"));
  CHECK(contains(text, "clgauss-tune rules <x>"));
  CHECK_THROWS_AS(markdown({made_up_results("rules", {})}, "t"), FileError);
}

TEST_CASE("the rule's size comes from the device where no row has it") {
  const auto sweep = made_up_results("sweep", {{100, "fixed", 64, 2}, {100, "fixed", 192, 1}});
  const Verdict verdict = verdict_on({sweep});
  CHECK(verdict.rule_local == 192);
  CHECK(verdict.rule_ties == 1);
  const auto alone = made_up_results("sweep", {{100, "fixed", 64, 2}});
  CHECK(contains(sentences(verdict_on({alone})).front(), "do not say"));
}

TEST_CASE(
    "two ranges of n become two figures, and no figure has more curves than can be told apart") {
  std::vector<MadeUp> points;
  for (const std::size_t n : {1000, 1001, 1002, 8000, 8001})
    for (const char* rule : {"driver", "lcm"})
      points.push_back({n, rule, std::string(rule) == "lcm" ? 192U : 0U, 1});
  std::vector<MadeUp> sweep;
  for (std::size_t n = 1000; n < 1030; ++n)
    for (const std::size_t local : {64, 128, 192}) sweep.push_back({n, "fixed", local, 1});
  const auto data =
      elimination_data({made_up_results("outliers", points), made_up_results("sweep", sweep)});
  const auto figures = outliers_figures(data.front());
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].series[0].x == std::vector<double>{1000, 1001, 1002});
  CHECK(contains(figures[1].title, "8000 to 8001"));
  const auto fig5 = sweep_figure(data.front(), 5), fig6 = sweep_figure(data.front(), 6);
  REQUIRE(fig5.has_value());
  CHECK(fig5->series.size() == 11);  // 10 curves and the rings
  CHECK(contains(fig5->caption, "10 of 30 n are drawn"));
  CHECK(fig6->series.front().x == std::vector<double>{128, 192});
  CHECK_FALSE(sweep_figure(data.front(), 3).has_value());
}

TEST_CASE("the source's own times stand beside those of the n that it has") {
  const auto data = elimination_data({made_up_results("sweep", {{999, "fixed", 64, 2},
                                                                {999, "fixed", 192, 1},
                                                                {1000, "fixed", 1, 90},
                                                                {1000, "fixed", 64, 3},
                                                                {1000, "fixed", 256, 2}})});
  CHECK_FALSE(published_figure(data.front(), false).has_value());
  const auto figure = published_figure(data.front(), true);
  REQUIRE(figure.has_value());
  REQUIRE(figure->series.size() == 2);
  CHECK(figure->series[0].x == std::vector<double>{64, 256});
  CHECK(figure->series[0].y == std::vector<double>{1.5, 1});
  const Series& theirs = figure->series[1];
  CHECK(contains(theirs.label, "GeForce GT 555M"));
  REQUIRE(std::ranges::count(theirs.x, 256) == 1);
  const auto at = std::ranges::find(theirs.x, 256) - theirs.x.begin();
  CHECK(theirs.y[static_cast<std::size_t>(at)] == 1);  // their best at n = 1000, not 192
  CHECK(std::ranges::min(theirs.x) == 32);
}

TEST_CASE("a drawing tells every value with its interval and unit, and nothing in it is markup") {
  Figure figure{
      "demo", "It's <b>", "<i>", {.label = "n"}, {.label = "time", .unit = "ms", .log = true}};
  figure.series = {
      {"it's <s>", Style::line_points, {1, 2, 3}, {10, -1, 30}, {9, -1, 28}, {11, 1, 33}},
      {"none", Style::points}};
  figure.marks = {{"a <mark>", 2}};
  const std::string drawn = svg(figure);
  CHECK(contains(drawn, "<title>n = 1\nit&#39;s &lt;s&gt;: 10 [9, 11] ms</title>"));
  CHECK(count_of(drawn, "class=\"v\"") == 2);  // -1 has no place on a logarithmic axis
  CHECK(contains(drawn, "data-key=\"m0\""));
  CHECK(contains(drawn, "data-s=\"1\""));
  CHECK(contains(drawn, "a &lt;mark&gt;</text>"));
  CHECK(contains(drawn, ">time, ms</text>"));
  CHECK_FALSE(contains(drawn, "nan"));

  Illustrator illustrator;
  const std::string first = illustrator.draw(figure), second = illustrator.draw(figure);
  CHECK(contains(second, "id=\"demo-2\""));
  CHECK(contains(first, "<strong>It&#39;s &lt;b&gt;.</strong> &lt;i&gt;"));
  CHECK(contains(first, "<td>30 [28, 33]</td>"));
  CHECK(Illustrator(false).draw(figure).empty());

  figure.series[0].low.pop_back();
  CHECK_THROWS_AS(static_cast<void>(illustrator.draw(figure)), UsageError);
  figure.name = "../x";
  CHECK_THROWS_AS(static_cast<void>(illustrator.draw(figure)), UsageError);
}

TEST_CASE("a drawing has every style, and categories as rows") {
  for (const bool log : {false, true})
    for (const Style style : {Style::line, Style::line_points, Style::points, Style::rings}) {
      Figure figure{"style", "t", "c", {.label = "x", .log = log}, {.label = "y", .log = log}};
      figure.series = {{"a", style, {1, 2}, {10, 3000}, {9, 2000}, {11, 4000}},
                       {"b", style, {1, 2}, {5, 6}},
                       {"c", style, {1}, {0.001}, {0.001}, {0.001}}};
      const std::string drawn = svg(figure);
      CHECK(count_of(drawn, "<title>") == 5);
      CHECK(contains(drawn, "<title>x 1\nc: 0.001</title>"));
      CHECK(contains(drawn, "class=\"band\"") == (style == Style::line));
      figure.rows = {"nought", "one <1>", "two"};
      CHECK(contains(svg(figure), "<title>one &lt;1&gt;\nb: 5</title>"));
    }
  Figure empty{"empty", "t", "c", {.label = "x"}, {.label = "y"}};
  CHECK(contains(svg(empty), "</svg>"));
  empty.series = {{"one", Style::line, {1e17}, {1e17}, {1e17}, {1e17}}};
  CHECK(contains(svg(empty), "<title>x 1e+17\none: 1e+17</title>"));
}

TEST_CASE("the ticks of a drawing have room, whatever the range") {
  for (const bool log : {false, true})
    for (const double low : {1e-6, 0.9, 1000.0, 123456.0})
      for (const double span : {1.001, 1.5, 7.0, 300.0, 1e6}) {
        CAPTURE(log);
        CAPTURE(low);
        CAPTURE(span);
        const Figure figure{"t",
                            "t",
                            "c",
                            {.label = "x", .log = log},
                            {.label = "y", .log = log},
                            {{"s", Style::points, {low, low * span}, {low, low * span}}}};
        const std::size_t ticks = count_of(svg(figure), "class=\"tick\"");
        CHECK(ticks >= 3);
        CHECK(ticks <= 24);
      }
}

TEST_CASE("the first screen says for each device what the size is worth and what to use") {
  const std::vector<MadeUp> sweep{{100, "fixed", 32, 40}, {100, "fixed", 64, 10}};
  const std::vector<MadeUp> rules{{100, "driver", 0, 30}, {100, "lcm", 192, 20},
                                  {100, "fixed", 64, 10}, {200, "driver", 0, 20},
                                  {200, "lcm", 192, 20},  {200, "fixed", 64, 10}};
  const std::string text =
      page_of({made_up_results("rules", rules), made_up_results("sweep", sweep),
               made_up_results("rules", rules, "Other"), made_up_results("sweep", sweep, "Other")});
  const std::string first = text.substr(0, text.find("<article class=\"device\">"));
  CHECK(count_of(first, "<article class=\"card\">") == 2);
  CHECK(contains(first, "Use <code>--local 64</code> for n = 100 to 200."));
  CHECK(contains(first,
                 "<strong>2.5 times</strong> the speed, in the median of 2 n; at most 3 [2.45, "
                 "3.67] times (n&nbsp;=&nbsp;100)"));
  CHECK(contains(first, "<strong>2 times</strong>"));
  CHECK(contains(first, "id=\"devices-sizes\""));
  CHECK(contains(first, "id=\"devices-driver\""));
  CHECK(contains(first, "<td>--local 64 for n = 100 to 200</td><td>-</td>"));
  CHECK(contains(first, "cannot be judged for all n: few n, or too noisy"));
  CHECK(contains(first, "href=\"#device-2\""));
  CHECK(contains(text, "<h2 id=\"device-2\">Other</h2>"));
}

TEST_CASE("a run against a run: what is faster, the same and slower, and what is not in both") {
  const Run earlier{"old",
                    {made_up_results("sweep", {{100, "fixed", 32, 40},
                                               {100, "fixed", 64, 10},
                                               {100, "fixed", 128, 10},
                                               {100, "fixed", 256, 1}})}};
  Run later{"<new>",
            {made_up_results("sweep", {{100, "fixed", 32, 10},
                                       {100, "fixed", 64, 11},
                                       {100, "fixed", 128, 90},
                                       {100, "fixed", 512, 1}})}};
  for (Row& row : later.results[0].rows) row.driver = "2.0";
  later.results[0].info.device.driver_version = "2.0";
  Illustrator illustrator;
  const std::string text = comparison_page(earlier, later, "t", illustrator);
  CHECK(contains(text,
                 "Of 3 configurations that both runs timed the later run is faster at 1, the same "
                 "at 1, slower at 1"));
  CHECK(contains(text, "driver 1.0; later: GeForce GT 555M, driver 2.0"));
  CHECK(contains(text, "later: &lt;new&gt;"));
  CHECK(text.rfind("gauss_fwd, n = 100, size 128</th>") <
        text.rfind("gauss_fwd, n = 100, size 32</th>"));  // in the table x 9 before x 1/4
  CHECK(contains(text, "id=\"changes\""));
  const std::string table = comparison_markdown(earlier, later, "t");
  CHECK(contains(table, "| gauss\\_fwd, n = 100, size 128 |"));
  CHECK_FALSE(contains(table, "size 64 |"));  // a tie

  // Two rules that come to one launch share its times.
  const Run shared{"shared",
                   {made_up_results("rules", {{100, "lcm", 64, 10}, {100, "192", 64, 10}})}};
  CHECK(contains(comparison_markdown(shared, shared, "t"), "Of 1 configuration that"));

  const Run other{"other", {made_up_results("rules", kRuleHolds)}};
  CHECK_THROWS_AS(static_cast<void>(comparison_markdown(earlier, other, "t")), FileError);
  // Of several devices only those of one name are compared.
  const Run two{"two",
                {made_up_results("sweep", {{100, "fixed", 32, 40}}, "A"),
                 made_up_results("sweep", {{100, "fixed", 32, 40}}, "B")}};
  CHECK(comparison_sections(two, two, illustrator).size() == 2);
  CHECK_THROWS_AS(static_cast<void>(comparison_markdown(two, later, "t")), FileError);
}

TEST_CASE("the page has a part for each device and a figure for each kind of rows") {
  const auto rules = made_up_results("rules", kRuleHolds);
  const auto sweep = made_up_results("sweep",
                                     {{100, "fixed", 1, 90},
                                      {100, "fixed", 64, 2},
                                      {100, "fixed", 192, 1},
                                      {100, "fixed", 2048, 0}},
                                     "Other <device>");
  const std::string only_rules = page_of({rules}), both = page_of({rules, sweep});
  CHECK(contains(both, "A &lt;title&gt; &amp; &quot;more&quot;"));
  CHECK(contains(both, "<h2 id=\"device-1\">GeForce GT 555M</h2>"));
  CHECK(contains(both, "<h2 id=\"device-2\">Other &lt;device&gt;</h2>"));
  CHECK(contains(both, "id=\"fig3\""));
  CHECK(contains(both, "id=\"fig4\""));
  for (const char* absent : {"id=\"fig2\"", "id=\"fig5\"", "id=\"fig6\""})
    CHECK_FALSE(contains(both, absent));
  CHECK(contains(both, "device_limit"));
  CHECK(contains(both, "larger than &lt;the limit&gt;"));
  CHECK(contains(both, "clgauss-tune sweep &lt;x&gt;"));
  CHECK(contains(both, "2026-01-02"));
  for (const char* elsewhere : {"<script src", "<link", "url(", "@import", "href=\"http"})
    CHECK_FALSE(contains(both, elsewhere));
  CHECK_FALSE(contains(only_rules, "fig3"));
  CHECK_FALSE(contains(only_rules, "Tried, without a time"));
  CHECK(both == page_of({rules, sweep}));
}

TEST_CASE("rows of several devices in one folder are told apart, and no rows are no report") {
  auto mixed = made_up_results("rules", kRuleHolds);
  const auto other = made_up_results("rules", kRuleHolds, "second");
  mixed.rows.insert(mixed.rows.end(), other.rows.begin(), other.rows.end());
  const auto devices = by_device({mixed});
  REQUIRE(devices.size() == 2);
  CHECK(devices[1].front().info.device.name == "second");
  CHECK(devices[1].front().info.device.compute_units == 0);  // unknown: the folder is the first's
  CHECK(contains(page_of({mixed}), "<h2 id=\"device-2\">second</h2>"));
  CHECK_THROWS_AS(page_of({made_up_results("rules", {})}), FileError);
}

}  // namespace clgauss::tune::report
