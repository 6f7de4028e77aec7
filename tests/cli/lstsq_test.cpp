#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "support/process.hpp"
#include "support/text.hpp"

using namespace clgauss::test;
using nlohmann::json;

namespace {

const char* const kLine = "1 0\n1 1\n1 2\n1 3\n";  // y = x0 + x1 t at t = 0, 1, 2, 3
const char* const kValues =
    "1\n3\n4\n4\n";  // its least squares line: 1.5 + t, r = (-0.5, 0.5, 0.5, -0.5)

}  // namespace

TEST_CASE("lstsq fits a line, from two files, from one, and as arrays of one file") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", kLine);
  write_file(folder / "b.txt", kValues);
  write_file(folder / "ab.csv", "1,0,1\n1,1,3\n1,2,4\n1,3,4\n");
  const auto result = run_program(folder, "lstsq a.txt --rhs b.txt --json r.json");
  CHECK(result.exit_code == 0);
  const std::vector<double> x = numbers_of(result.out);
  REQUIRE(x.size() == 2);
  CHECK(x[0] == doctest::Approx(1.5));
  CHECK(x[1] == doctest::Approx(1));
  for (const char* part :
       {"4 x 2", "QR in", "device", "time", "rank 2", "||b - A x|| 1,", "ok: <= 16"})
    CHECK_MESSAGE(result.err.find(part) != std::string::npos, result.err);
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["schema_version"] == 1);
  CHECK(report["status"] == "ok");
  CHECK(report["m"] == 4);
  CHECK(report["n"] == 2);
  CHECK(report["nrhs"] == 1);
  CHECK(report["method"] == "qr");
  CHECK(report["rank"] == 2);
  CHECK(report["residual_norms"][0].get<double>() == doctest::Approx(1));
  CHECK(report["scaled_residual"].get<double>() <= 16);
  CHECK(report["rcond"].get<double>() > 0.01);
  CHECK(numbers_of(run_program(folder, "lstsq ab.csv -q").out) == x);
  const auto two = run_program(folder, "lstsq ab.csv --nrhs 2 -q");
  CHECK(two.exit_code == 0);
  CHECK(numbers_of(two.out).size() == 2);
  const auto file = run_program(folder, "lstsq a.txt --rhs b.txt -o x.npy --accuracy single -q");
  CHECK(file.exit_code == 0);
  CHECK(file.err.empty());
  CHECK(std::filesystem::exists(folder / "x.npy"));
}

TEST_CASE("lstsq takes --rhs as solve does, and b as a second argument") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", kLine);
  write_file(folder / "b.txt", kValues);
  write_file(folder / "row.txt", "1 3 4 4\n");
  write_file(folder / "ab.txt", "1 0 1\n1 1 3\n1 2 4\n1 3 4\n");
  const std::string line = run_program(folder, "lstsq a.txt --rhs b.txt -q").out;
  CHECK(numbers_of(line).size() == 2);
  for (const std::string same :
       {"a.txt b.txt", "a.txt --rhs=row.txt", "ab.txt --rhs augmented", "ab.txt augmented --nrhs 1",
        "ab.txt", "a.txt --rhs - <b.txt", "a.txt - <b.txt"}) {
    CAPTURE(same);
    CHECK(run_script(folder, "$CLGAUSS lstsq -q " + same).out == line);
  }
  const auto close_to = [&](const std::string& rhs, double first, double second) {
    const std::vector<double> x = numbers_of(run_program(folder, "lstsq a.txt -q " + rhs).out);
    REQUIRE(x.size() == 2);
    CHECK(std::abs(x[0] - first) < 1e-12);
    CHECK(std::abs(x[1] - second) < 1e-12);
  };
  close_to("--rhs ones", 1, 0);
  close_to("--rhs row-sums", 1, 1);
  const auto both = run_program(folder, "lstsq a.txt b.txt --rhs b.txt");
  CHECK(both.exit_code == 2);
  CHECK(has(both.err, "B and --rhs both name the right-hand sides"));
  CHECK(has(run_program(folder, "lstsq a.txt --rhs ones --nrhs 2").err,
            "with --rhs ones there are none"));
  CHECK(has(run_program(folder, "help lstsq").out, "[B]"));
}

