#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/process.hpp"

using namespace clgauss::test;
using nlohmann::json;

TEST_CASE("help has examples, and no arguments at all show the commands") {
  const TemporaryFolder folder;
  CHECK(run_program(folder, "").exit_code == 2);
  CHECK(run_program(folder, "").err.find("Commands:") != std::string::npos);
  CHECK(run_program(folder, "--version").out.starts_with("clgauss 0."));
  CHECK(run_program(folder, "--help").out.find("help exit-codes") != std::string::npos);
  for (const char* command : {"solve", "devices", "rule", "generate"})
    for (const std::string& help :
         {std::string(command) + " --help", "help " + std::string(command)}) {
      CAPTURE(help);
      const auto result = run_program(folder, help);
      CHECK(result.exit_code == 0);
      CHECK(result.out.find("Examples:") != std::string::npos);
      CHECK(result.err.empty());
    }
}

TEST_CASE("usage errors exit with 2, name the fault and leave nothing behind") {
  const TemporaryFolder folder;
  for (const std::string arguments :
       {"sovle",
        "solve",
        "solve --nonsense s.txt",
        "solve s.txt extra",
        "solve s.txt --type f16",
        "solve s.txt --pivot full",
        "solve s.txt --ndrange both",
        "solve s.txt --split maybe",
        "solve s.txt --local 0",
        "solve s.txt --local many",
        "solve s.txt --cores-per-cu 0",
        "solve s.txt --reps 0 --compare",
        "solve s.txt --format xls",
        "solve s.txt --max-residual -1",
        "solve s.txt --max-residual nan",
        "rule --total-cores 144",
        "rule --total-cores 0 --compute-units 3 --multiple 32 --limit 1024",
        "generate --kind random",
        "generate --n 3",
        "generate --kind odd --n 3",
        "generate --kind random --n 0",
        "generate --kind random --n 3 --rhs twos",
        "generate --kind random --n 3 --nrhs 2",
        "devices --jsn"}) {
    CAPTURE(arguments);
    const auto result = run_program(folder, arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.err.starts_with("clgauss: "));
    CHECK(result.out.empty());
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("the rule can be studied without a device") {
  const TemporaryFolder folder;
  const auto paper =
      run_program(folder, "rule --total-cores 144 --compute-units 3 --multiple 32 --limit 1024");
  CHECK(paper.exit_code == 0);
  CHECK(paper.out.find("raw      192") != std::string::npos);
  CHECK(paper.out.find("clamped  192") != std::string::npos);
  const auto h200 = run_program(
      folder, "rule --total-cores 16896 --compute-units 132 --multiple 32 --limit 1024 --json");
  CHECK(json::parse(h200.out)["raw"] == 17024);
  CHECK(json::parse(h200.out)["clamped"] == 1024);
}

TEST_CASE("devices prints every device with its rule, as a table and as JSON") {
  const TemporaryFolder folder;
  const auto table = run_program(folder, "devices");
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("LCM rule") != std::string::npos);
  const auto result = run_program(folder, "devices --json --cores-per-cu 4");
  CHECK(result.exit_code == 0);
  const json devices = json::parse(result.out);
  REQUIRE_FALSE(devices.empty());
  for (const json& device : devices) {
    for (const char* key :
         {"spec", "name", "vendor", "driver", "opencl_version", "type", "cores_source"})
      CHECK(device[key].is_string());
    for (const char* key : {"compute_units", "max_work_group_size", "preferred_multiple_kernel",
                            "local_mem_bytes", "global_mem_bytes", "max_alloc_bytes"})
      CHECK(device[key].is_number());
    CHECK(device["cores_per_compute_unit"] == 4);
    CHECK(device["total_cores"] == 4 * device["compute_units"].get<int>());
    CHECK(device["fp64"].is_boolean());
    CHECK(device["lcm_rule"]["raw"].get<int>() > device["total_cores"].get<int>());
    CHECK(device["lcm_rule"]["clamped"].get<int>() <= device["max_work_group_size"].get<int>());
    CHECK(table.out.find(device["name"].get<std::string>()) != std::string::npos);
  }
}

TEST_CASE("generate writes the same system for one seed, in every format") {
  const TemporaryFolder folder;
  const std::string random = "generate --kind random --n 8 --seed 3";
  const std::string text = run_program(folder, random).out;
  CHECK(text == run_program(folder, random + " -o -").out);
  CHECK(text != run_program(folder, "generate --kind random --n 8 --seed 4").out);
  CHECK(run_program(folder, random + " -o s.mtx").exit_code == 0);
  CHECK(content_of(folder / "s.mtx").starts_with("%%MatrixMarket matrix array real general\n"));
  CHECK(run_program(folder, "generate --kind spd --n 8 --rhs random --nrhs 3 -o s.npy").exit_code ==
        0);
  const auto solved = run_program(folder, "solve s.npy --json r.json");
  CHECK(solved.exit_code == 0);
  CHECK(json::parse(content_of(folder / "r.json"))["nrhs"] == 3);
}

TEST_CASE("the shipped sample system is solved by ones") {
  const TemporaryFolder folder;
  const auto result =
      run_program(folder, "solve '" + (data_folder() / "systems/random_1012.txt").string() +
                              "' --ndrange shrinking");
  CHECK(result.exit_code == 0);
  std::istringstream x(result.out);
  std::size_t count = 0;
  for (double value = 0; x >> value; ++count)
    CHECK(std::abs(value - 1) <= 0.05);  // f32 devices: 1012 unknowns, cond 1e4
  CHECK(count == 1012);
}

TEST_CASE("--devices says where its program comes from where that is not there") {
  const TemporaryFolder folder;
  const auto result =
      run_script(folder, "cp \"$CLGAUSS\" alone && ./alone solve a.npy --devices all");
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("install the package clgauss-distributed") != std::string::npos);
}
