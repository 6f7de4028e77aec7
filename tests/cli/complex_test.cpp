#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/process.hpp"

using namespace clgauss::test;
using nlohmann::json;

namespace {

const char* const kHermitian =
    "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 2 0\n2 1 1 1\n2 2 3 0\n";
const char* const kRight = "%%MatrixMarket matrix array complex general\n2 1\n1 0\n0 1\n";

}  // namespace

TEST_CASE("solve takes complex files: x, the summary and the report") {
  const TemporaryFolder folder;
  write_file(folder / "A.mtx", kHermitian);
  write_file(folder / "b.mtx", kRight);
  const auto result = run_program(folder, "solve A.mtx --rhs b.mtx -o x.mtx --json r.json");
  CHECK_MESSAGE(result.exit_code == 0, result.err);
  CHECK(result.out.empty());
  for (const char* part : {"n = 2, 1 right-hand side, complex, c", "device", "time", "ok: <= 16"})
    CHECK_MESSAGE(result.err.find(part) != std::string::npos, result.err);
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["schema_version"] == 1);
  CHECK(report["status"] == "ok");
  CHECK(report["complex"] == true);
  CHECK(report["n"] == 2);
  CHECK(report["nrhs"] == 1);
  CHECK(report["method"] == "lu");
  CHECK(report["type"].get<std::string>().starts_with("c"));
  CHECK(report["scaled_residual"].get<double>() <= 16);
  CHECK(report["checked_by"] == "host");
  CHECK(report["time_s"]["total"].get<double>() > 0);
  // det = 4, x = (3 + (1 - i) / i, 2 i - (1 + i)) / 4 = (2 - i, -1 + i) / 4
  const auto text = run_program(folder, "solve A.mtx --rhs b.mtx -q --digits 4");
  CHECK(text.exit_code == 0);
  CHECK(text.err.empty());
  CHECK(text.out == "0.5 -0.25\n-0.25 0.25\n");
  CHECK(content_of(folder / "x.mtx")
            .starts_with("%%MatrixMarket matrix array complex general\n2 1\n"));
  const auto single =
      run_program(folder, "solve A.mtx --rhs b.mtx -q -o x.npy --type f32 --json s.json");
  CHECK(single.exit_code == 0);
  CHECK(json::parse(content_of(folder / "s.json"))["type"] == "c32");
  CHECK(content_of(folder / "x.npy").find("'<c16'") != std::string::npos);
  CHECK(run_program(folder, "solve A.mtx --rhs row-sums -q --digits 3").out == "1 0\n1 0\n");
  const auto piped = run_program(folder, "solve - --rhs b.mtx -q --digits 4 < A.mtx");
  CHECK(piped.out == text.out);
}

TEST_CASE("a complex system that is singular, or not finite, leaves no x") {
  const TemporaryFolder folder;
  write_file(folder / "A.mtx",
             "%%MatrixMarket matrix array complex general\n2 3\n1 1\n0 2\n0 0\n0 0\n1 0\n1 0\n");
  const auto result = run_program(folder, "solve A.mtx -q -o x.mtx --json r.json");
  CHECK(result.exit_code == 7);
  CHECK(result.err.find("the pivot of column 2 is exactly zero") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "x.mtx"));
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["status"] == "singular");
  CHECK(report["singular_column"] == 2);
  CHECK(report["scaled_residual"].is_null());
  write_file(folder / "N.mtx", "%%MatrixMarket matrix array complex general\n1 2\n1 0\n1 nan\n");
  CHECK(run_program(folder, "solve N.mtx").exit_code == 3);
  const auto overflow = run_program(folder, "solve N.mtx --allow-nonfinite -o x.mtx");
  CHECK(overflow.exit_code == 8);
  CHECK(overflow.err.find("OVERFLOW") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "x.mtx"));
  const auto strict = run_program(folder, "solve A.mtx --rhs ones");
  CHECK(strict.exit_code == 3);
}

TEST_CASE("what complex systems have not is refused by name, and nothing is written") {
  const TemporaryFolder folder;
  write_file(folder / "A.mtx", kHermitian);
  write_file(folder / "b.mtx", kRight);
  const auto before = run_script(folder, "ls").out;
  for (const char* option :
       {"--method cholesky", "--method mixed", "--method gauss", "--pivot tournament", "--in-place",
        "--certify", "--determinant", "--strict", "--equilibrate on", "--check device",
        "--accuracy max", "--local lcm", "--launches l.csv", "--accuracy single --type f64",
        "--output-format npz"}) {
    CAPTURE(option);
    const auto result = run_program(
        folder, std::string("solve A.mtx --rhs b.mtx -o x.mtx --json r.json ") + option);
    CHECK_MESSAGE(result.exit_code == 2, result.err);
    CHECK_MESSAGE(result.err.find("complex") != std::string::npos, result.err);
    const std::string text(option), name = text.substr(0, text.find(' '));
    if (name != "--output-format")
      CHECK_MESSAGE(result.err.find(name) != std::string::npos, result.err);
  }
  for (const char* command :
       {"det A.mtx", "cond A.mtx", "invert A.mtx -o x.mtx", "lstsq A.mtx --rhs b.mtx -o x.mtx",
        "solve A.mtx --rhs b.mtx --devices all -o x.mtx"}) {
    CAPTURE(command);
    const auto result = run_program(folder, command);
    CHECK_MESSAGE(result.exit_code == 3, result.err);
    CHECK_MESSAGE(result.err.find("solve takes complex systems") != std::string::npos, result.err);
  }
  CHECK(run_script(folder, "ls").out == before);
}
