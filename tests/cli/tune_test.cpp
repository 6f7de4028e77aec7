#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/lab/tuned.hpp>
#include <nlohmann/json.hpp>

#include "support/process.hpp"
#include "support/text.hpp"
#include "support/thorough.hpp"

using namespace clgauss::test;
using nlohmann::json;

namespace {

/// clgauss-tune and clgauss with a store of tuned numbers of their own, in the test's folder.
struct Laboratory {
  TemporaryFolder folder;

  [[nodiscard]] std::string store(const std::string& name = "store") const {
    return "XDG_DATA_HOME='" + (folder / name).string() + "'";
  }
  [[nodiscard]] ProcessResult tune_without_device(const std::string& arguments) const {
    return run_tune(folder, arguments, store());
  }
  [[nodiscard]] ProcessResult tune(const std::string& arguments) const {
    return run_tune(folder, arguments + " --device pocl", store());
  }
  /// One of sweep, outliers and rules, quickly.
  [[nodiscard]] ProcessResult measure(const std::string& arguments) const {
    return tune(arguments + " --steps 4 --reps 2 -q");
  }
  [[nodiscard]] ProcessResult solve(const std::string& arguments) const {
    return run_program(folder, "solve " + arguments + " --device pocl", store());
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    return content_of(folder / name);
  }
};

/// The one file below the store in which the device's numbers lie.
std::filesystem::path stored_file(const TemporaryFolder& folder, const std::string& store) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / store))
    if (entry.path().extension() == ".json") return entry.path();
  return {};
}

/// The line of auto for the elimination of n = 40, on a machine that may be busy with other tests.
std::string tune_quickly(const Laboratory& laboratory, const std::string& options = "") {
  const auto result = laboratory.tune(
      "auto --what elimination --sizes 40 --types f32 --budget 20s --accept-noise -q " + options);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  REQUIRE(has(result.out, "elimination"));
  return result.out;
}

/// The store has one entry, for n = 40, LOCAL 16. Planted: under noise auto may have nothing to
/// store.
void store_entry(const Laboratory& laboratory) {
  json stored = json::parse(laboratory.tune("show --json -").out);
  const json devices =
      json::parse(run_program(laboratory.folder, "devices --device pocl --json -").out);
  stored["entries"] = json::array({{{"what", "elimination"},
                                    {"type", "f32"},
                                    {"n", 40},
                                    {"kernel", "gauss.cl"},
                                    {"parameters", {{"LOCAL", 16}}},
                                    {"driver", devices.at(0).at("driver")},
                                    {"kernel_hash", clgauss::tuned_kernel_hash("gauss.cl", {})},
                                    {"time_ns", 1e6},
                                    {"default_time_ns", 2e6},
                                    {"measured", "2026-01-01T00:00:00Z"},
                                    {"version", "0"}}});
  write_file(laboratory.folder / "planted.json", stored.dump());
  REQUIRE(laboratory.tune_without_device("import planted.json").exit_code == 0);
}

}  // namespace

TEST_CASE("sweep: rows and a summary, and a second run measures nothing") {
  const Laboratory laboratory;
  const std::string sweep = "sweep --sizes 20,64 --local 1,16,100000000 -o r";
  const auto first = laboratory.measure(sweep);
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  holds(first.out, "indistinguishable");
  holds(first.err, "6 of 6 points measured now");
  const std::string rows = laboratory.content("r/rows.csv");
  holds(rows, "device_limit");
  const json t4 = json::parse(laboratory.content("r/rows.json"));
  CHECK(t4["schema_version"] == "1.1.0");
  CHECK(t4["results"].size() == 14);  // with a control for each n, and device times
  CHECK(t4["results"][0]["times"]["runtimes"].size() >= 2);

  const auto second = laboratory.measure(sweep);
  CHECK(second.exit_code == 0);
  CHECK(second.out == first.out);
  holds(second.err, "0 of 6 points measured now, 6 there before");
  CHECK(laboratory.content("r/rows.csv") == rows);
}

