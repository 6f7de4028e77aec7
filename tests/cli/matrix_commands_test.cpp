#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/indefinite.hpp"
#include "support/process.hpp"
#include "support/text.hpp"

using namespace clgauss::test;
using doctest::Contains;
using nlohmann::json;

namespace {

const char* const kTwo = "4 7\n2 6\n";         // det 10, inverse [0.6 -0.7; -0.2 0.4]
const char* const kDefinite = "4 2\n2 3\n";    // det 8
const char* const kIndefinite = "1 2\n2 1\n";  // det -3
const char* const kRankOne = "1 2\n2 4\n";

}  // namespace

TEST_CASE("invert writes the inverse and checks it") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", kTwo);
  const auto result = run_program(folder, "invert a.txt --json r.json");
  CHECK(result.exit_code == 0);
  const std::vector<double> x = numbers_of(result.out);
  REQUIRE(x.size() == 4);
  const double expected[] = {0.6, -0.7, -0.2, 0.4};
  for (std::size_t i = 0; i < 4; ++i) CHECK(x[i] == doctest::Approx(expected[i]).epsilon(1e-14));
  for (const char* part : {"n = 2", "LU", "device", "time", "rcond", "||A X - I||", "ok: <= 16"})
    CHECK(result.err.find(part) != std::string::npos);
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["schema_version"] == 1);
  CHECK(report["status"] == "ok");
  CHECK(report["n"] == 2);
  CHECK(report["method"] == "lu");
  CHECK(report["rcond"].get<double>() == doctest::Approx(1 / (13.0 * 1.1)));
  CHECK(report["scaled_residual"].get<double>() <= 16);
  CHECK(report["residual"].get<double>() <= 1e-14);
  write_file(folder / "spd.txt", kDefinite);
  const auto cholesky = run_program(folder, "invert spd.txt --method cholesky -o x.npy -q");
  CHECK(cholesky.exit_code == 0);
  CHECK(cholesky.err.empty());
  CHECK(std::filesystem::exists(folder / "x.npy"));
}

TEST_CASE("det prints sign and logarithm, cond the condition") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", kTwo);
  write_file(folder / "spd.txt", kDefinite);
  write_file(folder / "indefinite.txt", kIndefinite);
  CHECK_MESSAGE(run_program(folder, "det a.txt -q").out.find("= 10,") != std::string::npos,
                run_program(folder, "det a.txt -q").out);
  CHECK(run_program(folder, "det spd.txt --method cholesky -q").out.find("= 8,") !=
        std::string::npos);
  const auto negative = run_program(folder, "det indefinite.txt -q --json");
  CHECK(negative.exit_code == 0);
  const json report = json::parse(negative.out);
  CHECK(report["determinant"]["sign"] == -1);
  CHECK(report["determinant"]["log10_abs"].get<double>() == doctest::Approx(std::log10(3)));
  CHECK_FALSE(report.contains("nrhs"));
  const auto condition = run_program(folder, "cond a.txt --json");
  CHECK(condition.exit_code == 0);
  CHECK(json::parse(condition.out)["condition"]["estimate"].get<double>() ==
        doctest::Approx(13 * 1.1));
  CHECK(run_program(folder, "cond a.txt -q").out == "cond A     14.3 (rcond 0.0699)\n");
  // 10^600 is no double.
  std::string large = "%%MatrixMarket matrix coordinate real general\n4 4 4\n";
  for (const char* row : {"1 1 1e150\n", "2 2 1e150\n", "3 3 1e150\n", "4 4 -1e150\n"})
    large += row;
  write_file(folder / "large.mtx", large);
  const auto huge = run_program(folder, "det large.mtx -q");
  CHECK(huge.exit_code == 0);
  CHECK(huge.out.find("-10^600") != std::string::npos);
}

