#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/indefinite.hpp"
#include "support/npy.hpp"
#include "support/process.hpp"

using namespace clgauss::test;
using nlohmann::json;
using Complex = std::complex<double>;

namespace {

/// The doubles behind the header of a .npy file that clgauss wrote.
std::vector<double> values_of(const std::string& file) {
  const std::size_t begin =
      10 + static_cast<unsigned char>(file[8]) + 256U * static_cast<unsigned char>(file[9]);
  std::vector<double> values((file.size() - begin) / sizeof(double));
  std::memcpy(values.data(), file.data() + begin, values.size() * sizeof(double));
  return values;
}

bool says(const ProcessResult& result, const std::string& part) {
  return result.err.find(part) != std::string::npos;
}

// Two systems that need an exchange of rows: x = (7, 5) and (1, 2).
const std::vector<double> kMatrices{0, 1, 1, 0, 0, 2, 3, 4}, kRightHandSides{5, 7, 4, 11};

}  // namespace

TEST_CASE("batched: x has the shape of b") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy("(2, 2, 2)", kMatrices));
  write_file(folder / "vectors.npy", npy("(2, 2)", kRightHandSides));
  write_file(folder / "columns.npy", npy("(2, 2, 1)", kRightHandSides));
  write_file(folder / "augmented.npy",
             npy<double>("(2, 2, 3)", {0, 1, 5, 1, 0, 7, 0, 2, 4, 3, 4, 11}));
  const std::vector<double> answer{7, 5, 1, 2};
  for (const auto& [arguments, shape] :
       std::vector<std::pair<std::string, std::string>>{{"a.npy --rhs vectors.npy", "(2, 2)"},
                                                        {"a.npy --rhs columns.npy", "(2, 2, 1)"},
                                                        {"augmented.npy", "(2, 2)"}}) {
    CAPTURE(arguments);
    const auto result =
        run_program(folder, "solve --batched " + arguments + " -o x.npy --json r.json");
    CHECK(result.exit_code == 0);
    CHECK(says(result, "2 of n = 2"));
    CHECK(says(result, "scaled residual"));
    const std::string x = content_of(folder / "x.npy");
    CHECK(x.find("'shape': " + shape) != std::string::npos);
    CHECK(values_of(x) == answer);
    CHECK(values_of(run_program(folder, "solve --batched --quiet " + arguments).out) == answer);
    const json report = json::parse(content_of(folder / "r.json"));
    CHECK(report["status"] == "ok");
    CHECK(report["batch"] == 2);
    CHECK(report["n"] == 2);
    CHECK(report["nrhs"] == 1);
    CHECK(report["worst_system"].is_number());
    CHECK(report["singular"].empty());
    for (const char* key : {"read", "build", "upload", "solve", "download", "check", "total"})
      CHECK(report["time_s"][key].is_number());
  }
}

TEST_CASE("batched: ones, row-sums, f4 and Fortran order") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy("(2, 2, 2)", kMatrices));
  write_file(folder / "f.npy", npy<float>("(2, 2, 2)", {0, 0, 1, 3, 1, 2, 0, 4}, true));
  for (const std::string file : {"a.npy", "f.npy"}) {
    const auto sums = run_program(folder, "solve --batched " + file + " --rhs row-sums");
    CHECK(sums.exit_code == 0);
    CHECK(values_of(sums.out) == std::vector<double>{1, 1, 1, 1});
    const auto ones = run_program(folder, "solve --batched " + file + " --rhs ones");
    CHECK(values_of(ones.out) == std::vector<double>{1, 1, -1.0 / 3, 0.5});
  }
}

