#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

#include "tuner/measure/estimate.hpp"

namespace clgauss::tune {

namespace {

/// Times of a run that takes 1, with a tail to the right as wall clocks have it.
std::vector<double> planted(std::size_t count, double median, double spread, unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> of(std::log(median), spread);
  std::vector<double> times(count);
  for (double& time : times) time = of(random);
  return times;
}

}  // namespace

TEST_CASE("the interval of a median holds the planted one in about 95 of 100 samples") {
  for (const std::size_t count : {7, 9, 15, 41}) {
    int held = 0;
    double width = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
      const auto times = planted(count, 3, 0.1, seed + 1);
      const Estimate estimated = estimate(times);
      held += estimated.low <= 3 && 3 <= estimated.high;
      width += (estimated.high - estimated.low) / 400;
      CHECK(estimated.low <= estimated.median);
      CHECK(estimated.median <= estimated.high);
    }
    CAPTURE(count);
    CHECK(held >= 360);
    if (count == 7) continue;  // the whole range: 98.4 of 100
    CHECK(held <= 396);        // an interval that always holds would be too wide
    CHECK(width <
          1.7 / std::sqrt(count));  // 3 * 0.1 * 1.2533 * 2 * 1.96 = 1.47, more for few samples
  }
}

TEST_CASE("few samples have their whole range, one is a single run, none is refused") {
  const std::vector<double> three{3, 1, 2}, one{5}, none;
  const Estimate estimated = estimate(three);
  CHECK(estimated.median == 2);
  CHECK(estimated.low == 1);
  CHECK(estimated.high == 3);
  CHECK_FALSE(estimated.single());
  CHECK(estimate(one).single());
  CHECK(text_of(estimate(one)) == "5 (single run)");
  CHECK(text_of(estimated, 0.5) == "4 [2, 6]");
  CHECK_THROWS_AS(static_cast<void>(estimate(none)), UsageError);
}

TEST_CASE("numbers are written with so many significant digits, and without exponents") {
  CHECK(significant(0.0123456, 3) == "0.0123");
  CHECK(significant(12.3456, 3) == "12.3");
  CHECK(significant(999.7, 3) == "1000");
  CHECK(significant(41723, 3) == "41700");
  CHECK(significant(-41773, 3) == "-41800");
  CHECK(significant(2.5e8, 3) == "2.5e+08");
  CHECK(significant(std::numeric_limits<double>::infinity(), 3) == "inf");
  CHECK(text_of(Estimate{41723, 40000, 43210.5, 5}, 1, 3) == "41700 [40000, 43200]");
}

TEST_CASE("identical launches are a tie, planted differences are told, whatever their order") {
  int told = 0, wrong = 0, invented = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto a = planted(15, 1, 0.03, 3 * seed), same = planted(15, 1, 0.03, 3 * seed + 1),
               slower = planted(15, 1.2, 0.03, 3 * seed + 2);
    const double floor = noise_floor(a, same);
    told +=
        order_of(slower, a, floor) == Order::slower && order_of(a, slower, floor) == Order::faster;
    wrong += order_of(slower, a, floor) == Order::faster;
    invented += order_of(a, same, floor) != Order::tie;
  }
  CHECK(told >= 190);
  CHECK(wrong == 0);
  CHECK(invented == 0);  // the floor is the very difference of the two
}

TEST_CASE("the sign test's interval holds a median as often as it says") {
  CHECK(median_interval(5, 0.05).coverage == doctest::Approx(1 - 2 / 32.0));  // too few for 95 %
  CHECK(median_interval(6, 0.05).coverage == doctest::Approx(1 - 2 / 64.0));
  CHECK(median_interval(9, 0.05).rank == 1);
  CHECK(median_interval(9, 0.05).coverage == doctest::Approx(1 - 20 / 512.0));
  CHECK(median_interval(20, 0.05).rank == 5);  // from the 6th to the 15th, 95.9 %
  CHECK(median_interval(20, 0.05).coverage == doctest::Approx(0.9586).epsilon(1e-3));
  CHECK(median_interval(0, 0.05).coverage == 0);
}

namespace {

/// Rounds first .. first + count - 1.
std::vector<std::size_t> numbers(std::size_t first, std::size_t count) {
  std::vector<std::size_t> rounds(count);
  std::iota(rounds.begin(), rounds.end(), first);
  return rounds;
}

}  // namespace