TEST_CASE("invert --certify proves bounds, or exits with 8 and says why not") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", kTwo);
  const auto proven =
      run_program(folder, "invert a.txt --certify --device pocl -o x.txt --json r.json");
  CHECK_MESSAGE(proven.exit_code == 0, proven.err);
  CHECK_MESSAGE(proven.err.find("\nproven     every number of X that is not 0 is right to 15.") !=
                    std::string::npos,
                proven.err);
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["certificate"]["proven"] == true);
  CHECK(report["certificate"]["digits"].get<double>() > 15);
  CHECK(report["time_s"]["certify"].get<double>() > 0);
  write_file(folder / "near.txt", "1134903170 701408733\n701408733 433494437\n");
  const auto not_proven =
      run_program(folder, "invert near.txt --certify --device pocl -q -o x.txt --json r.json");
  CHECK_MESSAGE(not_proven.exit_code == 8, not_proven.err);
  CHECK_MESSAGE(not_proven.err.starts_with("PROVEN     nothing: "), not_proven.err);
  CHECK(json::parse(content_of(folder / "r.json"))["certificate"]["proven"] == false);
  run_program(folder, "invert a.txt --device pocl -q -o x.txt --json r.json");
  CHECK(json::parse(content_of(folder / "r.json"))["certificate"].is_null());
  write_file(folder / "c.mtx",
             "%%MatrixMarket matrix array complex general\n2 2\n0 4\n0 2\n0 7\n0 6\n");
  const auto complex = run_program(folder, "invert c.mtx --certify --device pocl -o x.mtx");
  CHECK_MESSAGE(complex.exit_code == 0, complex.err);
  CHECK_MESSAGE(complex.err.find("\nproven     every number of X that is not 0 is right to 15.") !=
                    std::string::npos,
                complex.err);
}

TEST_CASE("det --certify proves the sign, or exits with 8 and says why not") {
  const TemporaryFolder folder;
  write_file(folder / "indefinite.txt", kIndefinite);
  const auto proven = run_program(folder, "det indefinite.txt --certify --device pocl -q");
  CHECK_MESSAGE(proven.exit_code == 0, proven.err);
  CHECK(proven.err.empty());
  CHECK(proven.out.find("\nproven     det A is negative, log10 |det A| from 0.4771212547") !=
        std::string::npos);
  const auto report =
      json::parse(run_program(folder, "det indefinite.txt --certify --device pocl -q --json").out);
  const json& certificate = report["determinant"]["certificate"];
  CHECK(certificate["proven"] == true);
  CHECK(certificate["sign"] == -1);
  CHECK(certificate["log10_low"].get<double>() <= std::log10(3));
  CHECK(certificate["log10_high"].get<double>() >= std::log10(3));
  CHECK(certificate["reason"].is_null());
  CHECK(report["time_s"]["certify"].get<double>() > 0);
  // Integers of determinant 1 whose product leaves f64: the sign by LU is a guess.
  write_file(folder / "near.txt", "1134903170 701408733\n701408733 433494437\n");
  const auto not_proven =
      run_program(folder, "det near.txt --certify --device pocl -q --json r.json");
  CHECK_MESSAGE(not_proven.exit_code == 8, not_proven.err);
  CHECK_MESSAGE(not_proven.err.starts_with("PROVEN     nothing: the norm of I - R P A or"),
                not_proven.err);
  CHECK(not_proven.out.find("proven") == std::string::npos);
  // In f32 the second pivot is 0, or has no digit: the sign is proven in f64.
  write_file(folder / "f32.txt", "1 1\n1 1.000000001\n");
  const auto in_f32 = run_program(folder, "det f32.txt --certify --type f32 --device pocl");
  CHECK_MESSAGE(in_f32.exit_code == 8, in_f32.err);
  CHECK_MESSAGE(in_f32.out.find("proven     det A is positive") != std::string::npos, in_f32.out);
  CHECK_MESSAGE(in_f32.err.find("MISSED     the number above") != std::string::npos, in_f32.err);
  const auto zero = run_script(folder, "printf '1 2\\n2 4\\n' > s.txt");
  CHECK(zero.exit_code == 0);
  CHECK(run_program(folder, "det s.txt --certify --device pocl -q").exit_code == 8);
}

