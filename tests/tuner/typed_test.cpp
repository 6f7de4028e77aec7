#include <doctest/doctest.h>
#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <limits>

#include "command_line/typed.hpp"

namespace clgauss::cli {

using Sizes = std::vector<std::size_t>;

TEST_CASE("typed: lists of sizes") {
  CHECK(parse_sizes("local", "1,32,64,128:320:64") == Sizes{1, 32, 64, 128, 192, 256, 320});
  CHECK(parse_sizes("local", "5:7") == Sizes{5, 6, 7});
  CHECK(parse_sizes("local", "9,3,9") == Sizes{3, 9});
  constexpr std::size_t kLargest = std::numeric_limits<std::size_t>::max();
  CHECK(parse_sizes("local", fmt::format("{}", kLargest)) == Sizes{kLargest});
  for (const char* text : {"", "0", "a", "3:1", "1:9:0", "1,,2", "1:2:3:4", "-1", "1:1000000", "5,",
                           "1:", ":", "18446744073709551616"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS((void)parse_sizes("local", text), doctest::Contains("--local"),
                         UsageError);
  }
}

TEST_CASE("typed: lists of counts and words keep their order") {
  CHECK(parse_counts("evaluations", "25,10,25") == Sizes{25, 10, 25});
  CHECK(parse_counts("evaluations", "1000000000") == Sizes{1'000'000'000});
  for (const char* text : {"", "0", "1,", "1:3", "1000000001", "-1", "2x"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)parse_counts("evaluations", text), UsageError);
  }
  CHECK(parse_list("b,a") == std::vector<std::string>{"b", "a"});
  CHECK_THROWS_AS((void)parse_list("a,,b"), UsageError);
}

TEST_CASE("typed: times as people write them") {
  CHECK(parse_duration("90").count() == 90);
  CHECK(parse_duration("60s").count() == 60);
  CHECK(parse_duration("1.5min").count() == 90);
  CHECK(parse_duration("2h").count() == 7200);
  CHECK(parse_duration("250ms").count() == doctest::Approx(0.25));
  for (const char* text :
       {"", "s", "0", "-1", "-1s", "0s", "1 s", "1m", "5d", "nan", "inf", "1e3", "1s2", "abc"}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)parse_duration(text), UsageError);
  }
}

}  // namespace clgauss::cli