TEST_CASE("lstsq gives the least x of a wide system") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "1 1 1 1\n");
  write_file(folder / "b.txt", "4\n");
  const auto result = run_program(folder, "lstsq a.txt --rhs b.txt");
  CHECK(result.exit_code == 0);
  for (const double value : numbers_of(result.out)) CHECK(value == doctest::Approx(1));
  CHECK(numbers_of(result.out).size() == 4);
}

TEST_CASE("lstsq gives the least x where columns depend on each other, with the rank") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "1 2\n2 4\n3 6\n");
  write_file(folder / "b.txt", "1\n2\n3\n");
  const auto result = run_program(folder, "lstsq a.txt --rhs b.txt --json r.json");
  CHECK(result.exit_code == 0);
  const std::vector<double> x = numbers_of(result.out);  // (1, 2) / 5
  REQUIRE(x.size() == 2);
  CHECK(x[0] == doctest::Approx(0.2));
  CHECK(x[1] == doctest::Approx(0.4));
  for (const char* part :
       {"rank 1 of 2 to the tolerance", "null space of dimension 1", "ok: <= 16"})
    CHECK_MESSAGE(result.err.find(part) != std::string::npos, result.err);
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["status"] == "ok");
  CHECK(report["rank"] == 1);
  CHECK(report["nullity"] == 1);
  CHECK(report["tolerance"].get<double>() == doctest::Approx(3 * 0x1p-52));
  CHECK(report["residual_norms"][0].get<double>() < 1e-14);
}

TEST_CASE("lstsq --require-full-rank ends with 7 and nothing written") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "1 2\n2 4\n3 6\n");
  write_file(folder / "b.txt", "1\n2\n4\n");
  const auto result =
      run_program(folder, "lstsq a.txt --rhs b.txt --require-full-rank -o x.txt --json r.json");
  CHECK(result.exit_code == 7);
  CHECK(result.err.find("DEFICIENT  A has the rank 1, not 2, to the tolerance") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "x.txt"));
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["status"] == "rank_deficient");
  CHECK(report["rank"] == 1);
  CHECK(report["nullity"] == 1);
  CHECK(report["scaled_residual"].is_null());
  write_file(folder / "full.txt", kLine);
  CHECK(run_program(folder, "lstsq full.txt --rhs ones --require-full-rank -q").exit_code == 0);
}

TEST_CASE("lstsq --rank-tolerance says what counts as 0") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "1 1\n1 1.001\n1 0.999\n");
  write_file(folder / "b.txt", "2\n2\n2\n");
  const auto rank = [&](const std::string& options) {
    const auto result = run_program(folder, "lstsq a.txt b.txt -o x.txt --json r.json" + options);
    CHECK(result.exit_code == 0);
    const json report = json::parse(content_of(folder / "r.json"));
    CHECK(report["nullity"] == 2 - report["rank"].get<int>());
    return report["rank"].get<int>();
  };
  CHECK(rank("") == 2);
  CHECK(numbers_of(content_of(folder / "x.txt"))[0] == doctest::Approx(2));
  CHECK(rank(" --rank-tolerance 1e-5") == 2);
  CHECK(rank(" --rank-tolerance 0.01") == 1);
  CHECK(numbers_of(content_of(folder / "x.txt"))[0] == doctest::Approx(1).epsilon(0.01));
  CHECK(json::parse(content_of(folder / "r.json"))["tolerance"] == 0.01);
  for (const char* wrong : {"1", "-1e-3", "nan", "small"}) {
    CAPTURE(wrong);
    const auto refused =
        run_program(folder, std::string("lstsq a.txt b.txt -o y.txt --rank-tolerance=") + wrong);
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "--rank-tolerance"));
    CHECK_FALSE(std::filesystem::exists(folder / "y.txt"));
  }
}