TEST_CASE("det --certify proves the phase of a complex determinant, or exits with 8") {
  const TemporaryFolder folder;
  write_file(folder / "c.mtx",
             "%%MatrixMarket matrix array complex general\n2 2\n0 3\n0 0\n1 0\n1 0\n");
  const auto proven = run_program(folder, "det c.mtx --certify --device pocl -q");
  CHECK_MESSAGE(proven.exit_code == 0, proven.err);
  CHECK_MESSAGE(
      proven.out.find("\nproven     det A has the phase e^(1.5707963") != std::string::npos,
      proven.out);
  CHECK_MESSAGE(proven.out.find("off by at most ") != std::string::npos, proven.out);
  const auto report =
      json::parse(run_program(folder, "det c.mtx --certify --device pocl -q --json").out);
  const json& certificate = report["determinant"]["certificate"];
  CHECK(certificate["proven"] == true);
  CHECK_FALSE(certificate.contains("sign"));
  const double bound = certificate["phase_bound"];
  CHECK(bound < 1e-13);
  CHECK(std::abs(certificate["phase"][0].get<double>()) <= bound);
  CHECK(std::abs(certificate["phase"][1].get<double>() - 1) <= bound);
  CHECK(certificate["log10_low"].get<double>() <= std::log10(3));
  CHECK(certificate["log10_high"].get<double>() >= std::log10(3));
  CHECK(report["time_s"]["certify"].get<double>() > 0);
  // Integers of determinant i whose products leave f64.
  write_file(folder / "near.mtx",
             "%%MatrixMarket matrix array complex general\n2 2\n0 1134903170\n0 701408733\n"
             "701408733 0\n433494437 0\n");
  const auto not_proven =
      run_program(folder, "det near.mtx --certify --device pocl -q --json r.json");
  CHECK_MESSAGE(not_proven.exit_code == 8, not_proven.err);
  CHECK_MESSAGE(not_proven.err.starts_with("PROVEN     nothing: the norm of I - R P A or"),
                not_proven.err);
}

TEST_CASE("inertia and solve take rook pivoting where the pivots of Bunch and Kaufman grow") {
  const TemporaryFolder folder;
  const clgauss::Matrix a = growing(200);  // 2^99
  std::string text;
  for (clgauss::Index i = 0; i < a.rows(); ++i) {
    for (const double value : a.row(i)) text += std::to_string(static_cast<int>(value)) + " ";
    text += "\n";
  }
  write_file(folder / "a.txt", text);
  const auto inertia = run_program(folder, "inertia a.txt --json");
  CHECK_MESSAGE(inertia.exit_code == 0, inertia.err);
  const json report = json::parse(inertia.out);
  CHECK(report["inertia"] == json{{"positive", 100}, {"negative", 100}, {"zero", 0}});
  CHECK(report["pivoting"] == "rook");
  CHECK(report["passed_over"].get<std::string>().find("the pivots of factors L D L^T grew") == 0);
  const auto by_lu = run_program(folder, "det a.txt --method lu -q");
  CHECK(by_lu.exit_code == 8);
  CHECK_MESSAGE(by_lu.err.find("the pivots grew") != std::string::npos, by_lu.err);
  CHECK_MESSAGE(by_lu.err.find("try --method ldlt") != std::string::npos, by_lu.err);
  for (const char* method : {"auto", "ldlt"}) {
    const auto det = run_program(folder, std::string("det a.txt -q --method ") + method);
    CHECK_MESSAGE(det.exit_code == 0, det.err);
  }
  std::string b;
  for (int i = 0; i < 200; ++i) b += fmt::format("{}\n", std::sin(1 + i));
  write_file(folder / "b.txt", b);
  // What is in f64 is refined, and may be good all the same.
  const auto solved =
      run_program(folder, "solve a.txt --rhs b.txt --method ldlt --type f32 -o x.txt");
  CHECK(solved.exit_code == 0);
  CHECK_MESSAGE(solved.err.find("f32, L D L^T, pivoting rook") != std::string::npos, solved.err);
  CHECK_MESSAGE(solved.err.find("factors L D L^T left a scaled residual") != std::string::npos,
                solved.err);
  CHECK_MESSAGE(
      solved.err.find("solved again by L D L^T, pivoting rook, in f32") != std::string::npos,
      solved.err);
  const auto asked =
      run_program(folder, "solve a.txt --rhs b.txt --type f32 --pivot rook -o y.txt");
  CHECK(asked.exit_code == 0);
  CHECK_MESSAGE(asked.err.find("L D L^T, pivoting rook") != std::string::npos, asked.err);
  CHECK(content_of(folder / "x.txt") == content_of(folder / "y.txt"));
  write_file(folder / "general.txt", kTwo);
  const auto general = run_program(folder, "solve general.txt --rhs ones --pivot rook -o z.txt");
  CHECK(general.exit_code == 3);
  CHECK(general.err.find("the method ldlt needs: element (2, 1) is 2") != std::string::npos);
}

