#include <doctest/doctest.h>

#include <cmath>
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

TEST_CASE("solve by cholesky: of a Hermitian positive definite matrix, and what it refuses") {
  const TemporaryFolder folder;
  write_file(folder / "A.mtx", kHermitian);
  write_file(folder / "b.mtx", kRight);
  const auto result = run_program(
      folder, "solve A.mtx --rhs b.mtx --method cholesky --determinant --digits 4 --json r.json");
  CHECK_MESSAGE(result.exit_code == 0, result.err);
  CHECK(result.out == "0.5 -0.25\n-0.25 0.25\n");
  CHECK(result.err.find(", Cholesky\n") != std::string::npos);
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["method"] == "cholesky");
  CHECK(report["complex"] == true);
  CHECK(report["determinant"]["log10_abs"].get<double>() == doctest::Approx(std::log10(4)));
  write_file(
      folder / "indefinite.mtx",
      "%%MatrixMarket matrix coordinate complex hermitian\n2 2 3\n1 1 2 0\n2 1 1 1\n2 2 1 0\n");
  const auto indefinite = run_program(
      folder, "solve indefinite.mtx --rhs ones --method cholesky -o x.mtx --json r.json");
  CHECK_MESSAGE(indefinite.exit_code == 7, indefinite.err);
  CHECK_MESSAGE(indefinite.err.find("INDEFINITE the pivot of column 2 is 0: A is not positive "
                                    "definite") != std::string::npos,
                indefinite.err);
  CHECK(json::parse(content_of(folder / "r.json"))["status"] == "not_positive_definite");
  CHECK_FALSE(std::filesystem::exists(folder / "x.mtx"));
  write_file(folder / "symmetric.mtx",
             "%%MatrixMarket matrix coordinate complex symmetric\n2 2 3\n1 1 2 0\n2 1 1 1\n2 2 3 "
             "0\n");
  const auto refused = run_program(folder, "solve symmetric.mtx --rhs ones --method cholesky");
  CHECK_MESSAGE(refused.exit_code == 3, refused.err);
  CHECK_MESSAGE(refused.err.find("A is not Hermitian, which the method cholesky needs: element "
                                 "(2, 1) is 1+1i, element (1, 2) is 1+1i") != std::string::npos,
                refused.err);
}