TEST_CASE("sweep: the engine's kernels, with a row for what their rules exclude") {
  const Laboratory laboratory;
  for (const auto& [kernel, name] :
       {std::pair("gemm", "gemm_simt"), {"panel", "lu_panel"}, {"trsm", "lu_trsm"}}) {
    const std::string sweep = std::string("sweep --kernel ") + kernel +
                              " --type f32 --sizes 33 --local 64,67,128 --reps 2 -q -o " + kernel;
    const auto first = laboratory.tune(sweep);
    CAPTURE(first.err);
    REQUIRE(first.exit_code == 0);
    holds(first.out, "indistinguishable");
    const std::string rows = laboratory.content(std::string(kernel) + "/rows.csv");
    holds(rows, name);
    holds(rows, "constraint");
    holds(laboratory.tune(sweep).err,
          "0 of 4 points measured now, 4 there before");  // three and their control
  }
  CHECK(laboratory.tune("sweep --kernel gemm --sizes 8 --local 64 --steps 4 -o r").exit_code == 2);
  CHECK(laboratory.tune("sweep --kernel qr --sizes 8 --local 64 -o r").exit_code == 2);
}

TEST_CASE("sweep: the budget ends it in good order") {
  const Laboratory laboratory;
  const auto result = laboratory.measure("sweep --sizes 20 --local 1,16 --budget 0.000001s -o r");
  CHECK(result.exit_code == 0);
  holds(result.err, "2 left: the budget is used up");
}

TEST_CASE("sweep: what cannot be is refused, and nothing is left behind") {
  const Laboratory laboratory;
  for (const char* ranges : {"--sizes 9:3 --local 16", "--sizes 20 --local 0",
                             "--sizes many --local 16", "--sizes 20", "--local 16"}) {
    CAPTURE(ranges);
    const auto result = laboratory.measure(std::string("sweep -o r ") + ranges);
    CHECK(result.exit_code == 2);
    CHECK(result.err.starts_with("clgauss-tune: "));
  }
  CHECK_FALSE(std::filesystem::exists(laboratory.folder / "r"));
}

TEST_CASE("sweep: sizes that are all above the limits exit with 5") {
  const Laboratory laboratory;
  const auto result = laboratory.measure("sweep --sizes 20 --local 100000000 -o r");
  CHECK(result.exit_code == 5);
  holds(result.err, "nothing that was asked for can run");
}

TEST_CASE("outliers and rules print their tables, each in a folder of its own") {
  const Laboratory laboratory;
  const auto outliers = laboratory.measure("outliers --sizes 20:22 -o outliers");
  CHECK(outliers.exit_code == 0);
  holds(outliers.out, "driver / rule");
  holds(outliers.out, "largest divisor");
  holds(outliers.out, "driver faster");
  holds(outliers.out, "prime");
  const auto rules = laboratory.measure("rules --sizes 20 --local 16,32 -o rules");
  CHECK(rules.exit_code == 0);
  for (const char* part : {"indistinguishable", "driver", "LCM rule", "multiple", "largest", "192",
                           "divisor", "one, rounded up", "A/A floor"})
    holds(rules.out, part);
  holds(laboratory.content("rules/rows.csv"), ",control,");
  const auto as_json =
      laboratory.measure("rules --sizes 20 --local 16,32 -o rules --json rules.out");
  CHECK(as_json.exit_code == 0);
  const json found = json::parse(laboratory.content("rules.out"))["results"];
  REQUIRE(!found.empty());
  CHECK(
      std::ranges::any_of(found, [](const json& one) { return one.value("best_or_tie", false); }));
  for (const json& one : found)
    if (one["status"] == "ok") CHECK(one["low_ms"] <= one["median_ms"]);
  const auto told =
      laboratory.tune("outliers --sizes 20:22 --steps 4 --reps 2 -o told");  // not at a terminal
  holds(told.err, "outliers: about ");
  for (const char* name : {"outliers/rows.json", "rules/rows.json"})
    CHECK_FALSE(json::parse(laboratory.content(name))["results"].empty());
  const auto other = laboratory.measure("sweep --sizes 20 --local 16 -o rules");
  CHECK(other.exit_code == 2);
  holds(other.err, "another experiment");
}

