// Closed, full and shared streams: nothing is lost silently, and a message that nobody can read
// changes nothing.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/process.hpp"

using namespace clgauss::test;
namespace fs = std::filesystem;

namespace {

const std::string kSystem = "2 0 4\n0 4 8\n";  // x = 2 2

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
}

}  // namespace

TEST_CASE("with standard output closed x is not lost silently and no file gets its descriptor") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kSystem);
  const auto result = run_script(folder, "$CLGAUSS solve -q s.txt --json r.json >&-");
  CHECK(result.exit_code == 3);
  CHECK(result.err.find("standard output") != std::string::npos);
  CHECK(files_in(folder) == 1);
  const auto to_file = run_script(folder, "$CLGAUSS solve -q s.txt -o x.txt --json r.json >&- <&-");
  CHECK(to_file.exit_code == 0);
  CHECK(content_of(folder / "x.txt") == "2\n2\n");
  CHECK(nlohmann::json::parse(content_of(folder / "r.json"))["status"] == "ok");
  CHECK(run_script(folder, "$CLGAUSS_TUNE --help >&-").exit_code == 3);
}

TEST_CASE("with standard error closed or full x and the exit code are as ever") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kSystem);
  for (const std::string redirection : {"2>&-", "2>/dev/full"}) {
    CAPTURE(redirection);
    const auto solved = run_script(folder, "$CLGAUSS solve s.txt --json r.json " + redirection);
    CHECK(solved.exit_code == 0);
    CHECK(solved.out == "2\n2\n");
    CHECK(nlohmann::json::parse(content_of(folder / "r.json"))["status"] == "ok");
    CHECK(run_script(folder, "$CLGAUSS solve missing.txt " + redirection).exit_code == 3);
    CHECK(run_script(folder, "$CLGAUSS " + redirection).exit_code == 2);
    CHECK(run_script(folder, "$CLGAUSS_TUNE replay missing.json " + redirection).exit_code == 3);
  }
}

TEST_CASE("a full or closed standard output is an error of exit 3") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kSystem);
  for (const std::string arguments :
       {"solve -q s.txt --json r.json", "devices", "--help", "--version", "solve --help",
        "rule --total-cores 144 --compute-units 3 --multiple 32 --limit 1024",
        "generate --kind random --n 300", "generate --kind random --n 3"}) {
    CAPTURE(arguments);
    const auto full = run_script(folder, "$CLGAUSS " + arguments + " >/dev/full");
    CHECK(full.exit_code == 3);
    CHECK(full.err.find("standard output") != std::string::npos);
    CHECK(run_script(folder, "$CLGAUSS " + arguments + " >&-").exit_code == 3);
  }
  CHECK(files_in(folder) == 1);
  // A reader that goes away must not kill the program before its temporary files are gone.
  const auto pipe = run_script(
      folder, "{ $CLGAUSS generate --kind random --n 400; echo $? >&3; } 3>code | true; cat code");
  CHECK(pipe.out == "3\n");
}

TEST_CASE("a disk that is full leaves nothing half-written") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kSystem);
  const auto result =
      run_script(folder, "ulimit -f 8; $CLGAUSS generate --kind random --n 100 -o g.txt");
  CHECK(result.exit_code == 3);
  CHECK(result.err.find("g.txt: File too large") != std::string::npos);
  CHECK(files_in(folder) == 1);
}

TEST_CASE("two outputs into one file are refused") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kSystem);
  write_file(folder / "old.txt", "old");
  write_file(folder / "a.npy", "");
  fs::create_symlink("old.txt", folder / "link");
  fs::create_symlink("not-yet", folder / "dangling");
  fs::create_hard_link(folder / "old.txt", folder / "hard");
  fs::create_directory(folder / "dir");
  const std::size_t files = files_in(folder);
  for (const std::string outputs :
       {"-o same --json same", "-o same --json ./dir/../same", "-o old.txt --json link",
        "-o old.txt --json hard", "-o dangling --json not-yet", "-o x --json same --launches same",
        "--launches - -o -", "-o x --launches x"}) {
    CAPTURE(outputs);
    const auto result = run_program(folder, "solve s.txt " + outputs);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find("the same file") != std::string::npos);
    CHECK(result.out.empty());
  }
  CHECK(run_program(folder, "solve --batched a.npy -o same --json same").exit_code == 2);
  CHECK(run_script(folder, "$CLGAUSS solve s.txt --json r.json >r.json").exit_code == 2);
  fs::remove(folder / "r.json");
  CHECK(content_of(folder / "old.txt") == "old");
  CHECK(files_in(folder) == files);
  // What is thrown away is not lost.
  CHECK(run_program(folder, "solve s.txt -o /dev/null --json /dev/null").exit_code == 0);
}

TEST_CASE("memory that this machine has not is refused with the sizes before it is asked for") {
  const TemporaryFolder folder;
  for (const std::string kind : {"random", "integer", "zero-pivot", "graded", "spd", "hilbert",
                                 "permuted-identity", "singular", "rank-deficient", "wilkinson"}) {
    CAPTURE(kind);
    const auto result = run_program(folder, "generate --n 4294967296 --kind " + kind + " -o g.npy");
    CHECK(result.exit_code == 6);
    CHECK(result.err.find("4294967296 x 4294967297") != std::string::npos);
  }
  for (const std::string more : {"--n 3 --rhs random --nrhs 18446744073709551615",
                                 "--n 18446744073709551615", "--n 3037000500", "--n 500000"}) {
    CAPTURE(more);
    const auto result = run_program(folder, "generate --kind random -o g.npy " + more);
    CHECK(result.exit_code == 6);
    CHECK(result.err.find("memory") != std::string::npos);
  }
  CHECK(fs::is_empty(folder.path()));
}

