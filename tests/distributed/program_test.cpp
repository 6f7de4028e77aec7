// The program beyond one device, as a user runs it: devices, ranks, limits, and what goes wrong.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <clgauss/io.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>

#include "operating_system.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

constexpr const char* kMpirun =
    "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
    "ranks() { count=$1; shift; timeout 150 mpirun --oversubscribe -n $count \"$CLGAUSS\" \"$@\"; "
    "}\n";

/// A folder with A.npy, of which the answer for row sums is all ones.
class Workplace {
 public:
  explicit Workplace(Index n, const char* kind = "random") {
    REQUIRE(
        run_program(folder_, fmt::format("generate --kind {} --n {} --rhs none -o A.npy", kind, n))
            .exit_code == 0);
  }

  ProcessResult script(const std::string& text) { return run_script(folder_, kMpirun + text); }
  ProcessResult solve(const std::string& arguments, const std::string& environment = {}) {
    return run_program(folder_, "solve A.npy --rhs row-sums -o x.npy " + arguments, environment);
  }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(path(name));
  }
  [[nodiscard]] double error() const {
    const Matrix x = read_matrix(path("x.npy").string());
    double largest = 0;
    for (const double number : x.values()) largest = std::max(largest, std::abs(number - 1));
    return largest;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("the program solves on devices that StarPU drives") {
  Workplace place(500);
  const ProcessResult result = place.solve("--devices all --json r.json --trace t.json");
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(place.error() <= 1e-9);
  CHECK(result.err.find("residual") != std::string::npos);
  const auto report = nlohmann::json::parse(content_of(place.path("r.json")));
  CHECK(report["scaled_residual"].get<double>() <= 16);
  const auto trace = nlohmann::json::parse(content_of(place.path("t.json")));
  CHECK(trace["traceEvents"].size() > 5);
}

TEST_CASE("two devices share the columns") {
  Workplace place(1031);
  const ProcessResult result =
      place.solve("--devices all --json r.json", "POCL_DEVICES='pthread pthread'");
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(place.error() <= 1e-9);
  const auto report = nlohmann::json::parse(content_of(place.path("r.json")));
  REQUIRE(report["devices"].size() == 2);
  for (const auto& device : report["devices"]) CHECK(device["bytes_in"].get<double>() > 0);
}

TEST_CASE("ranks give the answer that one process gives, to the bit") {
  Workplace place(1031);
  const std::string arguments = "solve A.npy --rhs ones --devices all -o x.npy";
  REQUIRE(place.script("\"$CLGAUSS\" " + arguments).exit_code == 0);
  const std::string one = content_of(place.path("x.npy"));
  for (const int ranks : {2, 3, 4}) {
    CAPTURE(ranks);
    const ProcessResult result =
        place.script(fmt::format("rm x.npy; ranks {} {}", ranks, arguments));
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(bool(content_of(place.path("x.npy")) == one));
  }
}

TEST_CASE("every rank factors and substitutes with the blocks that it holds") {
  Workplace place(1031);
  const ProcessResult result = place.script(
      "ranks 2 solve A.npy --rhs ones --devices all --no-rcond --trace t.json -o x.npy");
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  for (const char* file : {"t.json.rank0", "t.json.rank1"}) {
    CAPTURE(file);
    const auto trace = nlohmann::json::parse(content_of(place.path(file)));
    int panels = 0, backward = 0;
    for (const auto& event : trace["traceEvents"]) {
      const std::string name = event["name"];
      panels += name.starts_with("panel ") ? 1 : 0;
      backward += name.starts_with("backward ") ? 1 : 0;
    }
    CHECK(panels > 0);
    CHECK(backward == panels);
  }
}

TEST_CASE("text is read by one rank, which sends the others their columns") {
  Workplace place(600);
  const ProcessResult result = place.script(
      "\"$CLGAUSS\" solve A.npy --rhs ones --devices all -o x.npy\n"
      "\"$CLGAUSS\" generate --kind random --n 600 --rhs none -o s.txt\n"
      "ranks 3 solve s.txt --rhs ones --devices all -o y.npy");
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(bool(content_of(place.path("x.npy")) == content_of(place.path("y.npy"))));
}

TEST_CASE("ranks tell of an answer what one process tells") {
  Workplace place(700, "graded");
  const std::string arguments =
      "solve A.npy --rhs ones --devices all --determinant --strict -o x.npy --json";
  const ProcessResult result =
      place.script("\"$CLGAUSS\" " + arguments + " one.json\nranks 3 " + arguments + " three.json");
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.err.find("x has at least") != std::string::npos);
  CHECK(result.err.find("det A") != std::string::npos);
  const auto one = nlohmann::json::parse(content_of(place.path("one.json"))),
             three = nlohmann::json::parse(content_of(place.path("three.json")));
  const auto close = [&](const char* part, const char* number) {
    CAPTURE(number);
    const double expected = one[part][number], found = three[part][number];
    CHECK(std::abs(found - expected) <= 1e-6 * std::abs(expected));
  };
  for (const char* number : {"rcond", "reciprocal_growth", "determinant_error"})
    close("error_estimate", number);
  close("determinant", "log10_abs");
  CHECK(one["determinant"]["sign"] == three["determinant"]["sign"]);
  CHECK(one["equilibration"] == three["equilibration"]);
  CHECK(place.solve("--devices all --no-rcond --json n.json").exit_code == 0);
  CHECK(nlohmann::json::parse(content_of(place.path("n.json")))["error_estimate"].is_null());
}

