#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/process.hpp"

using namespace clgauss::test;
using nlohmann::json;

namespace {

/// The report of a solve that must succeed.
json report_of(const TemporaryFolder& folder, const std::string& arguments) {
  const auto result = run_program(folder, "solve " + arguments + " -o x.txt --json r.json");
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return json::parse(content_of(folder / "r.json"));
}

}  // namespace

TEST_CASE("--accuracy and --method: the report says how x was got and how good it is") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 60 -o s.txt").exit_code == 0);
  for (const std::string device : {"pocl", "rusticl"}) {
    CAPTURE(device);
    const std::string on = "s.txt --device " + device;
    if (run_program(folder, "solve " + on).exit_code == 4) continue;  // test.sh does not allow that
    for (const std::string method : {"mixed", "rbt"}) {
      const json report = report_of(folder, on + " --method " + method);
      CHECK(report["method"] == method);
      CHECK(report["type"] == "f32");
      CHECK(report["accuracy"] == "double");
      CHECK(report["passed_over"].is_null());
      CHECK(report["method_choice"].is_null());  // it was asked for
      CHECK(report["seed"] == (method == "rbt" ? json(1995) : json(nullptr)));
      const json& refinement = report["refinement"];
      CHECK(refinement["accepted"] == true);
      CHECK(refinement["residuals_by"] == (device == "pocl" ? "device" : "host"));
      CHECK(refinement["corrections"].get<std::size_t>() + 1 ==
            refinement["backward_errors"].size());
      CHECK(refinement["backward_errors"].back().get<double>() <= 4 * 0x1p-53);
      CHECK(report["scaled_residual"].get<double>() <= 1);
    }
    const json single = report_of(folder, on + " --accuracy single");
    CHECK(single["type"] == "f32");
    CHECK(single["accuracy"] == "single");
    CHECK(single["refinement"].is_null());
  }
  for (const std::string wrong :
       {"--accuracy single --method mixed", "--accuracy double --type f32 --method lu",
        "--type f64 --method rbt --device pocl", "--accuracy triple", "--certify --in-place"})
    CHECK(run_program(folder, "solve s.txt " + wrong).exit_code == 2);
}

TEST_CASE("--accuracy max: all digits of x, or exit code 8") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind hilbert --n 9 -o s.txt").exit_code == 0);
  const json report = report_of(folder, "s.txt --accuracy max");
  CHECK(report["accuracy"] == "max");
  CHECK(report["refinement"]["accepted"] == true);
  const json& errors = report["refinement"]["forward_errors"];
  REQUIRE(errors.size() == 1);
  CHECK(errors[0]["normwise"].get<double>() <= 4 * 0x1p-53);
  CHECK(errors[0]["componentwise"].get<double>() <= 4 * 0x1p-53);
  CHECK(report["error_estimate"]["correct_digits"] == 15);
  CHECK(report_of(folder, "s.txt")["refinement"].is_null());

  write_file(folder / "near.txt", "1 2 3 6\n4 5 6 15\n7 8 9 24\n");
  const auto near = run_program(folder, "solve near.txt --accuracy max -o x.txt");
  CHECK(near.exit_code == 8);
  CHECK(near.err.find("\nMISSED     x does not have all digits") != std::string::npos);
  for (const std::string wrong :
       {"--in-place", "--method rbt", "--method gauss", "--type f32 --method lu"})
    CHECK(run_program(folder, "solve s.txt --accuracy max " + wrong).exit_code == 2);
}

TEST_CASE("--equilibrate: what was scaled is said") {
  const TemporaryFolder folder;
  write_file(folder / "rows.txt", "1e6 2e6 3e6\n3 1 4\n");
  const auto of = [&](const std::string& arguments) {
    return report_of(folder, "rows.txt " + arguments)["equilibration"];
  };
  CHECK(of("") == json{{"mode", "auto"}, {"rows", true}, {"columns", false}});
  CHECK(of("--equilibrate on") == json{{"mode", "on"}, {"rows", true}, {"columns", true}});
  CHECK(of("--equilibrate off") == json{{"mode", "off"}, {"rows", false}, {"columns", false}});
  CHECK(run_program(folder, "solve rows.txt -o x.txt").err.find("rows equilibrated") !=
        std::string::npos);
  for (const std::string wrong : {"maybe", "on --method rbt", "on --method gauss", "on --batched"})
    CHECK(run_program(folder, "solve rows.txt --equilibrate " + wrong).exit_code == 2);
}

TEST_CASE("--check: who computed the residual is said") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "4 1 5\n1 3 4\n");
  CHECK(report_of(folder, "s.txt")["checked_by"] == "host");
  CHECK(report_of(folder, "s.txt --check device")["checked_by"] == "device");
  CHECK(run_program(folder, "solve s.txt --check device -o x.txt").err.find(", by the device)") !=
        std::string::npos);
  for (const std::string wrong : {"gpu", "device --method gauss", "device --method jacobi",
                                  "device --in-place", "device --batched"})
    CHECK(run_program(folder, "solve s.txt --check " + wrong).exit_code == 2);
}

TEST_CASE("how far x can be trusted: rcond, correct digits, a warning where there are none") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 300 -o s.txt").exit_code == 0);
  const json trust = report_of(folder, "s.txt")["error_estimate"];
  CHECK(trust["rcond"].get<double>() > 1e-8);
  CHECK(trust["rcond"].get<double>() < 1e-2);
  CHECK(trust["correct_digits"].get<int>() >= 6);
  CHECK(trust["correct_digits"].get<int>() <= 15);
  CHECK(trust["forward_error"].size() == 1);
  CHECK(report_of(folder, "s.txt --no-rcond")["error_estimate"].is_null());
  CHECK(report_of(folder, "s.txt --method gauss")["error_estimate"].is_null());

  write_file(folder / "near.txt", "1 2 3 6\n4 5 6 15\n7 8 9 24\n");
  const auto near = run_program(folder, "solve near.txt");
  CHECK(near.err.find("nearly singular") != std::string::npos);
  CHECK(report_of(folder, "near.txt")["error_estimate"]["rcond"].get<double>() < 1e-16);
  CHECK(report_of(folder, "near.txt")["doubt"] == "nearly_singular");
  REQUIRE(run_program(folder, "generate --kind hilbert --n 14 -o h.txt").exit_code == 0);
  CHECK(run_program(folder, "solve h.txt").err.find(": no digit of x is sure\nWARNING ") !=
        std::string::npos);
  CHECK(report_of(folder, "s.txt")["doubt"] == "none");
  CHECK(report_of(folder, "s.txt --no-rcond")["doubt"] == "unknown");
}

TEST_CASE("--certify proves digits, or exits with 8 and says why not") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 40 -o s.txt").exit_code == 0);
  const auto proven =
      run_program(folder, "solve s.txt --certify --device pocl -o x.txt --json r.json");
  if (proven.exit_code == 4) return;  // a machine without PoCL, which test.sh does not allow
  CHECK(proven.exit_code == 0);
  CHECK(proven.err.find("\nproven     ") != std::string::npos);
  const json certificate = json::parse(content_of(folder / "r.json"))["certificate"];
  CHECK(certificate["proven"] == true);
  CHECK(certificate["digits"].get<double>() > 8);
  CHECK(certificate["norm_bound"].get<double>() < 1);

  write_file(folder / "near.txt", "1 2 3 6\n4 5 6 15\n7 8 9 24\n");
  const auto not_proven = run_program(folder, "solve near.txt --certify --device pocl -q -o x.txt");
  CHECK(not_proven.exit_code == 8);
  CHECK(not_proven.err.find("PROVEN     nothing: ") == 0);
}
