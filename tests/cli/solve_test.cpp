#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/process.hpp"
#include "support/text.hpp"

using namespace clgauss::test;
using doctest::Contains;
using nlohmann::json;

namespace {

const char* const kExchange = "0 1 5\n1 0 7\n";

}  // namespace

TEST_CASE("x goes to standard output and the summary to standard error") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kExchange);
  const auto result = run_program(folder, "solve s.txt");
  CHECK(result.exit_code == 0);
  CHECK(numbers_of(result.out) == std::vector<double>{7, 5});
  for (const char* part : {"n = 2", "device", "time", "backward error", "scaled residual"})
    CHECK(result.err.find(part) != std::string::npos);
  CHECK(run_program(folder, "solve s.txt --quiet").err.empty());
  const auto from_stdin = run_program(folder, "solve - < s.txt");
  CHECK(numbers_of(from_stdin.out) == std::vector<double>{7, 5});
}

TEST_CASE("the JSON report has every documented key") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kExchange);
  REQUIRE(run_program(folder, "solve s.txt -o x.txt --json r.json --determinant").exit_code == 0);
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["schema_version"] == 1);
  CHECK(report["status"] == "ok");
  CHECK(report["n"] == 2);
  CHECK(report["nrhs"] == 1);
  CHECK(report["method"] == "lu");
  for (const char* key : {"spec", "name", "driver"}) CHECK(report["device"][key].is_string());
  for (const char* key : {"rule", "size", "raw", "main_launches", "remainder_launches"})
    CHECK(report["work_group"].contains(key));
  for (const char* key : {"read", "build", "upload", "forward", "backward", "download", "total"})
    CHECK(report["time_s"][key].get<double>() >= 0);
  CHECK(report["backward_error"] == 0);
  CHECK(report["scaled_residual"] == 0);
  CHECK(report["determinant"]["sign"] == -1);
  CHECK(report["determinant"]["log10_abs"] == 0);
  CHECK(report["determinant"]["relative_error"].get<double>() > 0);
  CHECK(report["determinant"]["relative_error"].get<double>() < 1e-12);
  CHECK(only_holds(folder, {"s.txt", "x.txt", "r.json"}));
}

TEST_CASE("x is written in the format of its extension") {
  const TemporaryFolder folder;
  REQUIRE(
      run_program(folder, "generate --kind random --n 9 --seed 4 --rhs none -o a.npy").exit_code ==
      0);
  for (const std::string name : {"x.mtx", "x.npy", "x.csv", "x.tsv", "x.txt"}) {
    CAPTURE(name);
    CHECK(run_program(folder, "solve a.npy --rhs row-sums -o " + name).exit_code == 0);
    // Solved again with I x = x, the file must read back as the ones it holds.
    REQUIRE(
        run_program(folder, "generate --kind permuted-identity --n 9 --seed 1 --rhs none -o p.mtx")
            .exit_code == 0);
    const auto again = run_program(folder, "solve p.mtx --rhs " + name);
    CHECK(again.exit_code == 0);
    for (const double value : numbers_of(again.out))
      CHECK(value == doctest::Approx(1.0).epsilon(1e-4));
  }
}

TEST_CASE("A and b in separate files, ones and row sums") {
  const TemporaryFolder folder;
  write_file(folder / "a.mtx",
             "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n2 1 1\n2 2 3\n");
  write_file(folder / "b.txt", "6\n7\n");
  CHECK(numbers_of(run_program(folder, "solve a.mtx --rhs b.txt").out) ==
        std::vector<double>{1, 2});
  CHECK(numbers_of(run_program(folder, "solve a.mtx --rhs row-sums").out) ==
        std::vector<double>{1, 1});
  const auto ones = numbers_of(run_program(folder, "solve a.mtx --rhs ones").out);
  CHECK(ones.size() == 2);
  CHECK(4 * ones[0] + ones[1] == doctest::Approx(1));
}