TEST_CASE("an answer beyond one device that cannot be relied on is told by the exit code") {
  Workplace place(14, "hilbert");
  CHECK(place.solve("--devices all").exit_code == 0);
  const ProcessResult result = place.solve("--devices all --strict -q");
  CHECK(result.exit_code == 9);
  CHECK(result.err.find("nearly singular") != std::string::npos);
}

TEST_CASE("several ranks gather the whole matrix at one") {
  Workplace place(1);
  const ProcessResult result = place.script("timeout 150 mpirun --oversubscribe -n 3 " +
                                            operating_system::program_file().string() +
                                            " -tc='the whole matrix is gathered by one rank' 2>&1");
  INFO(result.out);
  CHECK(result.exit_code == 0);
}

TEST_CASE("memory limits let blocks come and go, and the answer stays the same to the bit") {
  Workplace place(1900);
  REQUIRE(place.solve("--devices all").exit_code == 0);
  const std::string one = content_of(place.path("x.npy"));
  for (const char* limit : {"--memory 20MB", "--memory 14MB --spill ."}) {
    CAPTURE(limit);
    const ProcessResult result = place.solve(std::string("--json r.json ") + limit);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    const auto report = nlohmann::json::parse(content_of(place.path("r.json")));
    CHECK(report["devices"][0]["bytes_in"].get<double>() > 1.2 * 1900 * 1900 * 8);
    CHECK(bool(content_of(place.path("x.npy")) == one));
  }
  CHECK(place.solve("--memory 3MB").exit_code == 6);
}

TEST_CASE("f32 is refined to the accuracy of f64 if it is asked for") {
  Workplace place(700);
  const ProcessResult result =
      place.solve("--devices all --type f32 --accuracy double --json r.json");
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(place.error() <= 1e-9);
  CHECK(nlohmann::json::parse(content_of(place.path("r.json")))["refinement"]["corrections"]
            .get<int>() > 0);
}

TEST_CASE("a singular matrix is told by its column, on one and on two ranks") {
  Workplace place(300, "singular");
  const ProcessResult result = place.solve("--devices all");
  CHECK(result.exit_code == 7);
  CHECK(result.err.find("column 300") != std::string::npos);
  CHECK_FALSE(place.has("x.npy"));
  CHECK(place.script("ranks 2 solve A.npy --rhs ones --devices all -o x.npy").exit_code == 7);
}