TEST_CASE("lstsq --ridge and --weights, alone and together, with what they minimize") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "1\n1\n1\n");
  write_file(folder / "b.txt", "0\n6\n3\n");
  write_file(folder / "w.txt", "# of each row\n1\n4\n0\n");
  const auto fit = [&](const std::string& options) {
    const auto result = run_program(folder, "lstsq a.txt b.txt --json r.json " + options);
    CHECK(result.exit_code == 0);
    const std::vector<double> x = numbers_of(result.out);
    REQUIRE(x.size() == 1);
    const json report = json::parse(content_of(folder / "r.json"));
    CHECK(report["rank"] == 1);
    CHECK(report["nullity"] == 0);
    const double r = std::sqrt(x[0] * x[0] + (6 - x[0]) * (6 - x[0]) + (3 - x[0]) * (3 - x[0]));
    CHECK(report["residual_norms"][0].get<double>() == doctest::Approx(r));
    return std::tuple(x[0], report, result.err);
  };
  const auto [mean, plain, plain_text] = fit("");
  CHECK(mean == doctest::Approx(3));
  CHECK(plain["ridge"] == 0);
  CHECK(plain["weighted"] == false);
  CHECK(plain["objective_norms"] == plain["residual_norms"]);
  CHECK_FALSE(has(plain_text, "^1/2"));
  const auto [shrunk, ridge, ridge_text] = fit("--ridge 1.5");  // 9 / (3 + 1.5)
  CHECK(shrunk == doctest::Approx(2));
  CHECK(ridge["ridge"] == 1.5);
  CHECK(ridge["objective_norms"][0].get<double>() == doctest::Approx(std::sqrt(4 + 16 + 1 + 6)));
  CHECK_MESSAGE(has(ridge_text, "(||b - A x||^2 + 1.5 ||x||^2)^1/2 5.2,"), ridge_text);
  const auto [weighted, weights, weights_text] = fit("--weights w.txt");  // 24 / 5
  CHECK(weighted == doctest::Approx(4.8));
  CHECK(weights["weighted"] == true);
  CHECK(weights["objective_norms"][0].get<double>() ==
        doctest::Approx(std::sqrt(4.8 * 4.8 + 4 * 1.2 * 1.2)));
  CHECK_MESSAGE(has(weights_text, "(sum_i w_i (b - A x)_i^2)^1/2 5.37,"), weights_text);
  const auto [both, report, text] = fit("--ridge 1 --weights w.txt");  // 24 / 6
  CHECK(both == doctest::Approx(4));
  CHECK(report["objective_norms"][0].get<double>() == doctest::Approx(std::sqrt(16 + 16 + 16)));
  CHECK_MESSAGE(has(text, "(sum_i w_i (b - A x)_i^2 + 1 ||x||^2)^1/2 6.93,"), text);
  write_file(folder / "row.csv", "1,4,0\n");
  CHECK(std::get<0>(fit("--weights row.csv")) == weighted);
  CHECK(numbers_of(run_script(folder, "$CLGAUSS lstsq -q a.txt b.txt --weights - <w.txt").out)[0] ==
        weighted);
}

TEST_CASE("lstsq --ridge gives one x where a wide A has many with the least residual") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "1 2 0\n");
  write_file(folder / "b.txt", "6\n");
  const auto result = run_program(folder, "lstsq a.txt b.txt --ridge 1 --json r.json");
  CHECK(result.exit_code == 0);
  const std::vector<double> x = numbers_of(result.out);  // A^T b / (5 + 1)
  REQUIRE(x.size() == 3);
  CHECK(x[0] == doctest::Approx(1));
  CHECK(x[1] == doctest::Approx(2));
  CHECK(std::abs(x[2]) < 1e-15);
  CHECK_FALSE(has(result.err, "null space"));
  const json report = json::parse(content_of(folder / "r.json"));
  CHECK(report["nullity"] == 0);
  CHECK(report["residual_norms"][0].get<double>() == doctest::Approx(1));
  CHECK(report["objective_norms"][0].get<double>() == doctest::Approx(std::sqrt(6.0)));
}

