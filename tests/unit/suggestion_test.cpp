#include <doctest/doctest.h>

#include "suggestion.hpp"

using namespace clgauss;

TEST_CASE("suggestion: the nearest word by edits") {
  const std::vector<std::string> known{"solve", "devices", "rule", "generate", "--device"};
  for (const auto& [typed, meant] :
       {std::pair("sovle", "solve"), std::pair("slove", "solve"), std::pair("solv", "solve"),
        std::pair("SOLVE", "solve"), std::pair("device", "devices"), std::pair("rul", "rule"),
        std::pair("--devcie", "--device"), std::pair("genrate", "generate")})
    CHECK(nearest_word(typed, known) == meant);
  for (const char* typed : {"", "x", "banana", "so", "--", "resolved"})
    CHECK(nearest_word(typed, known) == "");
  CHECK(nearest_word("a", {"b"}) == "");  // no letter is left
  CHECK(nearest_word("solve", {}) == "");
  CHECK(did_you_mean("sovle", known) == "; did you mean solve?");
  CHECK(did_you_mean("banana", known) == "");
}