TEST_CASE("batched: complex numbers, in A or in b alone, in C and Fortran order") {
  const TemporaryFolder folder;
  // x = (1, i) and (2 + i, -1), of matrices that need an exchange of rows.
  const std::vector<Complex> a{0, {0, 1}, 1, {2, 1}, 0, 2, {3, 4}, 1};
  write_file(folder / "a.npy", npy("(2, 2, 2)", a));
  write_file(folder / "f.npy",
             npy<Complex>("(2, 2, 2)", {0, 0, 1, {3, 4}, {0, 1}, 2, {2, 1}, 1}, true));
  write_file(folder / "b.npy", npy<Complex>("(2, 2)", {-1, {0, 2}, -2, {1, 11}}));
  write_file(
      folder / "ab.npy",
      npy<Complex>("(2, 2, 3)", {0, {0, 1}, -1, 1, {2, 1}, {0, 2}, 0, 2, -2, {3, 4}, 1, {1, 11}}));
  const std::vector<double> answer{1, 0, 0, 1, 2, 1, -1, 0};
  for (const std::string system : {"a.npy --rhs b.npy", "f.npy --rhs b.npy", "ab.npy"}) {
    CAPTURE(system);
    const auto result =
        run_program(folder, "solve --batched " + system + " -o x.npy --json r.json");
    CHECK(result.exit_code == 0);
    const std::string x = content_of(folder / "x.npy");
    CHECK(x.find("'<c16'") != std::string::npos);
    CHECK(x.find("'shape': (2, 2)") != std::string::npos);
    const std::vector<double> values = values_of(x);
    REQUIRE(values.size() == answer.size());
    for (std::size_t i = 0; i < answer.size(); ++i)
      CHECK(values[i] == doctest::Approx(answer[i]).epsilon(1e-14));
    const json report = json::parse(content_of(folder / "r.json"));
    CHECK(report["nrhs"] == 1);
    CHECK(std::string(report["type"]).starts_with("c"));
    CHECK(report["error_estimate"]["worst_rcond"].is_number());
  }
  // A real A with a complex b, and the right-hand sides that have a name.
  write_file(folder / "real.npy", npy("(2, 2, 2)", kMatrices));
  write_file(folder / "i.npy", npy<Complex>("(2, 2)", {{0, 5}, {0, 7}, {0, 4}, {0, 11}}));
  CHECK(values_of(run_program(folder, "solve -q --batched real.npy --rhs i.npy").out) ==
        std::vector<double>{0, 7, 0, 5, 0, 1, 0, 2});
  const std::vector<double> ones =
      values_of(run_program(folder, "solve -q --batched a.npy --rhs row-sums").out);
  REQUIRE(ones.size() == 8);
  for (std::size_t i = 0; i < 8; ++i)
    CHECK(ones[i] == doctest::Approx(i % 2 == 0 ? 1 : 0).epsilon(1e-14));
  CHECK(run_program(folder, "solve -q --batched a.npy --rhs identity")
            .out.find("'shape': (2, 2, 2)") != std::string::npos);
  CHECK(run_program(folder, "solve -q --batched a.npy --rhs ones").exit_code == 0);

  const auto cholesky =
      run_program(folder, "solve --batched a.npy --rhs ones --method cholesky -o y.npy");
  CHECK(cholesky.exit_code == 3);
  CHECK(says(cholesky, "system [0]: A is not Hermitian, which the method cholesky needs"));
  write_file(folder / "large.npy", npy("(1, 257, 1)", std::vector<Complex>(257, 1.0)));
  const auto large = run_program(folder, "solve --batched large.npy --rhs ones -o y.npy");
  CHECK(large.exit_code == 3);
  CHECK(says(large, "257 is above 256, the largest of a batch of complex systems"));
  const double nan = std::nan("");
  write_file(folder / "nan.npy", npy<Complex>("(1, 2, 2)", {1, 2, {3, nan}, 4}));
  CHECK(says(run_program(folder, "solve --batched nan.npy --rhs ones -o y.npy"), "[0, 1, 0]"));
  CHECK_FALSE(std::filesystem::exists(folder / "y.npy"));
}

TEST_CASE("batched: identity gives the inverses, and is for batches alone") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy("(2, 2, 2)", kMatrices));
  const auto inverses = run_program(folder, "solve --batched a.npy --rhs identity");
  CHECK(inverses.exit_code == 0);
  CHECK(inverses.out.find("'shape': (2, 2, 2)") != std::string::npos);
  const std::vector<double> values = values_of(inverses.out),
                            expected{0, 1, 1, 0, -2.0 / 3, 1.0 / 3, 0.5, 0};
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == doctest::Approx(expected[i]).epsilon(1e-15));
  write_file(folder / "one.npy", npy("(2, 2)", {0, 1, 1, 0}));
  const auto refused = run_program(folder, "solve one.npy --rhs identity");
  CHECK(refused.exit_code == 2);
  CHECK(says(refused, "clgauss invert"));
}

TEST_CASE("batched: an empty batch is solved, and no right-hand sides are few") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy<double>("(0, 3, 3)", {}));
  write_file(folder / "one.npy", npy<double>("(1, 1, 1)", {2}));
  write_file(folder / "b.npy", npy<double>("(1, 1, 0)", {}));
  CHECK(run_program(folder, "solve --batched a.npy --rhs ones -o x.npy").exit_code == 0);
  CHECK(content_of(folder / "x.npy").find("(0, 3)") != std::string::npos);
  CHECK(run_program(folder, "solve --batched one.npy --rhs b.npy -o x.npy").exit_code == 0);
  CHECK(content_of(folder / "x.npy").find("(1, 1, 0)") != std::string::npos);
}