TEST_CASE("complex systems: --equilibrate, and what was scaled is said") {
  const TemporaryFolder folder;
  // Rows (2, 1 - i) 2^-12 and (1 + i, 3): x = (2 - i, -1 + i) / 4.
  write_file(folder / "rows.mtx",
             "%%MatrixMarket matrix array complex general\n2 2\n4.8828125e-4 0\n1 1\n"
             "2.44140625e-4 -2.44140625e-4\n3 0\n");
  write_file(folder / "b.mtx",
             "%%MatrixMarket matrix array complex general\n2 1\n2.44140625e-4 0\n0 1\n");
  const auto of = [&](const std::string& arguments) {
    const auto result =
        run_program(folder, "solve rows.mtx --rhs b.mtx --digits 4 --json r.json " + arguments);
    CHECK_MESSAGE(result.exit_code == 0, result.err);
    CHECK(result.out == "0.5 -0.25\n-0.25 0.25\n");
    return json::parse(content_of(folder / "r.json"))["equilibration"];
  };
  CHECK(of("") == json{{"mode", "auto"}, {"rows", true}, {"columns", false}});
  CHECK(of("--equilibrate on --method mixed") ==
        json{{"mode", "on"}, {"rows", true}, {"columns", true}});
  CHECK(of("--equilibrate off") == json{{"mode", "off"}, {"rows", false}, {"columns", false}});
  CHECK(run_program(folder, "solve rows.mtx --rhs b.mtx -o x.mtx").err.find("rows equilibrated") !=
        std::string::npos);
  write_file(folder / "A.mtx", kHermitian);
  const auto refused =
      run_program(folder, "solve A.mtx --rhs ones --method cholesky --equilibrate on -o y.mtx");
  CHECK_MESSAGE(refused.exit_code == 2, refused.err);
  CHECK_MESSAGE(
      refused.err.find("--equilibrate belongs to --method lu or mixed") != std::string::npos,
      refused.err);
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

TEST_CASE("complex systems: trust, refinement and the determinant in summary and report") {
  const TemporaryFolder folder;
  write_file(folder / "A.mtx", kHermitian);
  write_file(folder / "b.mtx", kRight);
  // rcond = 1 / (4.414 / 4 4.414), moduli: the columns of A are 2, 1 + i and 1 - i, 3.
  const double rcond = 4 / std::pow(3 + std::sqrt(2.0), 2);
  const auto lu = run_program(
      folder, "solve A.mtx --rhs b.mtx --check host --determinant --strict -o x.mtx --json r.json");
  CHECK_MESSAGE(lu.exit_code == 0, lu.err);
  json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["checked_by"] == "host");
  CHECK(report["error_estimate"]["rcond"].get<double>() == doctest::Approx(rcond).epsilon(1e-6));
  CHECK(report["error_estimate"]["forward_error"].size() == 1);
  CHECK(report["error_estimate"]["correct_digits"].get<int>() >= 14);
  CHECK(report["determinant"]["phase"][0].get<double>() == doctest::Approx(1));
  CHECK(std::abs(report["determinant"]["phase"][1].get<double>()) <= 1e-12);
  CHECK(report["determinant"]["log10_abs"].get<double>() == doctest::Approx(std::log10(4)));
  CHECK(report["determinant"]["relative_error"].get<double>() <= 1e-4);
  for (const char* part : {"estimate   rcond 2.1e-01", "det A      10^0.602"})
    CHECK_MESSAGE(lu.err.find(part) != std::string::npos, lu.err);

  const auto mixed =
      run_program(folder, "solve A.mtx --rhs b.mtx --method mixed -o x.mtx --json r.json");
  CHECK_MESSAGE(mixed.exit_code == 0, mixed.err);
  report = json::parse(content_of(folder / "r.json"));
  CHECK(report["method"] == "mixed");
  CHECK(report["type"] == "c32");
  CHECK(report["accuracy"] == "double");
  CHECK(report["refinement"]["accepted"] == true);
  CHECK(report["refinement"]["residuals_by"] == "host");
  CHECK(mixed.err.find("complex, double accuracy by LU in c32") != std::string::npos);
  CHECK(mixed.err.find("refined    ") != std::string::npos);

  for (const std::string method : {"lu", "mixed", "cholesky"}) {
    CAPTURE(method);
    const auto by_device = run_program(folder,
                                       "solve A.mtx --rhs b.mtx --check device --digits 4 "
                                       "--json r.json --method " +
                                           method);
    CHECK_MESSAGE(by_device.exit_code == 0, by_device.err);
    CHECK(by_device.out == "0.5 -0.25\n-0.25 0.25\n");
    report = json::parse(content_of(folder / "r.json"));
    CHECK(report["checked_by"] == "device");
    if (method == "mixed") CHECK(report["refinement"]["residuals_by"] == "device");
    CHECK(report["error_estimate"]["rcond"].get<double>() == doctest::Approx(rcond).epsilon(1e-6));
  }

  const auto most =
      run_program(folder, "solve A.mtx --rhs b.mtx --accuracy max -o x.mtx --json r.json");
  CHECK_MESSAGE(most.exit_code == 0, most.err);
  report = json::parse(content_of(folder / "r.json"));
  CHECK(report["accuracy"] == "max");
  CHECK(report["refinement"]["forward_errors"].size() == 1);
  CHECK(most.err.find("in extra precision") != std::string::npos);

  const auto silent =
      run_program(folder, "solve A.mtx --rhs b.mtx --no-rcond -o x.mtx --json r.json");
  CHECK(silent.exit_code == 0);
  CHECK(json::parse(content_of(folder / "r.json"))["error_estimate"].is_null());
  CHECK(run_program(folder, "solve A.mtx --rhs b.mtx --no-rcond --strict").exit_code == 2);
}

TEST_CASE("an ill-conditioned complex system is warned of, and --strict ends with exit code 9") {
  const TemporaryFolder folder;
  // Columns (1, 1) and (1 + i 2^-23 .., 1): rcond is about 1e-16 of 2^-54.
  write_file(folder / "A.mtx",
             "%%MatrixMarket matrix array complex general\n2 2\n1 0\n1 0\n"
             "1 1.1102230246251565e-16\n1 0\n");
  const auto warned = run_program(folder, "solve A.mtx --rhs ones -o x.mtx --accuracy double");
  CHECK_MESSAGE(warned.exit_code == 0, warned.err);
  CHECK_MESSAGE(warned.err.find("WARNING    the matrix is nearly singular (rcond 3e-17)") !=
                    std::string::npos,
                warned.err);
  const auto strict = run_program(folder, "solve A.mtx --rhs ones -q --strict -o x.mtx");
  CHECK_MESSAGE(strict.exit_code == 9, strict.err);
  CHECK(strict.err.find("nearly singular") != std::string::npos);
  CHECK(std::filesystem::exists(folder / "x.mtx"));
}