TEST_CASE("inertia counts the eigenvalues of each sign") {
  const TemporaryFolder folder;
  write_file(folder / "spd.txt", kDefinite);
  write_file(folder / "indefinite.txt", kIndefinite);
  write_file(folder / "zero.txt", "0 0\n0 -1\n");
  write_file(folder / "nearer.txt", "1 0.1 0.2\n0.1 0.01 0.02\n0.2 0.02 3\n");
  write_file(folder / "general.txt", "1 2\n3 4\n");
  CHECK(run_program(folder, "inertia spd.txt -q").out ==
        "inertia    2 positive, 0 negative, 0 zero eigenvalues\n");
  const auto indefinite = run_program(folder, "inertia indefinite.txt --json");
  CHECK(indefinite.exit_code == 0);
  const json report = json::parse(indefinite.out);
  CHECK(report["method"] == "ldlt");
  CHECK(report["inertia"] == json{{"positive", 1}, {"negative", 1}, {"zero", 0}});
  CHECK(run_program(folder, "inertia zero.txt -q").out ==
        "inertia    0 positive, 1 negative, 1 zero eigenvalues\n");
  const auto unsure = run_program(folder, "inertia nearer.txt -q");
  CHECK(unsure.exit_code == 8);
  CHECK(unsure.err.find("the inertia is not sure") != std::string::npos);
  const auto general = run_program(folder, "inertia general.txt");
  CHECK(general.exit_code == 3);
  CHECK(general.err.find("the method ldlt needs: element (2, 1) is 3") != std::string::npos);
  const auto solved = run_program(
      folder, "solve indefinite.txt --rhs ones --method ldlt --determinant --json -o x.txt");
  CHECK(solved.exit_code == 0);
  CHECK(json::parse(solved.out)["inertia"]["negative"] == 1);
  CHECK(solved.err.find("inertia    1 positive, 1 negative, 0 zero") != std::string::npos);
  CHECK(run_program(folder, "det indefinite.txt --method ldlt -q").out.find("= -3,") !=
        std::string::npos);
  CHECK(run_program(folder, "invert spd.txt --method ldlt").exit_code == 2);
}

TEST_CASE("a singular matrix has the determinant 0 and the condition inf, and no inverse") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", kRankOne);
  const auto det = run_program(folder, "det s.txt");
  CHECK(det.exit_code == 0);
  CHECK(det.out == "det A      0\n");
  const auto cond = run_program(folder, "cond s.txt");
  CHECK(cond.exit_code == 0);
  CHECK(cond.out.find("inf") != std::string::npos);
  CHECK(cond.err.find("WARNING") != std::string::npos);
  const auto inverse = run_program(folder, "invert s.txt -o x.txt --json r.json");
  CHECK(inverse.exit_code == 7);
  CHECK(inverse.err.find("SINGULAR") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "x.txt"));
  CHECK(json::parse(content_of(folder / "r.json"))["singular_column"] == 2);
}

TEST_CASE("a determinant whose sign is not sure ends with 8") {
  const TemporaryFolder folder;
  write_file(folder / "m.txt", "0.1 0.2 0.3\n0.4 0.5 0.6\n0.7 0.8 0.9\n");
  const auto result = run_program(folder, "det m.txt");
  CHECK(result.exit_code == 8);
  CHECK(result.out.starts_with("det A"));
  CHECK(result.err.find("MISSED") != std::string::npos);
}