TEST_CASE("auto: what is stored is shown, and taken by solve near its n only") {
  const Laboratory laboratory;
  store_entry(laboratory);
  const std::string shown = laboratory.tune("show").out;
  holds(shown, "elimination");
  holds(shown, "LOCAL=16");
  holds(shown, "  yes  ");

  const std::string generate = "generate --kind random --n ";
  for (const char* n : {"40", "200"})
    REQUIRE(run_program(laboratory.folder, generate + n + " -o " + n + ".txt").exit_code == 0);
  const std::string tuned = " --method gauss --type f32 --local tuned --json r.json";
  const auto solved = laboratory.solve("40.txt" + tuned);
  CAPTURE(solved.err);
  REQUIRE(solved.exit_code == 0);
  CHECK(json::parse(laboratory.content("r.json"))["work_group"]["rule"] == "tuned");
  const auto far = laboratory.solve("200.txt" + tuned);
  CHECK(far.exit_code == 2);
  holds(far.err, "clgauss-tune auto");
}

TEST_CASE("auto: from which n on which method wins is stored, shown and taken") {
  const Laboratory laboratory;
  const auto tuned = laboratory.tune(
      "auto --what method --sizes 40,60 --budget 60s --accept-noise -q --json auto.json");
  CAPTURE(tuned.err);
  REQUIRE(tuned.exit_code == 0);
  const json result = json::parse(laboratory.content("auto.json")).at(0);
  CAPTURE(result.dump());
  CHECK(result["what"] == "method");
  CHECK(result["n"] == 0);
  CHECK(result["tried"] >= 3);
  json device = json::parse(laboratory.tune("show --json -").out);
  json entry;
  for (const json& one : device["entries"])
    if (entry.is_null() && one["what"] == "method") entry = one;  // the store's come first
  REQUIRE(!entry.is_null());
  for (const char* from : {"MIXED_FROM", "RBT_FROM"}) {
    const int n = entry["parameters"][from];
    CHECK((n == 0 || n == 40 || n == 60 || n > 60));  // where it won, or as it was beyond
  }
  entry["parameters"] = {{"MIXED_FROM", 30}, {"RBT_FROM", 0}};
  device["entries"] = json::array({entry});
  write_file(laboratory.folder / "planted.json", device.dump());
  REQUIRE(laboratory.tune_without_device("import planted.json").exit_code == 0);
  const std::string shown = laboratory.tune("show").out;
  holds(shown, "MIXED_FROM=30 RBT_FROM=0");
  REQUIRE(run_program(laboratory.folder, "generate --kind random --n 30 -o s.txt").exit_code == 0);
  REQUIRE(laboratory.solve("s.txt --json r.json").exit_code == 0);
  const json report = json::parse(laboratory.content("r.json"));
  CHECK(report["method"] == "mixed");
  CHECK(report["method_choice"] == "tuned");
  const auto devices = run_program(laboratory.folder, "devices --device pocl", laboratory.store());
  holds(devices.out, "mixed from n = 30, else lu (tuned)");
}

TEST_CASE("auto: under noise nothing is stored that does not win, and a noisy machine is refused") {
  const Laboratory laboratory;
  store_entry(laboratory);
  const std::string line = tune_quickly(laboratory, "--json auto.json");
  const json result = json::parse(laboratory.content("auto.json")).at(0);
  const bool stored = result["worth_storing"];
  CHECK(stored == (line.find("not stored") == std::string::npos));
  if (stored) CHECK(result["gain"]["low"] > 1);  // the whole interval beyond what was there
  for (const char* part : {"median", "low", "high"}) CHECK(result["gain"].contains(part));
  CHECK(laboratory.tune("auto --help").out.find("--accept-noise") != std::string::npos);
}