TEST_CASE("what complex systems have not is refused by name, and nothing is written") {
  const TemporaryFolder folder;
  write_file(folder / "A.mtx", kHermitian);
  write_file(folder / "b.mtx", kRight);
  const auto before = run_script(folder, "ls").out;
  for (const char* option : {"--method rbt", "--method gauss", "--pivot tournament", "--in-place",
                             "--local lcm", "--launches l.csv", "--output-format npz"}) {
    CAPTURE(option);
    const auto result = run_program(
        folder, std::string("solve A.mtx --rhs b.mtx -o x.mtx --json r.json ") + option);
    CHECK_MESSAGE(result.exit_code == 2, result.err);
    CHECK_MESSAGE(result.err.find("complex") != std::string::npos, result.err);
    const std::string text(option), name = text.substr(0, text.find(' '));
    if (name != "--output-format")
      CHECK_MESSAGE(result.err.find(name) != std::string::npos, result.err);
  }
  for (const char* option : {"--method mixed --accuracy single", "--method mixed --type f64",
                             "--method lu --accuracy double --type f32"}) {
    CAPTURE(option);
    const auto result = run_program(
        folder, std::string("solve A.mtx --rhs b.mtx -o x.mtx --json r.json ") + option);
    CHECK_MESSAGE(result.exit_code == 2, result.err);
    CHECK_MESSAGE(result.err.find("mixed") != std::string::npos, result.err);
  }
  for (const char* command :
       {"lstsq A.mtx --rhs b.mtx -o x.mtx", "solve A.mtx --rhs b.mtx --devices all -o x.mtx"}) {
    CAPTURE(command);
    const auto result = run_program(folder, command);
    CHECK_MESSAGE(result.exit_code == 3, result.err);
    CHECK_MESSAGE(result.err.find("solve takes complex systems") != std::string::npos, result.err);
  }
  const auto inverse = run_program(folder, "invert A.mtx --method cholesky -o x.mtx");
  CHECK_MESSAGE(inverse.exit_code == 2, inverse.err);
  CHECK_MESSAGE(inverse.err.find("--method cholesky inverts real") != std::string::npos,
                inverse.err);
  const auto npz = run_program(folder, "invert A.mtx -o x.npz");
  CHECK_MESSAGE(npz.exit_code == 2, npz.err);
  CHECK_MESSAGE(npz.err.find("complex") != std::string::npos, npz.err);
  CHECK(run_script(folder, "ls").out == before);
}

TEST_CASE("solve, det and cond by L D L^H, and the inertia of Hermitian matrices") {
  const TemporaryFolder folder;
  write_file(folder / "definite.mtx", kHermitian);
  // [[0, 1 - 2i], [1 + 2i, 0]]: the eigenvalues are +-sqrt(5).
  write_file(folder / "A.mtx",
             "%%MatrixMarket matrix array complex hermitian\n2 2\n0 0\n1 2\n0 0\n");
  const auto solved = run_program(
      folder,
      "solve A.mtx --rhs ones --method ldlt --determinant --digits 6 -o x.txt --json r.json");
  CHECK_MESSAGE(solved.exit_code == 0, solved.err);
  CHECK(content_of(folder / "x.txt") == "0.2 -0.4\n0.2 0.4\n");
  for (const char* part : {"complex, c", "L D L^T", "inertia    1 positive, 1 negative, 0 zero",
                           "estimate   rcond", "residual   backward error"})
    CHECK_MESSAGE(solved.err.find(part) != std::string::npos, solved.err);
  json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["method"] == "ldlt");
  CHECK(report["complex"] == true);
  CHECK(report["inertia"] == json{{"positive", 1}, {"negative", 1}, {"zero", 0}});
  CHECK(report["determinant"]["phase"][0].get<double>() == doctest::Approx(-1));
  CHECK(report["error_estimate"]["rcond"].get<double>() == doctest::Approx(1).epsilon(1e-5));

  CHECK(run_program(folder, "inertia A.mtx -q").out ==
        "inertia    1 positive, 1 negative, 0 zero eigenvalues\n");
  const auto definite = run_program(folder, "inertia definite.mtx --json");
  CHECK_MESSAGE(definite.exit_code == 0, definite.err);
  report = json::parse(definite.out);
  CHECK(report["complex"] == true);
  CHECK(report["inertia"] == json{{"positive", 2}, {"negative", 0}, {"zero", 0}});
  for (const char* method : {"ldlt", "cholesky"}) {
    const std::string by = std::string(" definite.mtx -q --method ") + method;
    CHECK(run_program(folder, "det" + by).out.starts_with("det A      10^0.602"));
    CHECK(run_program(folder, "cond" + by).out == "cond A     4.87 (rcond 0.205)\n");
  }
  write_file(folder / "zero.mtx",
             "%%MatrixMarket matrix array complex hermitian\n2 2\n0 0\n0 0\n-1 0\n");
  CHECK(run_program(folder, "inertia zero.mtx -q").out ==
        "inertia    0 positive, 1 negative, 1 zero eigenvalues\n");
  CHECK(run_program(folder, "solve zero.mtx --rhs ones --method ldlt -o y.txt").exit_code == 7);
  write_file(folder / "general.mtx",
             "%%MatrixMarket matrix array complex general\n2 2\n1 0\n1 1\n1 1\n1 0\n");
  for (const char* command :
       {"inertia general.mtx", "solve general.mtx --rhs ones --method ldlt -o y.txt"}) {
    const auto general = run_program(folder, command);
    CHECK(general.exit_code == 3);
    CHECK_MESSAGE(general.err.find("A is not Hermitian, which the method ldlt needs: element "
                                   "(2, 1) is 1+1i") != std::string::npos,
                  general.err);
  }
  CHECK_FALSE(std::filesystem::exists(folder / "y.txt"));
}

