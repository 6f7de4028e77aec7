// The habits of the command line, through pipes: help, suggestions, JSON, numbers, the summary. At
// a terminal: terminal_test.cpp.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "support/process.hpp"
#include "support/text.hpp"

using namespace clgauss::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct ProgramOfTest {
  std::string name;
  fs::path path;
  std::vector<std::string> commands;  // none: it has no commands
};

std::vector<ProgramOfTest> programs() {
  return {{"clgauss",
           program(),
           {"solve", "lstsq", "devices", "rule", "generate", "help", "completion"}},
          {"clgauss-tune",
           tune_program(),
           {"sweep", "outliers", "rules", "explain", "reproduce", "report", "auto", "show",
            "export", "import", "kernel", "search", "replay", "help", "completion"}},
          {"clgauss-bench", bench_program(), {}}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Of a program in pieces of help: all but the examples, which are to be copied as they are.
void check_width(const std::string& help) {
  for (const std::string& line : lines_of(help.substr(0, help.find("\nExamples:")))) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
}

const std::string kSingular = "1 2 3 6\n4 5 6 15\n7 8 9 24\n";

}  // namespace

TEST_CASE("habits: --help fits a screen, and -V is --version") {
  const TemporaryFolder folder;
  for (const ProgramOfTest& one : programs()) {
    CAPTURE(one.name);
    const std::string version = run(one.path, folder, "--version").out;
    CHECK(version.starts_with(one.name + " 0."));
    CHECK(has(version, "OpenBLAS") == (one.name == "clgauss-tune"));
    CHECK(run(one.path, folder, "-V").out == version);
    const auto help = run(one.path, folder, "--help");
    CHECK(help.exit_code == 0);
    CHECK(run(one.path, folder, "-h").out == help.out);
    check_width(help.out);
    if (one.commands.empty()) continue;
    CHECK(lines_of(help.out).size() <= 24);
    CHECK(run(one.path, folder, "help").out == help.out);
    for (const std::string& command : one.commands) CHECK(has(help.out, "\n  " + command + " "));
  }
  const std::string overview = run_program(folder, "--help").out;
  for (const char* group : {"System ", "Method ", "Answer ", "Device ", "Report ", "--method"})
    CHECK(has(overview, group));
}

TEST_CASE("habits: help of every command, in groups") {
  const TemporaryFolder folder;
  for (const ProgramOfTest& one : programs())
    for (const std::string& command : one.commands) {
      CAPTURE(command);
      const auto help = run(one.path, folder, "help " + command);
      CHECK(help.exit_code == 0);
      CHECK(help.err.empty());
      CHECK(help.out.starts_with("Usage: " + one.name + " " + command));
      CHECK(has(help.out, "\nHelp:\n  -h, --help"));
      CHECK(has(help.out, "\nExamples:\n"));
      CHECK(run(one.path, folder, command + " --help").out == help.out);
      check_width(help.out);
    }
  CHECK(has(run_program(folder, "help solve").out, "\nGauss:\n"));
  CHECK(has(run_program(folder, "help environment").out, "NO_COLOR"));
  CHECK(has(run_program(folder, "help exit-codes").out, "\n    9  --strict"));
}

TEST_CASE("habits: every word that an option takes is named in its help") {
  const TemporaryFolder folder;
  const std::regex line(R"(--([a-z-]+)\) \{ words=\$'([^']*)')");
  for (const ProgramOfTest& one : programs()) {
    std::string help = one.commands.empty() ? run(one.path, folder, "--help").out : "";
    for (const std::string& command : one.commands)
      help += run(one.path, folder, command + " --help").out;
    const std::string script = run(one.path, folder, "completion bash").out;
    std::size_t options = 0;
    for (std::sregex_iterator at(script.begin(), script.end(), line), end; at != end; ++at) {
      ++options;
      CAPTURE((*at)[1].str());
      std::string words = (*at)[2];
      for (std::size_t cut = 0; (cut = words.find("\\n")) != std::string::npos;)
        words.replace(cut, 2, " ");
      std::istringstream stream(words);
      for (std::string word; stream >> word;) {
        CAPTURE(word);
        CHECK(has(help, word));
      }
    }
    CHECK(options > 3);
  }
}

TEST_CASE("habits: what was misspelt, and what may have been meant") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "2 4\n");
  struct Typo {
    const char *arguments, *meant;
    int exit_code = 2;
  };
  for (const auto& [arguments, meant, exit_code] :
       {Typo{"sovle s.txt", "did you mean solve?"}, Typo{"help devcies", "did you mean devices?"},
        Typo{"--versoin", "did you mean --version?"},
        Typo{"solve s.txt --devise cpu", "did you mean --device?"},
        Typo{"solve s.txt --outptu x", "did you mean --output?"},
        Typo{"solve s.txt --method mixd", "did you mean mixed?"},
        Typo{"solve s.txt --pivot parital", "did you mean partial?"},
        Typo{"solve s.txt --type f46", "did you mean f64?"},
        Typo{"solve s.txt --local tunde", "did you mean tuned?"},
        Typo{"solve s.txt --format txet", "did you mean text?"},
        Typo{"generate --kind hilbret --n 3", "did you mean hilbert?"},
        Typo{"completion bsh", "did you mean bash?"},
        Typo{"devices --device portabel", "did you mean portable?", 4},
        Typo{"solve s.txt -d gpuu", "did you mean gpu?", 4}}) {
    CAPTURE(std::string(arguments));
    const auto result = run_program(folder, arguments);
    CAPTURE(result.err);
    CHECK(result.exit_code == exit_code);
    CHECK(has(result.err, meant));
    CHECK(result.out.empty());
  }
  CHECK(has(run_tune(folder, "serach gemm --n 8").err, "did you mean search?"));
  CHECK(has(run_tune(folder, "search gmm --n 8").err, "did you mean gemm?"));
  CHECK(has(run_tune(folder, "reproduce bandwith").err, "did you mean bandwidth?"));
  CHECK(has(run(bench_program(), folder, "solvee").err, "did you mean solve?"));
  CHECK(has(run(bench_program(), folder, "solve --peer none").err, "did you mean --peers?"));
  CHECK_FALSE(has(run_program(folder, "banana").err, "did you mean"));
}

