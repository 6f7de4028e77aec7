#include "tuner/layer/memory.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "support/paths.hpp"

using namespace clgauss::layer;
using clgauss::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

const Question kQuestion{"a GPU", "OpenCL 3.0, 1.2.3", "0123", "blur", {2, {3821, 2161, 1}}, true};
const Decision kDecision{Way{{2, {256, 1, 1}}, true}, 3.5};

}  // namespace

TEST_CASE("memory: decisions are kept, each for its own question") {
  const TemporaryFolder folder;
  const Memory memory(folder / "layer");
  CHECK_FALSE(memory.decision(kQuestion));
  memory.keep(kQuestion, kDecision);
  const auto kept = memory.decision(kQuestion);
  REQUIRE(kept);
  CHECK(kept->way == kDecision.way);
  CHECK(kept->gain == 3.5);
  for (const auto change : {+[](Question& other) { other.device = "another"; },
                            +[](Question& other) { other.driver += "4"; },
                            +[](Question& other) { other.program = "4567"; },
                            +[](Question& other) { other.kernel = "blur2"; },
                            +[](Question& other) { other.range.size[1] = 2160; },
                            +[](Question& other) { other.may_split = false; }}) {
    Question other = kQuestion;
    change(other);
    CHECK_FALSE(memory.decision(other));
  }
  memory.keep(kQuestion, {std::nullopt, 1});
  REQUIRE(memory.decision(kQuestion));
  CHECK_FALSE(memory.decision(kQuestion)->way);
}

TEST_CASE("memory: bytes have the name of no others that are like them") {
  CHECK(fingerprint("kernel") == fingerprint(std::string("kernel")));
  std::set<std::string> names;
  std::size_t count = 0;
  const auto add = [&](const std::string& bytes) {
    names.insert(fingerprint(bytes));
    ++count;
  };
  for (std::size_t size = 0; size < 40; ++size) add(std::string(size, '\0'));
  const std::string zeros(40, '\0');
  for (std::size_t bit = 0; bit < 8 * zeros.size(); ++bit)
    for (std::size_t other = bit; other < 8 * zeros.size(); ++other) {
      std::string bytes = zeros;
      bytes[bit / 8] ^= static_cast<char>(1U << bit % 8);
      if (other != bit) bytes[other / 8] ^= static_cast<char>(1U << other % 8);
      add(bytes);
    }
  CHECK(names.size() == count);
  std::set<std::string> first, second;
  for (const std::string& name : names) {
    first.insert(name.substr(0, 16));
    second.insert(name.substr(16));
  }
  CHECK(first.size() == count);
  CHECK(second.size() == count);
}

TEST_CASE("memory: a folder that cannot be used is as good as none") {
  const TemporaryFolder folder;
  for (const auto& place : {std::optional<fs::path>(), std::optional<fs::path>("/proc/layer"),
                            std::optional(folder / "file")}) {
    if (place == folder / "file") std::ofstream(*place) << "no folder";
    const Memory memory(place);
    memory.keep(kQuestion, kDecision);
    CHECK_FALSE(memory.decision(kQuestion));
  }
  const fs::path others = folder / "others";
  const Memory memory(others);
  memory.keep(kQuestion, kDecision);
  CHECK(memory.decision(kQuestion));
  chmod(others.c_str(), 0777);  // anybody may have put there what is there
  CHECK_FALSE(memory.decision(kQuestion));
}

TEST_CASE("memory: what is damaged is not read") {
  const TemporaryFolder folder;
  const Memory memory(folder / "layer");
  memory.keep(kQuestion, kDecision);
  for (const auto& entry : fs::directory_iterator(folder / "layer")) {
    std::string content = clgauss::test::content_of(entry.path());
    content[content.size() - 5] ^= 1;
    std::ofstream(entry.path(), std::ios::binary) << content;
  }
  CHECK_FALSE(memory.decision(kQuestion));
}

TEST_CASE("memory: the text of a binary") {
  const TemporaryFolder folder;
  const Memory memory(folder / "layer");
  const ProgramText text{{"kernel void a() {}\n"}, "-DN=3"};
  CHECK_FALSE(memory.text_of("abc"));
  memory.keep_text("abc", text);
  REQUIRE(memory.text_of("abc"));
  CHECK(memory.text_of("abc")->sources == text.sources);
  CHECK(memory.text_of("abc")->options == text.options);
  CHECK_FALSE(memory.text_of("abd"));
  CHECK(fingerprint(text) != fingerprint(ProgramText{text.sources, "-DN=4"}));
}