TEST_CASE("--certify proves digits of a complex x, or exits with 8 and says why not") {
  const TemporaryFolder folder;
  write_file(folder / "A.mtx", kHermitian);
  write_file(folder / "b.mtx", kRight);
  const auto result =
      run_program(folder, "solve A.mtx --rhs b.mtx --certify --device pocl -o x.mtx --json r.json");
  CHECK_MESSAGE(result.exit_code == 0, result.err);
  CHECK_MESSAGE(result.err.find("proven     every number of x that is not 0 is right to 15.") !=
                    std::string::npos,
                result.err);
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["certificate"]["proven"] == true);
  CHECK(report["certificate"]["digits"].get<double>() > 15);
  CHECK(report["time_s"]["certify"].get<double>() > 0);
  write_file(folder / "near.mtx",
             "%%MatrixMarket matrix array complex general\n2 2\n1 1\n1 1\n1 1\n"
             "1.0000000000000002 1\n");
  const auto none = run_program(
      folder, "solve near.mtx --rhs b.mtx --certify --device pocl -q -o x.mtx --json r.json");
  CHECK_MESSAGE(none.exit_code == 8, none.err);
  CHECK_MESSAGE(none.err.starts_with("PROVEN     nothing: "), none.err);
  CHECK(json::parse(content_of(folder / "r.json"))["certificate"]["proven"] == false);
}

TEST_CASE("invert, det and cond of complex matrices") {
  const TemporaryFolder folder;
  write_file(folder / "A.mtx", kHermitian);
  const auto inverse = run_program(folder, "invert A.mtx --digits 6 --json r.json");
  CHECK_MESSAGE(inverse.exit_code == 0, inverse.err);
  CHECK(inverse.out == "0.75 0 -0.25 0.25\n-0.25 -0.25 0.5 0\n");
  for (const char* part : {"n = 2, complex, c", "rcond", "||A X - I||", "ok: <= 16"})
    CHECK_MESSAGE(inverse.err.find(part) != std::string::npos, inverse.err);
  json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["complex"] == true);
  CHECK(report["rcond"].get<double>() ==
        doctest::Approx(4 / std::pow(3 + std::sqrt(2.0), 2)).epsilon(1e-6));
  CHECK(report["scaled_residual"].get<double>() <= 16);
  const auto det = run_program(folder, "det A.mtx --json");
  CHECK_MESSAGE(det.exit_code == 0, det.err);
  report = json::parse(det.out);
  CHECK(report["complex"] == true);
  CHECK(report["determinant"]["log10_abs"].get<double>() == doctest::Approx(std::log10(4)));
  CHECK(report["determinant"]["phase"][0].get<double>() == doctest::Approx(1));
  CHECK_FALSE(report.contains("nrhs"));
  CHECK(run_program(folder, "det A.mtx -q").out.starts_with("det A      10^0.602"));
  const auto cond = run_program(folder, "cond A.mtx -q");
  CHECK_MESSAGE(cond.out == "cond A     4.87 (rcond 0.205)\n", cond.out);

  write_file(folder / "zero.mtx",
             "%%MatrixMarket matrix array complex general\n2 2\n0 1\n0 2\n0 0\n0 0\n");
  const auto zero = run_program(folder, "det zero.mtx -q");
  CHECK(zero.exit_code == 0);
  CHECK(zero.out == "det A      0\n");
  CHECK(run_program(folder, "cond zero.mtx -q").out.starts_with("cond A     inf"));
  CHECK(run_program(folder, "invert zero.mtx -q -o x.mtx").exit_code == 7);
  write_file(folder / "wide.mtx", "%%MatrixMarket matrix array complex general\n1 2\n0 1\n0 2\n");
  const auto wide = run_program(folder, "det wide.mtx");
  CHECK(wide.exit_code == 3);
  CHECK(wide.err.find("1 x 2, not square") != std::string::npos);
}