TEST_CASE("habits: errors speak of what was typed") {
  const TemporaryFolder folder;
  for (const auto& [arguments, message] :
       {std::pair("solve", "clgauss: SYSTEM is missing\n"),
        std::pair(
            "solve --json r.json",
            "clgauss: SYSTEM is missing ('r.json' is the FILE of --json; give SYSTEM first)\n"),
        std::pair("generate --n 3", "clgauss: --kind KIND is missing\n"),
        std::pair("solve s.txt --output", "clgauss: --output needs FILE\n"),
        std::pair("solve s.txt --quiet=yes", "clgauss: --quiet takes no value\n"),
        std::pair("solve s.txt --rhs a --rhs b", "clgauss: --rhs is given twice\n"),
        std::pair("generate --kind random --n many",
                  "clgauss: --n 'many' is not a whole number (or too large)\n"),
        std::pair("solve s.txt --max-residual low",
                  "clgauss: --max-residual 'low' is not a number\n"),
        std::pair("completion", "clgauss: SHELL is missing\n")}) {
    CAPTURE(arguments);
    const auto result = run_program(folder, arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.err == message);
  }
  CHECK(run_tune(folder, "replay").err == "clgauss-tune: SPACE is missing\n");
  CHECK(run_tune(folder, "reproduce").err == "clgauss-tune: NAME is missing\n");
  CHECK(run(bench_program(), folder, "").err == "clgauss-bench: WHAT is missing\n");
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("habits: --json [FILE] has standard output for itself, or a file beside the text") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "2 0 4\n0 5 4\n");
  const std::string numbers = "rule --total-cores 144 --compute-units 3 --multiple 32 --limit 1024";
  const std::string text = run_program(folder, numbers).out;
  for (const std::string option : {" --json", " --json -", " --json=-"})
    CHECK(json::parse(run_program(folder, numbers + option).out)["raw"] == 192);
  CHECK(run_program(folder, numbers + " --json r.json").out == text);
  CHECK(json::parse(content_of(folder / "r.json"))["raw"] == 192);
  CHECK(json::parse(run_program(folder, "devices --json --device pocl").out).size() == 1);
  CHECK(json::parse(run_tune(folder, "show --json").out).is_object());
  CHECK(has(run_tune(folder, "show --json show.json").out, "store"));

  // x has standard output unless -o names a file; then the report may have it.
  fs::remove(folder / "r.json");
  for (const std::string option : {"--json", "--json -", "--json -o -", "-o - --json -"}) {
    CAPTURE(option);
    const auto refused = run_program(folder, "solve s.txt " + option);
    CHECK(refused.exit_code == 2);
    CHECK(
        has(refused.err, "--json writes its report to standard output: name a file for x with -o"));
    CHECK(refused.out.empty());
  }
  const auto alone = run_program(folder, "solve s.txt -q -o x.txt --json");
  CHECK(alone.exit_code == 0);
  CHECK(json::parse(alone.out)["status"] == "ok");
  CHECK(alone.err.empty());
  CHECK(content_of(folder / "x.txt") == "2\n0.8\n");
  CHECK(run_program(folder, "solve s.txt --json r.json -q").out == "2\n0.8\n");
  CHECK(json::parse(content_of(folder / "r.json"))["n"] == 2);
  CHECK(run_program(folder, "solve s.txt --compare --json -o x.txt").exit_code == 2);
}

TEST_CASE("habits: clgauss-bench has --json and ranges of --sizes") {
  const TemporaryFolder folder;
  const auto result = run(bench_program(), folder,
                          "solve --sizes 10:20:10 --types f32 --reps 1 --peers none --json");
  CAPTURE(result.err);
  const json rows = json::parse(result.out);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["n"] == 10);
  CHECK(rows[1]["n"] == 20);
  CHECK(rows[1]["status"] == "ok");
}