TEST_CASE("lstsq refuses a ridge and weights that are none, with the place") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", kLine);
  write_file(folder / "b.txt", kValues);
  write_file(folder / "negative.txt", "# weights\n1\n1\n-2.5\n1\n");
  write_file(folder / "negative.csv", "1,1,-2.5,1\n");
  write_file(folder / "negative.mtx",
             "%%MatrixMarket matrix array real general\n4 1\n1\n1\n-2.5\n1\n");
  write_file(folder / "nan.txt", "1\nnan\n1\n1\n");
  write_file(folder / "word.txt", "1\nheavy\n1\n1\n");
  write_file(folder / "three.txt", "1\n1\n1\n");
  write_file(folder / "square.txt", "1 1\n1 1\n");
  for (const char* wrong : {"-1", "nan", "inf", "much"}) {
    CAPTURE(wrong);
    const auto refused =
        run_program(folder, std::string("lstsq a.txt b.txt -o x.txt --ridge=") + wrong);
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "--ridge"));
  }
  for (const auto& [file, message] :
       {std::pair("negative.txt", "negative.txt:4:1: -2.5 is below 0"),
        {"negative.csv", "negative.csv:1:5: -2.5 is below 0"},
        {"negative.mtx", "negative.mtx: row 3, column 1: -2.5 is below 0"},
        {"nan.txt", "nan.txt:2:1: 'nan' is not finite"},
        {"word.txt", "word.txt:2:1: 'heavy' is not a number"},
        {"three.txt",
         "three.txt: 3 x 1 weights do not fit the 4 x 2 "
         "matrix of a.txt: 4 are needed"},
        {"square.txt", "square.txt: 2 x 2 weights do not fit"},
        {"missing.txt", "missing.txt"}}) {
    const auto refused =
        run_program(folder, std::string("lstsq a.txt b.txt -o x.txt --weights ") + file);
    CHECK(refused.exit_code == 3);
    CHECK_MESSAGE(has(refused.err, message), refused.err);
  }
  CHECK(run_program(folder, "lstsq a.txt - --weights -").exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "x.txt"));
}

TEST_CASE("lstsq refuses what does not fit together") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", kLine);
  write_file(folder / "b.txt", "1\n2\n3\n");
  write_file(folder / "nan.txt", "1 2\nnan 3\n4 5\n");
  const auto rows = run_program(folder, "lstsq a.txt --rhs b.txt");
  CHECK(rows.exit_code == 3);
  CHECK(rows.err.find(
            "b.txt: 3 x 1 right-hand sides do not belong to the 4 x 2 matrix of a.txt: 4 rows") !=
        std::string::npos);
  CHECK(run_program(folder, "lstsq nan.txt --rhs b.txt").exit_code == 3);
  CHECK(run_program(folder, "lstsq nan.txt --rhs b.txt --allow-nonfinite").exit_code == 8);
  CHECK(run_program(folder, "lstsq a.txt --nrhs 2").exit_code == 3);
  CHECK(run_program(folder, "lstsq a.txt --nrhs 0").exit_code == 2);
  CHECK(run_program(folder, "lstsq a.txt --rhs b.txt --nrhs 1").exit_code == 2);
  CHECK(run_program(folder, "lstsq").exit_code == 2);
  CHECK(run_program(folder, "lstsq a.txt b.txt c.txt").exit_code == 2);
  CHECK(run_program(folder, "lstsq - --rhs -").exit_code == 2);
  CHECK(run_program(folder, "lstsq a.txt --rhs b.txt --accuracy max").exit_code == 2);
  CHECK(run_program(folder, "lstsq a.txt --rhs b.txt --type f64 --accuracy single").exit_code == 2);
  CHECK(run_program(folder, "lstsq a.txt --rhs missing.txt").exit_code == 3);
}