TEST_CASE("what differs between ranks is refused before work starts") {
  Workplace place(200);
  const auto both = [&](const std::string& other) {
    return place.script(
        "\"$CLGAUSS\" generate --kind random --n 200 --seed 5 --rhs none -o B.npy\n"
        "timeout 150 mpirun --oversubscribe -n 1 \"$CLGAUSS\" solve A.npy --rhs ones --devices all "
        "-o x.npy : -n 1 \"$CLGAUSS\" solve " +
        other + " --rhs ones --devices all -o x.npy");
  };
  const ProcessResult different = both("B.npy");
  INFO(different.err);
  CHECK(different.exit_code == 2);
  CHECK(different.err.find("not the same on all ranks") != std::string::npos);
  const ProcessResult missing = both("nowhere.npy");
  INFO(missing.err);
  CHECK(missing.exit_code == 3);
  CHECK(missing.err.find("nowhere.npy") != std::string::npos);
  const ProcessResult kernels =
      place.script("cp -r '" + kernel_folder().string() +
                   "' other && echo '// another text' >> other/substitution/trsv.cl\n"
                   "s='solve A.npy --rhs ones --devices all -o x.npy'\n"
                   "timeout 150 mpirun --oversubscribe -n 1 \"$CLGAUSS\" "
                   "$s : -n 1 \"$CLGAUSS\" $s --kernel-dir other");
  INFO(kernels.err);
  CHECK(kernels.exit_code == 2);
  CHECK(kernels.err.find("kernels") != std::string::npos);
  CHECK_FALSE(place.has("x.npy"));
}

TEST_CASE("a rank that is killed takes the others with it, and leaves nothing") {
  Workplace place(7000);  // takes several seconds where nothing else runs
  const ProcessResult result = place.script(
      "mv A.npy of-$$.npy\n"  // tells these ranks from those of a test that runs at the same time
      "ranks 3 solve of-$$.npy --rhs ones --devices all -o x.npy &\n"
      "run=$!\n"
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do\n"
      "  sleep 0.3; victim=$(pgrep -n -f \"solve of-$$.npy --rhs ones --devices all -o x.npy$\")\n"
      "  grep -q starpu /proc/$victim/maps 2>/dev/null && break\n"
      "done\n"
      "sleep 0.3; kill -9 $victim; date +%s > begin; wait $run; code=$?; date +%s > end; exit "
      "$code");
  INFO(result.err);
  CHECK(result.exit_code == 137);
  CHECK(std::stol(content_of(place.path("end"))) - std::stol(content_of(place.path("begin"))) <=
        10);
  CHECK_FALSE(place.has("x.npy"));
}

TEST_CASE("Ctrl-C ends with 130 and leaves nothing") {
  Workplace place(7000);  // takes several seconds where nothing else runs
  const ProcessResult result = place.script(
      "set -m\n"  // else what runs beside the script does not hear of SIGINT
      "\"$CLGAUSS\" solve A.npy --rhs ones --devices all -o x.npy &\n"
      "run=$!\n"
      "for i in $(seq 100); do\n"  // until StarPU's thread for the device is there
      "  sleep 0.1; grep -qs OpenCL /proc/$run/task/*/comm && break\n"
      "done\n"
      "sleep 0.3; kill -INT $run; wait $run");
  CHECK(result.exit_code == 130);
  CHECK(result.err.find("interrupted") != std::string::npos);
  CHECK_FALSE(place.has("x.npy"));
}

TEST_CASE("a spill folder without room is an error before work starts") {
  Workplace place(1031);
  REQUIRE(place.script("\"$CLGAUSS\" solve A.npy --rhs ones --devices all -o y.npy").exit_code ==
          0);  // builds kernels, which takes files, too
  const ProcessResult result = place.script(
      "mkdir full; ulimit -f 2000; exec \"$CLGAUSS\" solve A.npy --rhs ones --spill full -o x.npy");
  INFO(result.err);
  CHECK(result.exit_code == 3);
  CHECK(result.err.find("full") != std::string::npos);
  CHECK(std::filesystem::is_empty(place.path("full")));
}

