#include <doctest/doctest.h>

#include <clgauss/error.hpp>

#include "tuner/kernel/expression.hpp"

namespace clgauss::tune {

namespace {

const Variables kSizes{{"N", 7}, {"TILE", 4}, {"ProblemSize[0]", 100}};

double in_c(const char* text) { return Expression(text).value(kSizes); }
double in_python(const char* text) { return Expression(text, Dialect::python).value(kSizes); }

std::string refusal(const char* text) {
  try {
    static_cast<void>(in_c(text));
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("expressions: ranks of operators, names and functions") {
  CHECK(in_c("1 + 2*N") == 15);
  CHECK(in_c("(1+2) * N - -1") == 22);
  CHECK(in_c("10 - 4 - 3") == 3);
  CHECK(in_c("2*3**2") == 18);
  CHECK(in_c("-2**2") == -4);
  CHECK(in_c("min(N, TILE, 5) + max(1, 2)") == 6);
  CHECK(in_c("ceil_div(N, TILE)") == 2);
  CHECK(in_c("TILE*TILE <= 16 && N > 6 || 1/0") == 1);
  CHECK(in_c("!(N == 7)") == 0);
  CHECK(in_c("N != 7") == 0);
  CHECK(Expression("N + TILE*N").names() == std::set<std::string>{"N", "TILE"});
}

TEST_CASE("expressions: what languages disagree about") {
  CHECK(in_c("N / 2") == 3);
  CHECK(in_python("N / 2") == 3.5);
  CHECK(in_python("N // 2") == 3);
  CHECK(in_c("-7 % 4") == -3);
  CHECK(in_python("-7 % 4") == 1);
  CHECK(in_python("1 < TILE < 3") == 0);
  CHECK(in_python("1 < TILE <= 4 and not N == 3 or False") == 1);
  CHECK(in_python("ProblemSize[0] // TILE") == 25);
  CHECK(refusal("1 < TILE < 3").find("&&") != std::string::npos);
}

TEST_CASE("expressions: what is none is refused, with its place") {
  for (const char* text :
       {"", "1 +", "(1", "1)", "2 3", "N $ 2", "min(", "sqrt(2)", "min(1,", "a[1"}) {
    CAPTURE(text);
    CHECK_FALSE(refusal(text).empty());
  }
  CHECK(refusal("N $ 2").find("column 3") != std::string::npos);
  CHECK(refusal("TILES").find("did you mean TILE") != std::string::npos);
  CHECK(refusal("N / (TILE - 4)").find("divides by zero") != std::string::npos);
  CHECK(refusal(std::string(100'000, '(').c_str()).find("nested") != std::string::npos);
  CHECK(refusal((std::string(100'000, '-') + "1").c_str()).find("nested") != std::string::npos);
  CHECK_THROWS_AS(static_cast<void>(Expression("N - 8").size(kSizes)), UsageError);
  CHECK_THROWS_AS(static_cast<void>(Expression("N / 2", Dialect::python).size(kSizes)), UsageError);
  CHECK(Expression("N - 7").size(kSizes, 0) == 0);
}

TEST_CASE("expressions: lists are divided outside parentheses and quotes") {
  CHECK(split_list("a, min(b,c) ,[1,2]", ',') ==
        std::vector<std::string_view>{"a", "min(b,c)", "[1,2]"});
  CHECK(split_list("'x,y',z", ',') == std::vector<std::string_view>{"'x,y'", "z"});
  CHECK(split_list("", ',').size() == 1);
}

}  // namespace clgauss::tune