TEST_CASE("rounds are compared as pairs: what a machine did in a round counts for both") {
  std::vector<double> a, b;
  for (const double load : {1.0, 3.0, 1.2, 9.0, 1.1, 2.0, 1.0, 5.0, 1.3, 1.0, 4.0}) {
    a.push_back(load);
    b.push_back(1.1 * load);  // 10 % slower, under a load that changes by a factor of 9
  }
  const auto rounds = numbers(1, a.size());
  const Estimate paired = paired_ratio({b, rounds}, {a, rounds});
  CHECK(paired.median == doctest::Approx(1.1));
  CHECK(paired.low == doctest::Approx(1.1));
  CHECK(order_of(paired, 0) == Order::slower);
  CHECK(order_of(ratio_of(b, a), 0) == Order::tie);  // as if they had nothing in common

  // Rounds in which one of the two is missing count for nothing.
  const auto later = numbers(4, a.size());
  CHECK(paired_ratio({b, later}, {a, rounds}).count == a.size() - 3);
  CHECK_THROWS_AS(static_cast<void>(paired_ratio({b, numbers(100, 11)}, {a, rounds})), UsageError);
}

TEST_CASE("the more is compared, the surer each must be, and too few rounds say nothing") {
  const auto rounds = numbers(1, 11);
  std::vector<double> a(11, 1.0), b(11, 1.2);
  b.front() = 0.9;  // one of 11 rounds says the contrary
  CHECK(order_of(paired_ratio({b, rounds}, {a, rounds}), 0) == Order::slower);
  CHECK(order_of(paired_ratio({b, rounds}, {a, rounds}, 40), 0) == Order::tie);
  CHECK(paired_ratio({b, rounds}, {a, rounds}, 40).low == doctest::Approx(0.9));
  CHECK(paired_ratio({b, rounds}, {a, rounds}, 100).low == 0);  // 1 - 2^-10 is not enough
  CHECK(std::isinf(paired_ratio({b, rounds}, {a, rounds}, 100).high));
}

TEST_CASE("of equal things some pair is told apart no more often than one test in twenty is") {
  // 30 that are equal: the chance that any is told from the first, by pairs and corrected.
  int any_corrected = 0, any_plain = 0;
  const auto rounds = numbers(1, 12);
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto first = planted(12, 1, 0.05, 1000 * seed);
    bool corrected = false, plain = false;
    for (unsigned other = 1; other < 30; ++other) {
      const auto times = planted(12, 1, 0.05, 1000 * seed + other);
      corrected = corrected ||
                  order_of(paired_ratio({times, rounds}, {first, rounds}, 29), 0) != Order::tie;
      plain = plain || order_of(paired_ratio({times, rounds}, {first, rounds}), 0) != Order::tie;
    }
    any_corrected += corrected;
    any_plain += plain;
  }
  CHECK(any_corrected <= 14);  // 5 %, and what 200 draws may be off
  CHECK(any_plain >= 60);      // without the correction: most of them
}

TEST_CASE("a difference below the floor is none, and NaN decides nothing") {
  const std::vector<double> a{1.00, 1.01, 1.00, 1.01, 1.00, 1.01, 1.0},
      b{1.05, 1.06, 1.05, 1.06, 1.05, 1.06, 1.05};
  CHECK(order_of(b, a, 0.0) == Order::slower);
  CHECK(order_of(b, a, 0.08) == Order::tie);
  CHECK(order_of(a, b, 0.08) == Order::tie);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(order_of(Estimate{nan, nan, nan, 9}, 0) == Order::tie);
  CHECK(order_of(Estimate{2, 1.9, 2.1, 9}, nan) == Order::tie);
  const Estimate turned = inverse({2, 1.6, 2.5, 9});
  CHECK(turned.median == doctest::Approx(0.5));
  CHECK(turned.low == doctest::Approx(0.4));
  CHECK(turned.high == doctest::Approx(0.625));
}

TEST_CASE("single runs are believed only from a factor of two on") {
  const std::vector<double> one{1}, close{1.5}, far{2.5};
  CHECK(order_of(close, one, 0) == Order::tie);
  CHECK(order_of(far, one, 0) == Order::slower);
  CHECK(order_of(one, far, 0) == Order::faster);
}

TEST_CASE("outliers, a slow first run and others' load are named") {
  auto times = planted(20, 1, 0.01, 5);
  CHECK(doubts_of(times).empty());
  times[7] = 1.8;
  REQUIRE(doubts_of(times).size() == 1);
  CHECK(doubts_of(times).front().find("1 of 20") == 0);
  times[7] = 1;
  times[0] = 3;
  REQUIRE(doubts_of(times).size() == 1);
  CHECK(doubts_of(times).front().find("first run") != std::string::npos);
  CHECK(load_doubt(0.5, 2).empty());
  CHECK_FALSE(load_doubt(1.5, 2).empty());
  CHECK(load_doubt(std::numeric_limits<double>::quiet_NaN(), 2).empty());
  const unsigned cores = std::thread::hardware_concurrency();
  CHECK(busy_cores() >= 0);
  CHECK(busy_cores() <= 1.2 * cores);
}

}  // namespace clgauss::tune
