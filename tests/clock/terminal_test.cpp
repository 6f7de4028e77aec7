// At a terminal of its own: colours, progress, Ctrl-C, and completion in the shells themselves.

#include <doctest/doctest.h>

#include <chrono>
#include <complex>
#include <cstdlib>
#include <regex>

#include "support/npy.hpp"
#include "support/process.hpp"
#include "support/terminal.hpp"
#include "support/text.hpp"
#include "support/thorough.hpp"

using namespace clgauss::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* kEscape = "\033[3";  // how a colour begins
constexpr const char* kClear = "\r\033[K";

/// What stands after all `kClear`s: nothing of a line that was removed.
std::string what_is_left(const std::string& screen) {
  const std::size_t last = screen.rfind(kClear);
  return last == std::string::npos ? screen : screen.substr(last + std::string(kClear).size());
}

/// Within a second, with the code of that, and said.
void check_that_ctrl_c_ends(Terminal& terminal) {
  const auto start = std::chrono::steady_clock::now();
  terminal.type("\003");
  CHECK(terminal.wait() == 130);
  CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() <= 1);
  CAPTURE(terminal.screen());
  CHECK(has(what_is_left(terminal.screen()), "interrupted"));
}

bool is_installed(const std::string& shell) {
  if (std::system(("command -v " + shell + " >/dev/null 2>&1").c_str()) == 0) return true;
  MESSAGE("skipped: " << shell << " is not installed");
  return false;
}

}  // namespace

TEST_CASE("terminal: colours there, and neither in pipes nor with NO_COLOR") {
  const TemporaryFolder folder;
  write_file(folder / "good.txt", "2 1 3\n1 3 4\n");
  write_file(folder / "singular.txt", "1 1 2\n1 1 2\n");
  const auto seen = [&](const std::string& command) {
    Terminal terminal(folder, command);
    terminal.wait();
    return terminal.screen();
  };
  CHECK(has(seen("$CLGAUSS solve good.txt"), "\033[32mok:\033[0m"));
  CHECK(has(seen("$CLGAUSS solve singular.txt"), "\033[31mSINGULAR\033[0m"));
  CHECK(has(seen("$CLGAUSS sovle"), "\033[31mclgauss:\033[0m "));
  for (const std::string plain :
       {"NO_COLOR=1 $CLGAUSS solve good.txt", "TERM=dumb $CLGAUSS solve singular.txt",
        "NO_COLOR=1 $CLGAUSS sovle", "$CLGAUSS solve good.txt 2>&1 | cat"}) {
    CAPTURE(plain);
    const std::string screen = seen(plain);
    CHECK(has(screen, "clgauss:") + has(screen, "residual") + has(screen, "SINGULAR") >= 1);
    CHECK_FALSE(has(screen, kEscape));
  }
  CHECK(has(seen("NO_COLOR= $CLGAUSS solve good.txt"), kEscape));  // empty means not set
  CHECK_FALSE(has(run_program(folder, "solve good.txt").err, "\033"));
}

TEST_CASE("terminal: progress of long work, cleared at the end, and none in a pipe") {
  const TemporaryFolder folder;
  // Work-groups of one work-item make the elimination slow; no clock decides.
  REQUIRE(run_program(folder, "generate --kind random --n 900 -o s.npy").exit_code == 0);
  const std::string solve = "$CLGAUSS solve s.npy -o x.npy --local 1 --device pocl";
  Terminal terminal(folder, solve);
  CHECK(terminal.shows("elimination"));
  CHECK(terminal.wait() == 0);
  CHECK(has(terminal.screen(), " %, "));
  CHECK(has(terminal.screen(), " left"));
  const std::string left = what_is_left(terminal.screen());
  CHECK(left.starts_with("system "));
  CHECK_FALSE(has(left, "elimination "));
  const auto piped = run_script(folder, solve);
  CHECK(piped.exit_code == 0);
  CHECK_FALSE(has(piped.err, "\r"));
  Terminal quiet(folder, solve + " -q");
  CHECK(quiet.wait() == 0);
  CHECK(quiet.screen().empty());
}

TEST_CASE(
    "terminal: progress of an LU says blocks and GFLOP/s, and Ctrl-C ends it within a second") {
  const TemporaryFolder folder;
  // Large enough to be seen: of 1 s and more on the machine at hand.
  REQUIRE(run_program(folder, "generate --kind random --n 7000 --rhs none -o a.npy").exit_code ==
          0);
  Terminal terminal(folder,
                    "exec $CLGAUSS solve a.npy --rhs ones -o x.npy --method lu --device pocl");
  if (!terminal.shows(" blocks, ", 60)) {
    MESSAGE("skipped: the LU was faster than a second");
    return;
  }
  CHECK(has(terminal.screen(), " GFLOP/s"));
  check_that_ctrl_c_ends(terminal);
  CHECK(only_holds(folder, {"a.npy"}));
}

TEST_CASE("terminal: Ctrl-C ends complex systems, inverses and batches within a second") {
  const TemporaryFolder folder;
  // On one core, so that each step takes some seconds. A complex b makes the system complex.
  REQUIRE(run_program(folder, "generate --kind random --n 4000 --rhs none -o a.npy").exit_code ==
          0);
  write_file(folder / "b.npy", npy("(4000, 1)", std::vector<std::complex<double>>(4000)));
  write_file(folder / "batch.npy", identities(6, 2000));
  const std::vector<std::pair<std::string, std::string>> steps_of_commands{
      {"solve a.npy --rhs b.npy", "factorisation "},
      {"solve --batched batch.npy --rhs identity", "solving "},
      {"invert a.npy", "inverse "}};
  for (const auto& [command, step] : steps_of_commands) {
    CAPTURE(command);
    Terminal terminal(folder, "POCL_MAX_PTHREAD_COUNT=1 exec $CLGAUSS " + command +
                                  " -o x.npy --json r.json --device pocl");
    CHECK(terminal.shows(step, 60));
    check_that_ctrl_c_ends(terminal);
    CHECK(only_holds(folder, {"a.npy", "b.npy", "batch.npy"}));
  }
}

