#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <limits>
#include <numeric>
#include <random>

using namespace clgauss;

TEST_CASE("the LCM rule exceeds the cores, divides evenly and is the smallest such number") {
  for (std::size_t units = 1; units <= 12; ++units)
    for (const std::size_t cores_per_unit : {1, 8, 48, 64, 128, 192})
      for (const std::size_t multiple : {1, 8, 32, 64}) {
        const std::size_t total = units * cores_per_unit;
        const LcmRule rule = lcm_rule({total, units, multiple, 1U << 20U});
        CHECK(*rule.lcm == std::lcm(multiple, cores_per_unit));
        CHECK(*rule.raw > total);
        CHECK(*rule.raw - *rule.lcm <= total);
        CHECK(*rule.raw % multiple == 0);
        CHECK(*rule.raw % cores_per_unit == 0);
        CHECK(rule.clamped == *rule.raw);
      }
}

TEST_CASE("the LCM rule clamps to what is legal and says why") {
  const LcmRule h200 = lcm_rule({16896, 132, 32, 1024});
  CHECK(h200.raw == 17024U);
  CHECK(h200.clamped == 1024);
  CHECK(h200.reason.find("above the limit 1024") != std::string::npos);
  CHECK(lcm_rule({1536, 8, 32, 1000}).clamped == 960);  // the LCM 192 fits five times
  CHECK(lcm_rule({1536, 8, 32, 100}).clamped ==
        96);  // the LCM does not fit, the preferred multiple does
  CHECK(lcm_rule({1536, 8, 32, 20}).clamped == 20);  // neither fits
  CHECK(lcm_rule({1536, 8, 32, 1}).clamped == 1);
}

TEST_CASE("the LCM rule without known cores stays near the preferred multiple") {
  const LcmRule rule = lcm_rule({std::nullopt, 40, 64, 1024});
  CHECK_FALSE(rule.raw.has_value());
  CHECK(rule.clamped == 256);
  CHECK(rule.reason.find("unknown") != std::string::npos);
  CHECK(lcm_rule({std::nullopt, 40, 64, 100}).clamped == 64);
}

TEST_CASE("the LCM rule refuses numbers that mean nothing") {
  CHECK_THROWS_AS((void)lcm_rule({144, 0, 32, 1024}), UsageError);
  CHECK_THROWS_AS((void)lcm_rule({144, 3, 0, 1024}), UsageError);
  CHECK_THROWS_AS((void)lcm_rule({144, 3, 32, 0}), UsageError);
  CHECK_THROWS_AS((void)lcm_rule({2, 3, 32, 1024}), UsageError);
  CHECK_THROWS_AS((void)lcm_rule({0, 3, 32, 1024}), UsageError);
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  CHECK_THROWS_AS((void)lcm_rule({most, 1, 7, 1024}), UsageError);
  CHECK_THROWS_AS((void)lcm_rule({most - 1, 1, 2, 1024}), UsageError);
}

TEST_CASE("a split covers its range, main in whole groups, the remainder below one group") {
  const auto check = [](std::size_t size, std::size_t local) {
    CAPTURE(size);
    CAPTURE(local);
    const Split split = split_range(size, local);
    CHECK(split.main + split.remainder == size);
    CHECK(split.main % local == 0);
    CHECK(split.remainder < local);
  };
  for (const std::size_t size : {0, 1, 2, 191, 192, 193, 1012, 1013, 8011})
    for (const std::size_t local : {1, 2, 32, 192, 1013, 1024, 8011}) check(size, local);
  std::mt19937_64 random(20130501);
  for (int i = 0; i < 10000; ++i) check(random() % 100000, 1 + random() % 4096);
}

TEST_CASE("work-group policies are read as they are written") {
  for (const char* text : {"driver", "lcm", "1", "192"})
    CHECK(work_group_policy_name(parse_work_group_policy(text)) == text);
  for (const char* text : {"", "0", "-1", "12x", "LCM ", "1e3", "99999999999999999999999"})
    CHECK_THROWS_AS((void)parse_work_group_policy(text), UsageError);
}