TEST_CASE("habits: numbers are as short as they may be, and read back the same") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "5 4\n");
  CHECK(run_program(folder, "solve s.txt -q").out == "0.8\n");
  // .npy holds all bits: the text that is made of the same numbers must as well.
  REQUIRE(
      run_program(folder, "generate --kind random --n 40 --seed 7 --rhs none -o a.npy").exit_code ==
      0);
  REQUIRE(
      run_program(folder, "generate --kind random --n 40 --seed 7 --rhs none -o a.txt").exit_code ==
      0);
  for (const char* file : {"a.npy", "a.txt"})
    REQUIRE(run_program(folder, std::string("solve -q --method lu --rhs ones -o ") + file +
                                    ".x.npy " + file)
                .exit_code == 0);
  CHECK(content_of(folder / "a.npy.x.npy") == content_of(folder / "a.txt.x.npy"));

  write_file(folder / "third.txt", "3 1\n");
  CHECK(run_program(folder, "solve third.txt -q --method lu").out == "0.3333333333333333\n");
  CHECK(run_program(folder, "solve third.txt -q --method lu --digits 3").out == "0.333\n");
  CHECK(run_program(folder, "solve third.txt -q --method lu --digits 17").out ==
        "0.33333333333333331\n");
  for (const char* refused :
       {"--digits 0", "--digits 18", "--digits -1", "--digits few", "--digits 3 -o x.npy"}) {
    CAPTURE(refused);
    CHECK(run_program(folder, std::string("solve s.txt ") + refused).exit_code == 2);
  }
  const std::string narrow =
      run_program(folder, "generate --kind random --n 3 --type f32 --rhs none").out;
  std::istringstream values(narrow);
  std::size_t count = 0;
  for (double value = 0; values >> value; ++count)
    CHECK(static_cast<double>(static_cast<float>(value)) == value);
  CHECK(count == 9);
}

TEST_CASE("habits: a summary says when x may have no correct digit") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kSingular);
  REQUIRE(run_program(folder, "generate --kind hilbert --n 15 -o h.txt").exit_code == 0);
  for (const std::string system : {"s.txt", "h.txt"}) {
    CAPTURE(system);
    const std::string solve = "solve " + system + " -o x.txt";
    const auto plain = run_program(folder, solve);
    CAPTURE(plain.err);
    CHECK(plain.exit_code == 0);
    CHECK(has(plain.err, "the matrix is nearly singular (rcond "));
    CHECK(has(plain.err, "): x may have no correct digit\n"));
    const auto strict = run_program(folder, solve + " --strict");
    CHECK(strict.exit_code == 9);
    CHECK(has(content_of(folder / "x.txt"), "\n"));
    const auto quiet = run_program(folder, solve + " --strict -q");
    CHECK(quiet.exit_code == 9);
    CHECK(quiet.err.starts_with("WARNING    the matrix is nearly singular (rcond "));
  }
  write_file(folder / "good.txt", "2 1 3\n1 3 4\n");
  const auto good = run_program(folder, "solve good.txt --strict");
  CHECK(good.exit_code == 0);
  CHECK_FALSE(has(good.err, "WARNING"));
  CHECK(run_program(folder, "solve good.txt --strict --no-rcond").exit_code == 2);
  CHECK(run_program(folder, "solve good.txt --strict --method gauss").exit_code == 2);
  CHECK(run_program(folder, "solve good.txt --strict --method rbt").exit_code == 0);
  // What nobody estimated cannot be relied on. (Below n = 1024 the host estimates on CPUs, without
  // these kernels.)
  REQUIRE(run_program(folder, "generate --kind random --n 1100 -o r.npy").exit_code == 0);
  const auto unknown =
      run_program(folder, "solve r.npy --strict --method lu -q -o x.txt",
                  "CLGAUSS_KERNEL_FAULTS=trsv_columns_cpu=wrong,trsv_transposed=wrong");
  CHECK(unknown.exit_code == 9);
  CHECK(has(unknown.err, "rcond is not known"));
}

TEST_CASE("habits: man pages pass mandoc's lint") {
  const TemporaryFolder folder;
  if (std::system("command -v mandoc >/dev/null 2>&1") != 0) {
    MESSAGE("skipped: mandoc is not installed");
    return;
  }
  for (const ProgramOfTest& one : programs()) {
    CAPTURE(one.name);
    const auto page = run(one.path, folder, "man");
    CHECK(page.exit_code == 0);
    write_file(folder / (one.name + ".1"), page.out);
    const auto lint = run_script(folder, "mandoc -T lint " + one.name + ".1");
    CHECK(lint.out == "");
    CHECK(lint.exit_code == 0);
    const auto shown = run_script(folder, "mandoc -T ascii " + one.name + ".1 | col -b");
    for (const std::string& command : one.commands) CHECK(has(shown.out, one.name + " " + command));
    CHECK(has(shown.out, "EXIT STATUS"));
  }
}
