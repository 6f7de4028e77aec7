// Ctrl-C, SIGTERM and SIGKILL: how soon a program ends, with which code, and what it leaves.

#include <doctest/doctest.h>

#include <chrono>

#include "support/process.hpp"

using namespace clgauss::test;
namespace fs = std::filesystem;

namespace {

/// `program arguments`, sent `signals` (one option of `kill` each, 0.05 s apart) after 0.4 s.
/// Prints the exit code and the milliseconds from the first signal to the end.
std::string script_with_signals(const std::string& command, const std::string& signals) {
  return command +
         " & pid=$!\n"
         "sleep 0.4; start=$(date +%s%N)\n"
         "for signal in " +
         signals +
         "; do kill -$signal $pid; sleep 0.05; done\n"
         "wait $pid; echo $? $(( ($(date +%s%N) - start) / 1000000 ))";
}

struct Ended {
  int exit_code = -1;
  int milliseconds = 0;
  std::string err;
};

Ended run_with_signals(const TemporaryFolder& folder, const std::string& command,
                       const std::string& signals) {
  const auto result = run_script(folder, script_with_signals(command, signals));
  Ended ended;
  ended.err = result.err;
  std::istringstream(result.out) >> ended.exit_code >> ended.milliseconds;
  return ended;
}

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  return names;
}

}  // namespace

TEST_CASE("generate ends with 130 within a second of a signal and leaves nothing") {
  const TemporaryFolder folder;
  for (const std::string signal : {"INT", "TERM"})
    for (const std::string output : {"g.txt", "g.npy"}) {
      CAPTURE(signal);
      CAPTURE(output);
      // Long enough to be alive when the signal comes; a machine with other work may be late once
      // or twice.
      const std::string n = output == "g.npy" ? "14000" : "6000";
      Ended ended;
      for (int attempt = 0; attempt < 3 && !(ended.exit_code == 130 && ended.milliseconds <= 1000);
           ++attempt)
        ended = run_with_signals(
            folder, "$CLGAUSS generate --kind random --n " + n + " -o " + output, signal);
      CHECK(ended.exit_code == 130);
      CHECK(ended.milliseconds <= 1000);
      CHECK(ended.err == "clgauss: interrupted\n");
      CHECK(fs::is_empty(folder.path()));
    }
}

TEST_CASE("a program that waits for a pipe can be interrupted") {
  const TemporaryFolder folder;
  for (const std::string command :
       {"mkfifo pipe; $CLGAUSS generate --kind random --n 3 -o pipe",
        "mkfifo in; sleep 3 >in & $CLGAUSS solve - -o x.txt --json r.json <in",
        "mkfifo full; sleep 3 <full & $CLGAUSS generate --kind random --n 300 -o full",
        "mkfifo in; $CLGAUSS_TUNE replay in"}) {
    CAPTURE(command);
    const auto ended = run_with_signals(folder, command, "INT");
    CHECK(ended.exit_code == 130);
    CHECK(ended.milliseconds <= 1000);
    for (const std::string& name : names_in(folder)) {
      CAPTURE(name);
      CHECK(name.find(".tmp") == std::string::npos);
      fs::remove(folder / name);
    }
  }
}

TEST_CASE("a second signal ends a program at once") {
  const TemporaryFolder folder;
  const auto ended = run_with_signals(
      folder, "mkfifo in; sleep 3 >in & $CLGAUSS solve - -o x.txt --json r.json <in", "INT INT");
  CHECK(ended.exit_code == 130);
  CHECK(ended.milliseconds <= 400);  // one alone waits longer for the reader to give up
  CHECK(names_in(folder) == std::vector<std::string>{"in"});
}

TEST_CASE("what a killed run left is removed by the next one, what a live run writes is not") {
  const TemporaryFolder folder;
  write_file(folder / "notes.tmp-2024-11", "a user's");
  const auto killed =
      run_with_signals(folder, "$CLGAUSS generate --kind random --n 4000 -o g.txt", "KILL");
  CHECK(killed.exit_code == 137);
  CHECK(names_in(folder).size() == 2);
  const auto result = run_script(folder,
                                 "(sleep 2; echo 2 4) | $CLGAUSS solve -q - -o x.txt & pid=$!\n"
                                 "sleep 1\n"
                                 "$CLGAUSS generate --kind random --n 3 -o other.txt\n"
                                 "ls | grep -c '^x.txt.tmp'\n"
                                 "wait $pid; cat x.txt");
  CHECK(result.out == "1\n2\n");
  auto names = names_in(folder);
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"notes.tmp-2024-11", "other.txt", "x.txt"});
}