TEST_CASE("a device that fails is an error that ends the program") {
  Workplace place(300);
  const std::string layer = "OPENCL_LAYERS=" + fault_layer().string();
  const std::string but_polls = layer + " CLGAUSS_FAULT_CALLS=-clGetEventInfo";
  const std::string log_in = but_polls + " CLGAUSS_FAULT_LOG=" + place.path("log").string();
  REQUIRE(place.solve("--devices all").exit_code == 0);  // the kernels are built
  REQUIRE(place.solve("--devices all", log_in).exit_code == 0);
  std::vector<std::string> calls;
  std::istringstream log(content_of(place.path("log")));
  for (std::string call; log >> call;) calls.push_back(call);
  // StarPU looks for platforms last, when clgauss has found its devices.
  const auto last = std::ranges::find(calls.rbegin(), calls.rend(), "clGetPlatformIDs").base();
  std::vector<std::size_t> places{static_cast<std::size_t>(last - calls.begin())};
  for (const double share : {0.1, 0.3, 0.5, 0.7})
    places.push_back(static_cast<std::size_t>(share * static_cast<double>(calls.size())));
  int failed = 0;
  const auto try_it = [&](const std::string& environment) {
    std::filesystem::remove(place.path("x.npy"));
    const ProcessResult result = place.solve("--devices all", environment + " timeout 60");
    CAPTURE(environment);
    INFO(result.err);
    if (result.exit_code == 0) {
      CHECK(place.error() <= 1e-9);  // a call whose failure changes nothing
      return;
    }
    ++failed;
    CHECK((result.exit_code == 5 || result.exit_code == 6));
    CHECK_FALSE(place.has("x.npy"));
  };
  for (const std::size_t at : places) {
    CAPTURE(calls[at - 1]);
    try_it(but_polls + fmt::format(" CLGAUSS_FAULT_AT={}", at));
  }
  CHECK(failed > 0);
  failed = 0;
  try_it(layer + " CLGAUSS_FAULT_CALLS=clGetEventInfo CLGAUSS_FAULT_AT=1");
  CHECK(failed == 1);
}

TEST_CASE("a killed run goes on from its checkpoint and gives the same answer to the bit") {
  Workplace place(2400);
  REQUIRE(place.solve("--devices all").exit_code == 0);
  const std::string one = content_of(place.path("x.npy"));
  const ProcessResult result = place.script(
      "run() { timeout -s KILL $1 \"$CLGAUSS\" solve A.npy --rhs row-sums --devices all -q "
      "--every 0.02s -o x.npy $2 kept; }\n"
      "rm x.npy; run 1.3 --checkpoint; for t in 1.0 1.2 1.1 1.4 1.25; do run $t --resume; done\n"
      "run 60 --resume");
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(bool(content_of(place.path("x.npy")) == one));
  REQUIRE(place.has("kept/block-000001.lu"));
  // A bit of it falls.
  std::string block = content_of(place.path("kept/block-000001.lu"));
  block[block.size() / 2] = static_cast<char>(block[block.size() / 2] ^ 1);
  write_file(place.path("kept/block-000001.lu"), block);
  const ProcessResult damaged = place.solve("--resume kept");
  CHECK(damaged.exit_code == 3);
  CHECK(damaged.err.find("checksum") != std::string::npos);
  // Nor is another matrix's taken up, nor a finished one begun anew.
  CHECK(place.solve("--checkpoint kept").exit_code == 2);
  const ProcessResult other = place.script(
      "\"$CLGAUSS\" generate --kind random --n 2400 --seed 9 --rhs none -o B.npy\n"
      "\"$CLGAUSS\" solve B.npy --rhs ones --resume kept -o y.npy");
  CHECK(other.exit_code == 3);
}

TEST_CASE("options that do not go together are refused") {
  Workplace place(20);
  for (const char* options :
       {"--devices all --method gauss", "--devices all --device auto", "--memory 8", "--every 5s",
        "--devices all --every 5s", "--devices all,all", "--checkpoint a --resume b",
        "--devices all --certify"}) {
    CAPTURE(options);
    const int code = place.solve(options).exit_code;
    CHECK((code == 2 || code == 4));
  }
}