TEST_CASE("batched: singular systems exit with 7 by their index, and x is written") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy<double>("(3, 2, 2)", {0, 1, 1, 0, 1, 2, 2, 4, 0, 2, 3, 4}));
  write_file(folder / "b.npy", npy<double>("(3, 2)", {5, 7, 1, 1, 4, 11}));
  const auto result =
      run_program(folder, "solve --batched a.npy --rhs b.npy -o x.npy --json r.json");
  CHECK(result.exit_code == 7);
  CHECK(says(result, "1 of 3 systems"));
  CHECK(says(result, "[1] at column 2"));
  const auto x = values_of(content_of(folder / "x.npy"));
  REQUIRE(x.size() == 6);
  CHECK(std::isnan(x[2]));
  CHECK(std::isnan(x[3]));
  CHECK(std::vector<double>{x[0], x[1], x[4], x[5]} == std::vector<double>{7, 5, 1, 2});
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["status"] == "singular");
  CHECK(report["singular"] == json::parse(R"([{"system": 1, "column": 2}])"));
}

TEST_CASE("batched: Cholesky, and what it refuses") {
  const TemporaryFolder folder;
  const auto solved = [&](const std::vector<double>& matrices, int code) {
    write_file(folder / "a.npy", npy("(2, 2, 2)", matrices));
    const auto result = run_program(
        folder, "solve --batched a.npy --rhs row-sums --method cholesky -o x.npy --json r.json");
    CHECK(result.exit_code == code);
    return result;
  };
  CHECK(says(solved({4, 2, 2, 3, 1, 0, 0, 1}, 0), "f64, Cholesky, kernel"));
  CHECK(values_of(content_of(folder / "x.npy")) == std::vector<double>(4, 1));
  CHECK(json::parse(content_of(folder / "r.json"))["method"] == "batched cholesky");
  CHECK(says(solved({4, 2, 2, 3, 1, 2, 2, 1}, 7),
             "INDEFINITE 1 of 2 systems are not positive definite, which --method cholesky needs; "
             "their x is NaN: [1] at column 2"));
  CHECK(json::parse(content_of(folder / "r.json"))["status"] == "not_positive_definite");
  std::filesystem::remove(folder / "x.npy");
  CHECK(says(solved({4, 2, 2, 3, 1, 0.5, 0.25, 1}, 3),
             "system [1]: A is not symmetric, which the method cholesky needs: element (2, 1) is "
             "0.25, element (1, 2) is 0.5"));
  CHECK_FALSE(std::filesystem::exists(folder / "x.npy"));
}

TEST_CASE("batched: L D L^T with the inertia of each system, and what it refuses") {
  const TemporaryFolder folder;
  const auto solved = [&](const std::vector<double>& matrices, int code) {
    write_file(folder / "a.npy", npy("(2, 2, 2)", matrices));
    const auto result = run_program(
        folder, "solve --batched a.npy --rhs row-sums --method ldlt -o x.npy --json r.json");
    CHECK_MESSAGE(result.exit_code == code, result.err);
    return result;
  };
  CHECK(says(solved({0, 2, 2, 0, -1, 3, 3, 1}, 0), "f64, L D L^T, pivoting partial, kernel ldlt "));
  const auto x = values_of(content_of(folder / "x.npy"));
  CHECK(x.size() == 4);
  for (const double value : x) CHECK(value == doctest::Approx(1).epsilon(1e-15));
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["method"] == "batched ldlt");
  const json one_each{{"positive", 1}, {"negative", 1}, {"zero", 0}};
  CHECK(report["inertias"] == json::array({one_each, one_each}));
  CHECK(
      says(solved({0, 2, 2, 0, 0, 0, 0, -1}, 7), "SINGULAR   1 of 2 systems; their x is NaN: [1]"));
  const json singular = json::parse(content_of(folder / "r.json"));
  CHECK(singular["inertias"] ==
        json::array({one_each, json{{"positive", 0}, {"negative", 1}, {"zero", 1}}}));
  CHECK(report["solved_again"] == json::array());
  const clgauss::Matrix growing = clgauss::test::growing(200);
  std::vector<double> b(200);
  for (int i = 0; i < 200; ++i) b[static_cast<std::size_t>(i)] = std::sin(1 + i);
  write_file(folder / "g.npy",
             npy("(1, 200, 200)", {growing.values().begin(), growing.values().end()}));
  write_file(folder / "b.npy", npy("(1, 200)", b));
  const auto again = run_program(
      folder, "solve --batched g.npy --rhs b.npy --method ldlt --type f64 -o x.npy --json r.json");
  CHECK_MESSAGE(again.exit_code == 0, again.err);
  CHECK(says(again, "1 of 1 systems solved again, pivoting rook, because pivots grew: [0]"));
  CHECK(json::parse(content_of(folder / "r.json"))["solved_again"] == json::array({0}));
  std::filesystem::remove(folder / "x.npy");
  CHECK(says(solved({4, 2, 2, 3, 1, 0.5, 0.25, 1}, 3),
             "system [1]: A is not symmetric, which the method ldlt needs: element (2, 1) is 0.25, "
             "element (1, 2) is 0.5"));
  write_file(folder / "c.npy", npy<Complex>("(1, 1, 1)", {{2, 1}}));
  const auto complex =
      run_program(folder, "solve --batched c.npy --rhs ones --method ldlt -o x.npy");
  CHECK(complex.exit_code == 2);
  CHECK(says(complex, "--method ldlt with --batched is for real systems"));
  CHECK_FALSE(std::filesystem::exists(folder / "x.npy"));
}