TEST_CASE("every option of the elimination is taken, on a size that no group divides") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind spd --n 37 -o s.txt").exit_code == 0);
  CHECK(run_program(folder, "solve s.txt --local 16").err.find("Gauss elimination") !=
        std::string::npos);
  CHECK(run_program(folder, "solve s.txt --local 16 --method lu").exit_code == 2);
  CHECK(run_program(folder, "solve s.txt --pivot tournament --method gauss").exit_code == 2);
  for (const std::string options :
       {"--method lu", "--method gauss", "--pivot tournament", "--local driver", "--local lcm",
        "--local 1", "--local 16", "--ndrange shrinking", "--ndrange fixed --pivot none",
        "--type f32", "--split auto --local 5", "--method gauss --cores-per-cu 3", "--device auto",
        "--local 38 --split off --ndrange fixed --pivot none"}) {
    CAPTURE(options);
    const auto result = run_program(folder, "solve s.txt " + options);
    const bool refused = options.find("off") != std::string::npos;  // 38 columns, but 37 rows
    CHECK(result.exit_code == (refused ? 5 : 0));
    if (refused) CHECK(result.err.find("does not divide") != std::string::npos);
    if (!refused)
      for (const double value : numbers_of(result.out))
        CHECK(value == doctest::Approx(1.0).epsilon(1e-4));
  }
}

TEST_CASE("--launches records what was launched, with event times") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kExchange);
  REQUIRE(run_program(folder, "solve s.txt --launches l.csv --local 2").exit_code == 0);
  std::istringstream lines(content_of(folder / "l.csv"));
  std::string line;
  std::getline(lines, line);
  CHECK(line == "kernel,part,global0,global1,offset0,offset1,local,local1,time_ns");
  std::size_t main = 0, remainder = 0;
  while (std::getline(lines, line)) {
    (line.find(",remainder,") != std::string::npos ? remainder : main) += 1;
    CHECK(line.back() != ',');  // a time
  }
  CHECK(main == 7);  // pivot, swap, fwd_pre, fwd, 2 bwd, diagonal
  CHECK(remainder ==
        4);  // of swap and fwd, which have 3 columns; both bwd_prepare, which have one work-item
}

TEST_CASE("--compare shows both work-group sizes and their ratio") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 52 -o s.txt").exit_code == 0);
  const auto result = run_program(folder, "solve s.txt --compare --reps 2 --json r.json");
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("driver's default") != std::string::npos);
  CHECK(result.out.find("times as long") != std::string::npos);
  const json comparison = json::parse(content_of(folder / "r.json"))["comparison"];
  CHECK(comparison["driver"]["samples_s"].size() == 2);
  CHECK(comparison["chosen"]["samples_s"].size() == 2);
  CHECK(comparison["ratio"].get<double>() > 0);
  CHECK(comparison["max_difference"].get<double>() <= 1e-3);
  CHECK(run_program(folder, "solve s.txt --compare --local driver").exit_code == 2);
}

TEST_CASE("a singular system exits with 7, names the column and writes no x") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "1 2 3\n2 4 6\n");
  const auto result = run_program(folder, "solve s.txt -o x.txt --json r.json --determinant");
  CHECK(result.exit_code == 7);
  CHECK(result.err.find("column 2 is exactly zero") != std::string::npos);
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["status"] == "singular");
  CHECK(report["singular_column"] == 2);
  CHECK(report["scaled_residual"].is_null());
  CHECK(report["determinant"]["sign"] == 0);
  CHECK(only_holds(folder, {"s.txt", "r.json"}));
  write_file(folder / "e.txt", kExchange);
  const auto unpivoted = run_program(folder, "solve e.txt --pivot none");
  CHECK(unpivoted.exit_code == 7);
  CHECK(unpivoted.err.find("column 1") != std::string::npos);
  CHECK(unpivoted.err.find("--pivot partial") != std::string::npos);
  CHECK(unpivoted.out.empty());
}