#ifndef __SANITIZE_ADDRESS__  // which needs terabytes of addresses for itself
TEST_CASE("memory that the system refuses ends with the sizes too") {
  const TemporaryFolder folder;
  const auto generated =
      run_script(folder, "ulimit -v 500000; $CLGAUSS generate --kind random --n 10000 -o g.npy");
  CHECK(generated.exit_code == 6);
  CHECK(generated.err.find("800 MB") != std::string::npos);
  const auto mapped = run_script(folder,
                                 "truncate -s 2000000000 large.json\n"
                                 "ulimit -v 1000000; $CLGAUSS_TUNE replay large.json");
  CHECK(mapped.exit_code == 6);
  CHECK(mapped.err.find("large.json: 2 GB") != std::string::npos);
  const auto piped = run_script(folder,
                                "ulimit -v 1000000; head -c 2000000000 /dev/zero | "
                                "$CLGAUSS_TUNE replay -");
  CHECK(piped.exit_code == 6);
  CHECK(piped.err.find("standard input: ") != std::string::npos);
}
#endif

TEST_CASE("what unpacks to more than memory can hold is refused") {
  const TemporaryFolder folder;
  const auto result = run_script(folder,
                                 "head -c 16000000 /dev/zero | tr '\\0' ' ' | gzip -1 >part\n"
                                 "for i in $(seq 200); do cat part; done >bomb.json.gz\n"
                                 "$CLGAUSS_TUNE replay bomb.json.gz");
  CHECK(result.exit_code == 6);
  CHECK(result.err.find("bomb.json.gz: unpacks to more than the ") != std::string::npos);
  const auto endless = run_script(folder, "$CLGAUSS_TUNE import /dev/zero");
  CHECK(endless.exit_code == 6);
  CHECK(endless.err.find("/dev/zero: holds more than the ") != std::string::npos);
  write_file(folder / "deep.json", std::string(1'000'000, '['));
  const auto deep = run_script(folder, "$CLGAUSS_TUNE replay deep.json");
  CHECK(deep.exit_code == 3);
  CHECK(deep.err.find("deep.json: no T4 results: it is nested too deeply") != std::string::npos);
}

TEST_CASE("numbers below zero are refused for every option that counts") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kSystem);
  for (const std::string arguments :
       {"generate --kind random --n -1", "generate --kind random --n=-1",
        "generate --kind random --n 3 --seed -1", "solve s.txt --cores-per-cu -1",
        "devices --cores-per-cu -1", "devices --cores-per-cu=-4294967295",
        "rule --total-cores 144 --compute-units 3 --multiple -32 --limit 1024",
        "generate --kind random --n 3 --rhs random --nrhs -2"}) {
    CAPTURE(arguments);
    const auto result = run_program(folder, arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find("below zero") != std::string::npos);
  }
  for (const std::string arguments :
       {"replay x.json --reps -1", "replay x.json --seed -1", "sweep --reps -1", "search --n -4"}) {
    CAPTURE(arguments);
    const auto result = run_tune(folder, arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find("below zero") != std::string::npos);
  }
}

TEST_CASE("the rule refuses numbers whose multiples do not fit 64 bits") {
  const TemporaryFolder folder;
  for (const std::string numbers :
       {"--total-cores 18446744073709551615 --compute-units 1 --multiple 7 --limit 1024",
        "--total-cores 18446744073709551614 --compute-units 1 --multiple 2 --limit 1024",
        "--total-cores 18446744073709551557 --compute-units 1 --multiple 18446744073709551533 "
        "--limit 1"}) {
    CAPTURE(numbers);
    const auto result = run_program(folder, "rule " + numbers);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find("64 bits") != std::string::npos);
  }
}

TEST_CASE(
    "a Matrix Market file is taken as [A | b] only with one column more than rows, or by word") {
  const TemporaryFolder folder;
  const std::string banner = "%%MatrixMarket matrix array real general\n";
  write_file(folder / "wide.mtx", banner + "2 4\n2\n0\n0\n4\n4\n8\n2\n4\n");
  write_file(folder / "one.mtx", banner + "2 3\n2\n0\n0\n4\n4\n8\n");
  const auto refused = run_program(folder, "solve -q wide.mtx");
  CHECK(refused.exit_code == 3);
  CHECK(refused.err.find("rhs augmented") != std::string::npos);
  const auto told = run_program(folder, "solve wide.mtx --rhs augmented");
  CHECK(told.exit_code == 0);
  CHECK(told.out == "2 1\n2 1\n");
  const auto one = run_program(folder, "solve one.mtx");
  CHECK(one.exit_code == 0);
  CHECK(one.out == "2\n2\n");
  CHECK(one.err.find("the last column of one.mtx is b") != std::string::npos);
  CHECK(run_program(folder, "solve one.mtx --rhs augmented --in-place").exit_code == 0);
}