TEST_CASE("batched: Cholesky of complex systems") {
  const TemporaryFolder folder;
  const auto solved = [&](const std::vector<Complex>& matrices) {
    write_file(folder / "a.npy", npy("(2, 2, 2)", matrices));
    return run_program(
        folder, "solve --batched a.npy --rhs row-sums --method cholesky -o x.npy --json r.json");
  };
  const auto good = solved({4, {1, -1}, {1, 1}, 3, 1, 0, 0, 1});
  CHECK_MESSAGE(good.exit_code == 0, good.err);
  CHECK(says(good, "c64, Cholesky, kernel"));
  const std::vector<double> x = values_of(content_of(folder / "x.npy"));
  REQUIRE(x.size() == 8);
  for (std::size_t i = 0; i < 8; ++i)
    CHECK(x[i] == doctest::Approx(i % 2 == 0 ? 1 : 0).epsilon(1e-14));
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["method"] == "batched cholesky");
  CHECK(report["pivoting"].is_null());
  const auto indefinite = solved({4, {1, -1}, {1, 1}, 3, 1, {0, -2}, {0, 2}, 1});
  CHECK(indefinite.exit_code == 7);
  CHECK(says(indefinite, "their x is NaN: [1] at column 2"));
}

TEST_CASE("batched: an answer above --max-residual exits with 8 and is written") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy<double>("(1, 2, 2)", {1, 3, 7, 11}));
  write_file(folder / "b.npy", npy<double>("(1, 2)", {1.0 / 3, 1.0 / 7}));
  const auto result = run_program(
      folder, "solve --batched a.npy --rhs b.npy --type f32 --max-residual 1e-300 -o x.npy");
  CHECK(result.exit_code == 8);
  CHECK(says(result, "MISSED"));
  CHECK(std::filesystem::exists(folder / "x.npy"));
}

TEST_CASE("batched: bad files exit with 3, name the file and leave nothing") {
  struct Bad {
    std::string name, content;
    const char* complaint;
  };
  const std::vector<double> eight(8, 1.0);
  const double nan = std::nan("");
  const Bad files[] = {
      {"flat.npy", npy<double>("(2, 2)", {1, 2, 3, 4}), "batch x n x n"},
      {"deep.npy", npy("(1, 2, 2, 2)", eight), "4 dimensions"},
      {"oblong.npy", npy("(2, 2, 2)", eight) + "x", "cut off or damaged"},
      {"wide.npy", npy<double>("(1, 2, 3)", {1, 2, 3, 4, 5, 6}), "not square"},
      {"tall.npy", npy<double>("(1, 3, 2)", {1, 2, 3, 4, 5, 6}), "not square"},
      {"hollow.npy", npy<double>("(5, 0, 0)", {}), "n = 0"},
      {"large.npy", npy("(1, 2049, 1)", std::vector<double>(2049, 1.0)), "clgauss solve"},
      {"whole.npy", "\x93NUMPY\1", "cut off"},
      {"text.npy", "1 2 3\n", "not .npy"},
      {"nan.npy", npy<double>("(2, 1, 1)", {1, nan}), "[1, 0, 0]"},
      {"giant.npy", npy<double>("(4294967296, 4294967296, 4294967296)", {}), "64 bits"},
  };
  for (const Bad& bad : files) {
    CAPTURE(bad.name);
    const TemporaryFolder folder;
    write_file(folder / bad.name, bad.content);
    const auto result =
        run_program(folder, "solve --batched " + bad.name + " --rhs ones -o x.npy --json r.json");
    CHECK(result.exit_code == 3);
    CHECK(says(result, bad.name));
    CHECK(says(result, bad.complaint));
    CHECK_FALSE(std::filesystem::exists(folder / "x.npy"));
    CHECK_FALSE(std::filesystem::exists(folder / "r.json"));
  }
}