TEST_CASE("an answer that misses the accuracy asked for exits with 8 and is still written") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 30 --rhs random -o s.txt").exit_code ==
          0);
  const auto result = run_program(folder, "solve s.txt --max-residual 1e-9 -o x.txt --json r.json");
  CHECK(result.exit_code == 8);
  CHECK(json::parse(content_of(folder / "r.json"))["status"] == "inaccurate");
  CHECK(numbers_of(content_of(folder / "x.txt")).size() == 30);
}

TEST_CASE("the environment chooses device, kernels and cache") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kExchange);
  CHECK(run_program(folder, "solve s.txt", "CLGAUSS_DEVICE=auto").exit_code == 0);
  const auto wrong = run_program(folder, "solve s.txt", "CLGAUSS_DEVICE=no-such-device");
  CHECK(wrong.exit_code == 4);
  CHECK(wrong.err.find("There are:") != std::string::npos);
  CHECK(
      run_program(folder, "solve s.txt --device auto", "CLGAUSS_DEVICE=no-such-device").exit_code ==
      0);

  const std::string kernels = "CLGAUSS_KERNEL_DIR='" + kernel_folder().string() + "'";
  CHECK(run_program(folder, "solve s.txt", kernels).exit_code == 0);
  write_file(folder / "gauss.cl", "this is no kernel\n");
  const auto broken = run_program(folder, "solve s.txt --method gauss --kernel-dir .");
  CHECK(broken.exit_code == 5);
  CHECK(broken.err.find("gauss.cl does not build") != std::string::npos);
  CHECK(run_program(folder, "solve s.txt --kernel-dir nowhere").exit_code == 3);

  const std::string cache = "XDG_CACHE_HOME='" + folder.path().string() + "/cache'";
  CHECK(run_program(folder, "solve s.txt", cache + " CLGAUSS_CACHE=off").exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "cache/clgauss"));
  // PoCL, which keeps built kernels itself, is not the device to ask.
  const auto cached = run_program(folder, "solve s.txt --device rusticl", cache);
  if (cached.exit_code == 4) return;  // a machine without rusticl, which test.sh does not allow
  CHECK(cached.exit_code == 0);
  CHECK(std::filesystem::exists(folder / "cache/clgauss"));
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cache/clgauss"))
    write_file(entry.path(), "damaged");
  CHECK(run_program(folder, "solve s.txt --device rusticl", cache).exit_code == 0);
}

TEST_CASE("without any OpenCL platform the program says what to install") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kExchange);
  std::filesystem::create_directory(folder / "no-vendors");
  const std::string nothing = "OCL_ICD_VENDORS='" + folder.path().string() + "/no-vendors/'";
  for (const std::string arguments : {"solve s.txt", "devices", "devices --json"}) {
    const auto result = run_program(folder, arguments, nothing);
    CHECK(result.exit_code == 4);
    CHECK(result.err.find("pocl-opencl-icd") != std::string::npos);
  }
  CHECK(json::parse(run_program(folder, "devices --json", nothing).out) == json::array());
}

TEST_CASE("a system that the device's memory cannot hold exits with 6 and names both sizes") {
  const TemporaryFolder folder;
  // 12000 x 12000 doubles are 1152 MB, with padded rows 1153; PoCL told to use 1 GB cannot hold
  // them.
  write_file(folder / "a.mtx",
             "%%MatrixMarket matrix coordinate real general\n12000 12000 1\n1 1 1\n");
  const auto result =
      run_program(folder, "solve a.mtx --rhs ones --device pocl", "POCL_MEMORY_LIMIT=1");
  if (result.exit_code == 4) return;  // a machine without PoCL, which test.sh does not allow
  CHECK(result.exit_code == 6);
  CHECK(result.err.find("needs ") != std::string::npos);
  CHECK(result.err.find("matrix 115") != std::string::npos);
  CHECK(result.err.find("is 1073.7 MB") != std::string::npos);
}

