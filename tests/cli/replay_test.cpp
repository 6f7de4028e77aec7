#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/process.hpp"

using namespace clgauss::test;

namespace {

std::string space() {
  return "'" + (data_folder() / "spaces" / "gemm_cpu_f32_512_pocl_T4.json.gz").string() + "'";
}

}  // namespace

TEST_CASE("replay prints one line a strategy and writes JSON") {
  const TemporaryFolder folder;
  const auto result = run_tune(folder, "replay " + space() +
                                           " --strategy model,random --evaluations 5,50 "
                                           "--reps 5 --json r.json --trace t.csv");
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("model") != std::string::npos);
  CHECK(result.out.find("random") != std::string::npos);
  const auto json = nlohmann::json::parse(content_of(folder / "r.json"));
  CHECK(json["results"].size() == 4);
  const std::string trace = content_of(folder / "t.csv");
  CHECK(trace.starts_with("strategy,search,configuration\nmodel,0,"));
  CHECK(std::ranges::count(trace, '\n') == 1 + 2 * 5 * 50);
  CHECK(json["results"][0]["median"].get<double>() <= 1);
  CHECK(run_tune(folder, "replay " + space() + " --seeds " + space() + " --evaluations 1 --reps 2")
            .out.find("1.000 (1.000)") != std::string::npos);
}

TEST_CASE("replay and search name what is wrong with their input") {
  const TemporaryFolder folder;
  write_file(folder / "no.json", "{\"schema_version\": \"1.1.0\"}");
  write_file(folder / "text.json", "not json");
  const std::string packed =
      content_of(data_folder() / "spaces" / "gemm_cpu_f32_512_pocl_T4.json.gz");
  write_file(folder / "cut.json.gz", packed.substr(0, packed.size() / 2));
  for (const char* file : {"missing.json", "no.json", "text.json", "cut.json.gz"}) {
    CAPTURE(file);
    const auto result = run_tune(folder, std::string("replay ") + file);
    CHECK(result.exit_code == 3);
    CHECK(result.err.find(file) != std::string::npos);
    CHECK(result.out.empty());
  }
  for (const std::string& arguments :
       {"replay " + space() + " --evaluations 0", "replay " + space() + " --evaluations 5,,6",
        "replay " + space() + " --reps 0", "replay " + space() + " --strategy lucky",
        std::string("search gemm --n 0"), std::string("search lu --n 8"),
        std::string("search gemm --n 8 --budget soon"),
        std::string("search gemm --n 8 --evaluations 0"), std::string("replay")}) {
    CAPTURE(arguments);
    CHECK(run_tune(folder, arguments).exit_code == 2);
  }
}