TEST_CASE("batched: right-hand sides of another batch or length are refused with both shapes") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy("(2, 2, 2)", kMatrices));
  write_file(folder / "batch.npy", npy<double>("(3, 2)", {1, 2, 3, 4, 5, 6}));
  write_file(folder / "length.npy", npy<double>("(2, 3)", {1, 2, 3, 4, 5, 6}));
  write_file(folder / "rank.npy", npy<double>("(4,)", {1, 2, 3, 4}));
  for (const std::string file : {"batch.npy", "length.npy", "rank.npy"}) {
    const auto result = run_program(folder, "solve --batched a.npy --rhs " + file);
    CHECK(result.exit_code == 3);
    CHECK(says(result, file));
    CHECK(says(result, "2 x 2 x 2"));
  }
  const auto alone = run_program(folder, "solve --batched a.npy");
  CHECK(alone.exit_code == 3);
  CHECK(says(alone, "--rhs"));
  const auto unbatched = run_program(folder, "solve a.npy --rhs ones");
  CHECK(unbatched.exit_code == 3);
  CHECK(says(unbatched, "a batch of small systems"));
}

TEST_CASE("batched: options about one large system are refused") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy("(2, 2, 2)", kMatrices));
  for (const std::string option :
       {"--method gauss", "--pivot none", "--determinant", "--compare", "--local 64",
        "--launches l.csv", "--output-format text", "--format mtx"}) {
    CAPTURE(option);
    const auto result = run_program(folder, "solve --batched a.npy --rhs ones -o x.npy " + option);
    CHECK(result.exit_code == 2);
    CHECK_FALSE(std::filesystem::exists(folder / "x.npy"));
  }
}

TEST_CASE("batched: the user is told that built kernels are not kept, but not with -q") {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", npy("(2, 2, 2)", kMatrices));
  std::filesystem::create_directory(folder / "clgauss");
  std::filesystem::permissions(folder / "clgauss", std::filesystem::perms::all);
  const std::string environment = "XDG_CACHE_HOME=" + folder.path().string();
  const std::string command = "solve --batched a.npy --rhs ones -o x.npy";
  CHECK(says(run_program(folder, command, environment), "built kernels are not kept"));
  CHECK(run_program(folder, command + " -q", environment).err.empty());
}

TEST_CASE("batched: -q leaves the one line that says why the exit code is not 0") {
  const TemporaryFolder folder;
  const auto fails = [&](int code, const std::string& options, const std::string& line) {
    CAPTURE(options);
    const auto result = run_program(folder, "solve -q --batched a.npy -o x.npy " + options);
    CHECK(result.exit_code == code);
    CHECK(result.err.starts_with(line));
    CHECK(std::ranges::count(result.err, '\n') == 1);
  };
  write_file(folder / "a.npy", npy<double>("(2, 2, 2)", {0, 1, 1, 0, 1, 2, 2, 4}));
  fails(7, "--rhs ones", "SINGULAR   1 of 2 systems; their x is NaN: [1] at column 2\n");
  write_file(folder / "a.npy", npy<double>("(1, 2, 2)", {1, 0, 0, 1e-200}));
  write_file(folder / "b.npy", npy<double>("(1, 2)", {1e200, 1e200}));
  fails(8, "--rhs b.npy", "OVERFLOW   1 of 1 systems left the range of f64");
  write_file(folder / "a.npy", npy<double>("(1, 2, 2)", {1, 3, 7, 11}));
  write_file(folder / "b.npy", npy<double>("(1, 2)", {1.0 / 3, 1.0 / 7}));
  fails(8, "--rhs b.npy --type f32 --max-residual 1e-300", "residual   worst of all in system [0]");
}