TEST_CASE("matrices that invert, det and cond cannot take exit as those of solve do") {
  const TemporaryFolder folder;
  write_file(folder / "wide.txt", "1 2 3\n4 5 6\n");
  write_file(folder / "nan.txt", "nan 2\n2 3\n");
  write_file(folder / "indefinite.txt", kIndefinite);
  write_file(folder / "a.txt", kTwo);
  for (const std::string command : {"invert", "det", "cond", "inertia"}) {
    CAPTURE(command);
    const auto wide = run_program(folder, command + " wide.txt");
    CHECK(wide.exit_code == 3);
    CHECK(wide.err.find("wide.txt: the matrix is 2 x 3, not square") != std::string::npos);
    CHECK(run_program(folder, command + " nan.txt").exit_code == 3);
    CHECK(run_program(folder, command + " nan.txt --allow-nonfinite").exit_code == 7);
    CHECK(run_program(folder, command + " missing.txt").exit_code == 3);
    CHECK(run_program(folder, command + " indefinite.txt --device no-such-device").exit_code == 4);
    CHECK(run_program(folder, command + " a.txt --method gauss").exit_code == 2);
    CHECK(run_program(folder, command + " a.txt --type f32 --accuracy double").exit_code == 2);
    CHECK(run_program(folder, command).exit_code == 2);
    if (command == "inertia") continue;  // --method ldlt alone
    const auto asymmetric = run_program(folder, command + " a.txt --method cholesky");
    CHECK(asymmetric.exit_code == 3);
    CHECK(asymmetric.err.find("element (2, 1) is 2, element (1, 2) is 7") != std::string::npos);
    const auto indefinite = run_program(folder, command + " indefinite.txt --method cholesky");
    CHECK(indefinite.exit_code == 7);
    CHECK(indefinite.err.find("the pivot of column 2 is -3") != std::string::npos);
    CHECK(indefinite.out.empty());
  }
}

TEST_CASE("solve by cholesky, jacobi and seidel, and what they refuse") {
  const TemporaryFolder folder;
  write_file(folder / "spd.txt", kDefinite);
  write_file(folder / "indefinite.txt", kIndefinite);
  write_file(folder / "a.txt", kTwo);
  for (const std::string method : {"cholesky", "jacobi", "seidel"}) {
    CAPTURE(method);
    const auto result = run_program(
        folder, "solve spd.txt --rhs row-sums -o x.txt --json r.json --method " + method);
    CHECK(result.exit_code == 0);
    for (const double value : numbers_of(content_of(folder / "x.txt")))
      CHECK(value == doctest::Approx(1));
    const json report = json::parse(content_of(folder / "r.json"));
    CHECK(report["method"] == method);
    CHECK(report["iterations"].is_null() == (method == "cholesky"));
  }
  const auto indefinite = run_program(
      folder, "solve indefinite.txt --rhs ones --method cholesky -o y.txt --json r.json");
  CHECK(indefinite.exit_code == 7);
  CHECK(indefinite.err.find("not positive definite") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "y.txt"));
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["status"] == "not_positive_definite");
  CHECK(report["singular_column"] == 2);
  const auto row = run_program(folder, "solve a.txt --rhs ones --method seidel");
  CHECK(row.exit_code == 3);
  CHECK(row.err.find("row 1 of A is not strictly diagonally dominant") != std::string::npos);
  CHECK(run_program(folder, "solve a.txt --rhs ones --method cholesky").exit_code == 3);
  CHECK(run_program(folder, "solve spd.txt --rhs ones --method jacobi --strict").exit_code == 2);
  CHECK(run_program(folder, "solve spd.txt --rhs ones --method jacobi --max-iterations 0")
            .exit_code == 2);
  CHECK(run_program(folder, "solve spd.txt --rhs ones --method jacobi --max-iterations 1")
            .exit_code == 8);
}
