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
  CHECK_FALSE(memory.kept(kQuestion).decision);
  memory.keep(kQuestion, kDecision);
  const auto kept = memory.kept(kQuestion).decision;
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
    CHECK_FALSE(memory.kept(other).decision);
  }
  memory.keep(kQuestion, {std::nullopt, 1});
  REQUIRE(memory.kept(kQuestion).decision);
  CHECK_FALSE(memory.kept(kQuestion).decision->way);
}

TEST_CASE("memory: trials that a run was too short for, until there is a decision") {
  const TemporaryFolder folder;
  const Memory memory(folder / "layer");
  CHECK(memory.kept(kQuestion).trials_begun == 0);
  memory.keep_trials_begun(kQuestion, 3);
  CHECK(memory.kept(kQuestion).trials_begun == 3);
  CHECK_FALSE(memory.kept(kQuestion).decision);
  memory.keep(kQuestion, kDecision);
  CHECK(memory.kept(kQuestion).trials_begun == 0);
  CHECK(memory.kept(kQuestion).decision);
}

TEST_CASE("memory: why there is nothing to decide") {
  const TemporaryFolder folder;
  const Memory memory(folder / "layer");
  CHECK(memory.kept(kQuestion).reason.empty());
  memory.keep_reason(kQuestion, "barrier (line 3): \"\n");
  CHECK(memory.kept(kQuestion).reason == "barrier (line 3): \"\n");
  CHECK_FALSE(memory.kept(kQuestion).decision);
  CHECK(memory.kept(kQuestion).trials_begun == 0);
  memory.keep_reason(kQuestion, "a name of no language, \xe9");
  CHECK(memory.kept(kQuestion).reason.starts_with("a name of no language"));
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
    CHECK_FALSE(memory.kept(kQuestion).decision);
  }
  const fs::path others = folder / "others";
  const Memory memory(others);
  memory.keep(kQuestion, kDecision);
  CHECK(memory.kept(kQuestion).decision);
  chmod(others.c_str(), 0777);  // anybody may have put there what is there
  CHECK_FALSE(memory.kept(kQuestion).decision);
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
  CHECK_FALSE(memory.kept(kQuestion).decision);
}

TEST_CASE("memory: the text of a binary, and of no other") {
  const TemporaryFolder folder;
  const Memory memory(folder / "layer");
  const ProgramText text{"kernel void a() {} // \xe9, not UTF-8\n", "-DN=3"};
  std::string bytes(1000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i % 251);
  const Binary binary{"a GPU", "OpenCL 3.0, 1.2.3", fingerprint("cl_khr_fp64=1\n"),
                      fingerprint(bytes)};
  CHECK_FALSE(memory.text_name(binary));
  memory.keep_text(text);
  memory.keep_text_name(binary, fingerprint(text));
  REQUIRE(memory.text_name(binary));
  const std::optional<ProgramText> kept = memory.text(*memory.text_name(binary));
  REQUIRE(kept);
  CHECK(kept->source == text.source);
  CHECK(kept->options == text.options);
  CHECK_FALSE(memory.text(fingerprint("another")));
  Binary other = binary;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const int bit : {1, 128}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ bit);
      other.bytes = fingerprint(changed);
      CHECK_FALSE(memory.text_name(other));
    }
  for (const std::string& changed :
       {bytes.substr(1), bytes.substr(0, 999), bytes + "+", "+" + bytes}) {
    other.bytes = fingerprint(changed);
    CHECK_FALSE(memory.text_name(other));
  }
  for (const auto change :
       {+[](Binary& of) { of.device = "another"; }, +[](Binary& of) { of.driver += "4"; },
        +[](Binary& of) { of.macros = fingerprint(""); }}) {
    other = binary;
    change(other);
    CHECK_FALSE(memory.text_name(other));
  }
}

TEST_CASE("memory: texts differ by their options, too, and where these end") {
  const ProgramText text{"kernel void a() {}\n", "-DN=3"};
  CHECK(fingerprint(text) != fingerprint(ProgramText{text.source, "-DN=4"}));
  CHECK(fingerprint(text) !=
        fingerprint(ProgramText{text.source.substr(1), text.options + text.source[0]}));
}

TEST_CASE("memory: has a bound") {
  const TemporaryFolder folder;
  constexpr std::size_t kText = 10000, kMost = 5 * kText;
  const Memory memory(folder / "layer", kMost);
  const auto text = [](int which) {
    return ProgramText{std::string(kText, 'x'), std::to_string(which)};
  };
  for (int i = 0; i < 20; ++i) {
    memory.keep_text(text(i));
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder / "layer")) bytes += entry.file_size();
    CHECK(bytes <= kMost);
    CHECK(memory.text(fingerprint(text(i))));
  }
  CHECK(memory.text(fingerprint(text(18))));
  CHECK_FALSE(memory.text(fingerprint(text(0))));
}