TEST_CASE("an interrupted solve exits with 130 and leaves nothing half-written") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 2000 --rhs none -o a.npy").exit_code ==
          0);
  const auto result = run_program(folder, "solve a.npy --rhs ones --local 1 -o x.npy --json r.json",
                                  "timeout --foreground --preserve-status --signal INT 1");
  CHECK(result.exit_code == 130);
  CHECK(result.err == "clgauss: interrupted\n");
  CHECK(only_holds(folder, {"a.npy"}));
}

TEST_CASE("--in-place reads the file again and gives the same answer") {
  const TemporaryFolder folder;
  for (const std::string file : {"s.txt --rhs row-sums", "s.npy --rhs ones", "s.mtx --rhs ones"}) {
    CAPTURE(file);
    REQUIRE(run_program(folder,
                        "generate --kind random --n 50 --seed 2 --rhs none -o " + file.substr(0, 5))
                .exit_code == 0);
    const auto kept = run_program(folder, "solve " + file);
    const auto in_place = run_program(folder, "solve --in-place " + file);
    CHECK(in_place.exit_code == 0);
    CHECK(in_place.out == kept.out);
  }
  write_file(folder / "augmented.txt", kExchange);
  CHECK(numbers_of(run_program(folder, "solve --in-place augmented.txt").out) ==
        std::vector<double>{7, 5});
  for (const std::string arguments :
       {"- --in-place < augmented.txt", "augmented.txt --in-place --method gauss",
        "augmented.txt --in-place --pivot none", "augmented.txt --in-place --local 4"}) {
    CAPTURE(arguments);
    const auto result = run_program(folder, "solve " + arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find("--in-place") != std::string::npos);
    CHECK(result.out.empty());
  }
}

TEST_CASE("a system beyond the range of the type is named so, with exit code 8 and without x") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "1 0 1e200\n0 1e-200 1e200\n");
  const auto result = run_program(folder, "solve s.txt -o x.txt --json r.json --determinant");
  CHECK(result.exit_code == 8);
  CHECK(result.err.find("OVERFLOW") != std::string::npos);
  CHECK(result.err.find("SINGULAR") == std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "x.txt"));
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["status"] == "overflow");
  CHECK(report["scaled_residual"].is_null());
  CHECK_FALSE(report.contains("singular_column"));

  REQUIRE(run_program(folder, "generate --kind wilkinson --n 200 -o w.txt").exit_code == 0);
  const auto growth = run_program(folder, "solve w.txt --type f32 --json r.json --determinant");
  CHECK(growth.exit_code == 8);
  CHECK(growth.out.empty());
  CHECK(growth.err.find("use --type f64") != std::string::npos);
  CHECK(growth.err.find("det A      not known") != std::string::npos);
  CHECK(json::parse(content_of(folder / "r.json"))["overflow_column"] == 200);
}

TEST_CASE("-q leaves the one line that says why the exit code is not 0") {
  const TemporaryFolder folder;
  write_file(folder / "singular.txt", "1 2 3\n2 4 6\n");
  write_file(folder / "overflow.txt", "1 0 1e200\n0 1e-200 1e200\n");
  REQUIRE(run_program(folder, "generate --kind random --n 30 --rhs random -o s.txt").exit_code ==
          0);
  const auto fails = [&](int code, const std::string& arguments, const std::string& line) {
    CAPTURE(arguments);
    const auto result = run_program(folder, "solve -q -o x.txt " + arguments);
    CHECK(result.exit_code == code);
    CHECK(result.err.starts_with(line));
    CHECK(std::ranges::count(result.err, '\n') == 1);
  };
  fails(7, "singular.txt", "SINGULAR   the pivot of column 2 is exactly zero");
  fails(8, "overflow.txt", "OVERFLOW   x has numbers beyond the range of f64");
  fails(8, "s.txt --max-residual 1e-9", "residual   backward error");
}