TEST_CASE("terminal: searches and experiments show the time left, at most their budget") {
  const TemporaryFolder folder;
  const std::string kernel =
      "kernel gauss.cl --name gauss_fwd --size n=200 --global n+1,n --round-up x --param "
      "REAL_BITS=32 --arg 'buffer:f32:n*(n+1)' --arg ulong:n+1 --arg ulong:0 -o k";
  const std::vector<std::string> commands{
      kernel, "search gemm --n 128", "sweep --sizes 1000:4000:100 --local 32:1024:32 -o s",
      "sweep --kernel gemm --type f32 --sizes 256:2048:64 --local 16:1024:16 -o g"};
  for (const std::string& command : some_of(commands, 2)) {
    CAPTURE(command);
    Terminal terminal(folder, "$CLGAUSS_TUNE " + command + " --device pocl --budget 2s");
    CHECK(terminal.wait() == 0);
    const std::string screen = terminal.screen();
    CAPTURE(screen);
    const std::regex announced("about 2 s|ends after 2 s"), left(" ([0-9]+) (s|min) left");
    CHECK(std::regex_search(screen, announced));
    std::sregex_iterator found(screen.begin(), screen.end(), left);
    CHECK(found != std::sregex_iterator());
    for (; found != std::sregex_iterator(); ++found) {
      CHECK((*found)[2] == "s");
      CHECK(std::stoi((*found)[1]) <= 2);
    }
  }
}

TEST_CASE("terminal: completion in bash") {
  if (!is_installed("bash")) return;
  const TemporaryFolder folder;
  write_file(folder / "my system.txt", "2 4\n");
  Terminal bash(folder, "PS1='> ' exec bash --norc --noprofile -i");
  bash.type(
      "for p in clgauss clgauss-tune clgauss-bench; do source <($p completion bash); done; echo "
      "read''y\n");
  REQUIRE(bash.shows("ready"));
  const auto completes = [&](const std::string& typed, const std::string& completed) {
    bash.forget();
    bash.type(typed + "\t");
    CAPTURE(typed);
    const bool shown = bash.shows(completed, 10);
    CAPTURE(bash.screen());
    CHECK(shown);
    bash.type("\025");  // removes the line
  };
  completes("clgauss so", "clgauss solve ");
  completes("clgauss solve --meth", "--method ");
  completes("clgauss solve --method mi", "mixed ");
  completes("clgauss solve --method=mi", "mixed ");
  completes("clgauss solve my", "my\\ system.txt ");
  completes("clgauss solve --json my", "my\\ system.txt ");
  completes("clgauss help env", "environment ");
  completes("clgauss completion z", "zsh ");
  completes("clgauss-tune sw", "sweep ");
  completes("clgauss-tune search g", "gemm ");
  completes("clgauss-tune search gemm --strat", "--strategy ");
  completes("clgauss-bench --pee", "--peers ");
  completes("clgauss-bench batch", "batched ");
}

TEST_CASE("terminal: completion in zsh") {
  if (!is_installed("zsh")) return;
  const TemporaryFolder folder;
  write_file(folder / "my_system.txt", "2 4\n");
  const std::string functions =
      "mkdir f; for p in clgauss clgauss-tune clgauss-bench; do $p completion zsh > f/_$p; done; ";
  Terminal zsh(folder, functions + "PS1='> ' exec zsh -f -i");
  zsh.type(
      "fpath=($PWD/f $fpath); autoload -Uz compinit; compinit -u -d $PWD/f/dump; echo read''y\n");
  REQUIRE(zsh.shows("ready"));
  const auto completes = [&](const std::string& typed, const std::string& completed) {
    zsh.forget();
    zsh.type(typed + "\t");
    CAPTURE(typed);
    const bool shown = zsh.shows(completed, 10);
    CAPTURE(zsh.screen());
    CHECK(shown);
    zsh.type("\025");
  };
  completes("clgauss so", "clgauss solve");
  completes("clgauss solve --meth", "clgauss solve --method");
  completes("clgauss solve --method mi", "clgauss solve --method mixed");
  completes("clgauss solve my_s", "clgauss solve my_system.txt");
  completes("clgauss completion ba", "clgauss completion bash");
  completes("clgauss-tune sw", "clgauss-tune sweep");
  completes("clgauss-tune search g", "clgauss-tune search gemm");
  completes("clgauss-bench --pee", "clgauss-bench --peers");
}

TEST_CASE("terminal: completion in fish") {
  if (!is_installed("fish")) return;
  const TemporaryFolder folder;
  const auto completes = [&](const std::string& typed, const std::string& completed) {
    CAPTURE(typed);
    const auto result = run_script(folder,
                                   "HOME=$PWD fish --no-config -c \"$CLGAUSS completion fish | "
                                   "source; $CLGAUSS_TUNE completion fish "
                                   "| source; complete -C '" +
                                       typed + "'\"");
    CAPTURE(result.err);
    CHECK(has(result.out, completed));
  };
  completes("clgauss so", "solve\t");
  completes("clgauss solve --meth", "--method\t");
  completes("clgauss solve --method mi", "mixed");
  completes("clgauss-tune sw", "sweep\t");
}