TEST_CASE("export and import carry tuned numbers to another store") {
  const Laboratory laboratory;
  CHECK(laboratory.tune("export -o tuned.json").exit_code == 2);  // nothing yet
  store_entry(laboratory);
  REQUIRE(laboratory.tune("export -o tuned.json").exit_code == 0);
  const auto imported = run_tune(laboratory.folder, "import tuned.json", laboratory.store("other"));
  CHECK(imported.exit_code == 0);
  holds(imported.err, " entries");
  holds(run_tune(laboratory.folder, "show --device pocl", laboratory.store("other")).out,
        "  yes  ");
}

TEST_CASE("a corrupt store is named by show and auto, and does not keep solve from its work") {
  const Laboratory laboratory;
  store_entry(laboratory);
  const auto file = stored_file(laboratory.folder, "store");
  REQUIRE_FALSE(file.empty());
  write_file(file, "{ no JSON");
  for (const char* command :
       {"show", "auto --what elimination --sizes 40 --budget 1s --accept-noise -q"}) {
    CAPTURE(command);
    const auto result = laboratory.tune(command);
    CHECK(result.exit_code == 3);
    holds(result.err, file.string());
  }
  CHECK(content_of(file) == "{ no JSON");
  write_file(laboratory.folder / "s.txt", "0 1 5\n1 0 7\n");
  CHECK(laboratory.solve("s.txt").exit_code == 0);
}

TEST_CASE("report-device: verdicts, speeds and constants as one JSON, within the time") {
  const Laboratory laboratory;
  const auto result = laboratory.tune("report-device --budget 3s -o report.json");
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(has(result.err, "launch of one group: "));
  const json report = json::parse(laboratory.content("report.json"));
  CHECK(report.at("experiment") == "report-device");
  CHECK(report.at("kernels").at("usable").get<int>() > 50);
  CHECK(report.at("kernels").at("wrong").empty());
  REQUIRE_FALSE(report.at("measured").empty());
  for (const json& figure : report.at("measured")) {
    CAPTURE(figure.dump());
    CHECK(figure.at("value").get<double>() > 0);
    CHECK_FALSE(figure.at("times_ns").empty());
  }
  CHECK(laboratory.tune("report-device --budget never").exit_code == 2);
  if (!thorough()) {
    MESSAGE("not tried: a kernel that is broken on purpose; ./test.sh --all tries it");
    return;
  }
  const auto broken = run_tune(laboratory.folder, "report-device --device pocl --budget 1ms -q",
                               laboratory.store() + " CLGAUSS_KERNEL_FAULTS=gauss=wrong");
  REQUIRE(broken.exit_code == 0);
  CHECK(json::parse(broken.out).at("kernels").at("wrong").at(0).at("kernel") == "gauss");
}

TEST_CASE("Ctrl-C ends a sweep with 130 and keeps its rows") {
  const Laboratory laboratory;
  // Interrupted as soon as there is a row, however long the first one takes.
  const std::string interrupted =
      R"( bash -c 'set -m; "$@" & until grep -qs "^[0-9]" r/rows.csv || ! kill -0 $!; do sleep 0.1; done; )"
      R"(kill -INT $!; wait $!' interrupted)";
  const auto result =
      run_tune(laboratory.folder,
               "sweep --sizes 20:400 --local 1:8 --steps 4 --reps 2 -q -o r --device pocl",
               laboratory.store() + interrupted);
  CHECK(result.exit_code == 130);
  CHECK(std::ranges::count(laboratory.content("r/rows.csv"), '\n') > 1);  // below the header
  CHECK_FALSE(std::filesystem::exists(laboratory.folder / "r/rows.json"));
}

TEST_CASE("laboratory: what is chosen is run within the time, each in its folder, with pages") {
  const Laboratory laboratory;
  const auto result =
      laboratory.tune("laboratory --only gauss_bwd_prepare --budget 20s --accept-noise -o lab");
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  holds(result.err, "laboratory: 1 experiments, at most about 20 s");
  holds(laboratory.content("lab/gauss_bwd_prepare/rows.csv"), "gauss_bwd_prepare");
  holds(laboratory.content("lab/report.md"), "The elimination's other kernels");
  CHECK(std::filesystem::exists(laboratory.folder / "lab/report.html"));
  CHECK(laboratory.tune("laboratory --only nothing --accept-noise -o none").exit_code == 2);
}
