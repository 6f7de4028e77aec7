#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "support/process.hpp"
#include "support/t4_schema.hpp"
#include "support/text.hpp"

using namespace clgauss::test;

namespace {

constexpr const char* kKernels =
    "kernel void scale(global float* y, global const float* x, int n) {\n"
    "  const int i = get_global_id(0);\n"
    "  if (i < n) y[i] = FACTOR * x[i];\n"
    "}\n"
    "kernel void twice(global float* y, global const float* x, int n) {\n"
    "  if (get_global_id(0) < n) y[get_global_id(0)] = 2 * x[get_global_id(0)];\n"
    "}\n";

/// A folder with a kernel, and clgauss-tune kernel in it.
struct Workshop {
  TemporaryFolder folder;

  Workshop() { write_file(folder / "scale.cl", kKernels); }
  [[nodiscard]] ProcessResult tune(const std::string& arguments) const {
    return run_tune(folder, "kernel " + arguments + " --device pocl --reps 2 -q");
  }
  [[nodiscard]] ProcessResult scale(const std::string& more) const {
    return tune(
        "scale.cl --name scale --size n=1000 --global n --arg buffer:f32:n:0 --arg buffer:f32:n "
        "--arg int:n -o r " +
        more);
  }
  [[nodiscard]] bool has(const std::string& name) const {
    return std::filesystem::exists(folder / name);
  }
};

}  // namespace

TEST_CASE("kernel: a kernel of one's own is tuned, with rows, T4, page and the line of C++") {
  const Workshop workshop;
  const std::string command = "--param FACTOR=2 --against twice --local 8,40,1000 --json r.json";
  const auto first = workshop.scale(command);
  CAPTURE(first.err);
  REQUIRE(first.exit_code == 0);
  holds(first.out, "3 of 3 launches tried");
  holds(first.out, "driver");
  holds(first.out, "queue.enqueueNDRangeKernel(scale, cl::NullRange, cl::NDRange(1000), ");
  const auto json = nlohmann::json::parse(content_of(workshop.folder / "r.json"));
  CHECK(json["tried"] == 3);
  CHECK(json["best"]["macros"]["FACTOR"] == "2");
  const auto t4 = nlohmann::json::parse(content_of(workshop.folder / "r/search_T4.json"));
  CHECK(t4["results"].size() == 3);
  CHECK(t4["results"][0]["configuration"].contains("LOCAL_X"));
  holds(content_of(workshop.folder / "r/report.html"), "scale");
  const std::string rows = content_of(workshop.folder / "r/rows.csv");
  holds(rows, "control");

  const auto second = workshop.scale(command);
  CHECK(second.exit_code == 0);
  CHECK(nlohmann::json::parse(content_of(workshop.folder / "r.json"))["measured"] == 0);
  CHECK(content_of(workshop.folder / "r/rows.csv") == rows);
}

TEST_CASE("kernel: the shipped example of the help runs") {
  const Workshop workshop;
  const std::string help = run_tune(workshop.folder, "kernel --help").out;
  const std::size_t begin = help.find("clgauss-tune kernel matmul_ladder.cl");
  REQUIRE(begin != std::string::npos);
  CHECK(begin < help.find("--round-up DIMS"));
  std::string example = help.substr(begin + 13, help.find("-o tuned", begin) + 8 - begin - 13);
  std::erase(example, '\\');
  std::ranges::replace(example, '\n', ' ');
  const auto result = run_tune(workshop.folder, example + " --device pocl --reps 2 -q");
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  holds(result.out, "3 of 3 launches tried");
  holds(result.out, "LOCAL=");
}

TEST_CASE("kernel: matmul, convolution and vector addition from T1 files") {
  const Workshop workshop;
  for (const std::string name : {"matmul", "convolution", "vector_add"}) {
    CAPTURE(name);
    const std::string file =
        (data_folder().parent_path() / "examples" / "tuning" / (name + "_T1.json")).string();
    std::string plain = " --against " + name + "_plain";
    if (name == "matmul") plain += " --against-global WIDTH,WIDTH";
    if (name == "convolution") plain += " --against-global IMAGE,IMAGE";
    if (name == "vector_add") plain += " --against-global 1048576";
    const auto result = workshop.tune("'" + file + "' --evaluations 4 -o " + name + plain);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    holds(result.out, "4 of ");
    holds(result.out, "block_size_x=");
    CHECK(result.out.find("wrong_result") == std::string::npos);
    CHECK(workshop.has(name + "/search_T4.json"));
  }
}

TEST_CASE("kernel: a kernel that does not build shows its log, and exits with 5") {
  const Workshop workshop;
  const auto result = workshop.scale("--param FACTOR=2+oops --local 8");
  CHECK(result.exit_code == 5);
  holds(result.err, "oops");
  holds(result.err, "scale.cl");
  CHECK_FALSE(workshop.has("r"));
}

TEST_CASE("kernel: one macro that does not build leaves a row, the others are tuned") {
  const Workshop workshop;
  const auto result = workshop.scale("--param FACTOR=2,2.0f,2+oops,3 --against twice --local 8,40");
  CHECK(result.exit_code == 0);  // half of them work
  const std::string rows = content_of(workshop.folder / "r/rows.csv");
  holds(rows, "build_error");
  holds(rows, "wrong_result");
  holds(result.out, "wrong_result");

  for (const char* name : {"r/search_T4.json", "r/rows.json"}) {
    CAPTURE(name);
    const auto t4 = nlohmann::json::parse(content_of(workshop.folder / name));
    CHECK(t4["results"].size() >= 8);
    CHECK(t4_faults(t4) == "");
  }
}

TEST_CASE("kernel: what the community's schema does not allow is found") {
  const auto good = nlohmann::json::parse(
      R"({"schema_version": "1.0.0", "results": [{"configuration": {"A": 1}, "correctness": 1,
          "times": {"runtimes": [1.5]}, "invalidity": "correct", "objectives": ["time"],
          "measurements": [{"name": "time", "value": 1.5, "unit": "ms"}]}]})");
  CHECK(t4_faults(good) == "");
  const auto faults = [&](const char* changes) {
    auto changed = good;
    changed.merge_patch(nlohmann::json::parse(changes));
    return t4_faults(changed);
  };
  holds(faults(R"({"schema_version": "one"})"), "schema_version");
  holds(faults(R"({"results": {}})"), "results");
  holds(faults(R"({"results": [{}]})"), "without invalidity");
  auto wrong = good;
  wrong["results"][0]["invalidity"] = "wrong_result";
  holds(t4_faults(wrong), "invalidity");
  wrong["results"][0]["measurements"][0]["unit"] = 5;
  holds(t4_faults(wrong), "unit: 5");
  wrong["results"][0]["times"]["runtimes"] = 1.5;
  holds(t4_faults(wrong), "runtimes: 1.5");
}

TEST_CASE("kernel: where most launches fail, the exit code is 5, and what works is told") {
  const Workshop workshop;
  const auto result = workshop.scale("--param FACTOR=2,2+oops,3 --against twice --local 8,40");
  CHECK(result.exit_code == 5);
  holds(result.err, "4 of 6 launches fail: 2 build_error, 2 wrong_result");
  holds(result.out, "queue.enqueueNDRangeKernel(scale");
  CHECK(workshop.has("r/report.html"));
  // What the device does not take is no fault of the kernel's.
  CHECK(workshop.scale("--param FACTOR=2 --against twice --round-up x --local 1,1000000,2000000")
            .exit_code == 0);
}

TEST_CASE(
    "kernel: a reduction, whose partial sums depend on the work-group, is checked by a command") {
  const Workshop workshop;
  const std::string folder = (data_folder().parent_path() / "examples" / "tuning").string();
  const auto sum = [&](const std::string& partial, const std::string& verify) {
    return workshop.tune("'" + folder +
                         "/sum.cl' --name sum --size n=100000 --param ITEMS=1,16 --local 24,64,256 "
                         "--global 'ceil_div(n, ITEMS*LOCAL_X)*LOCAL_X' --arg buffer:f32:n "
                         "--arg buffer:f32:1:0 --arg '" +
                         partial +
                         ":f32:ceil_div(n, ITEMS*LOCAL_X)' --arg scratch:u32:1:0 "
                         "--arg local:f32:LOCAL_X --arg ulong:n " +
                         verify);
  };
  const std::string right = "--verify \"result=|python3 '" + folder + "/sum.py' {x}\"";
  const auto result = sum("scratch", right + " -o r --json r.json");
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  holds(result.out, "6 of 6 launches tried");
  CHECK(result.out.find("wrong_result") == std::string::npos);
  CHECK(result.out.find("driver") == std::string::npos);  // which cannot choose LOCAL_X
  const auto best = nlohmann::json::parse(content_of(workshop.folder / "r.json"))["best"];
  const std::size_t local = best["local"][0],
                    items = std::stoul(best["macros"]["ITEMS"].get<std::string>());
  CHECK(best["global"][0] == (100000 + items * local - 1) / (items * local) * local);

  // Compared as a result, the partial sums of other groups are no longer those of the first.
  const auto compared = sum("buffer", "-o compared");
  CHECK(compared.exit_code == 5);
  holds(compared.out, "wrong_result");
  holds(compared.out, "numbers, the reference");

  CHECK(sum("scratch", "--verify 'result=|echo {n}' -o wrong").exit_code == 5);
  const auto many = sum("scratch", "--verify 'result=|echo 1, 2' -o r2");
  CHECK(many.exit_code == 3);
  holds(many.err, "'echo 1, 2' printed 2 numbers, argument 1 (result) of sum has 1");
  for (const auto& [verify, message] :
       {std::pair("result=|exit 3", "'exit 3' ended with exit code 3"),
        {"result=|echo many", "printed 'many', which is not a number"},
        {"x=|echo 1", "'x' of sum is not an output to compare; name one of: argument 1 (result)"},
        {"partial=|echo 1", "'partial' of sum is not an output to compare"}}) {
    CAPTURE(verify);
    const auto refused = sum("scratch", "--verify '" + std::string(verify) + "' -o r2");
    CHECK(refused.exit_code == 2);
    holds(refused.err, message);
  }
}

TEST_CASE(
    "kernel: an array that a command prints as an .npy file is compared; only named outputs are") {
  const Workshop workshop;
  write_file(workshop.folder / "two.cl",
             "kernel void two(global float* y, global float* z, global const float* x) {\n"
             "  const int i = get_global_id(0);\n  y[i] = x[i];\n  z[i] = get_local_size(0);\n}\n");
  const std::string start =
      "two.cl --name two --global 64 --local 8,16 --arg buffer:f32:64:0 --arg buffer:f32:64:0 "
      "--arg buffer:f32:64 ";
  CHECK(workshop.tune(start + "--verify '0=|grep -aq \"(64,)\" {x} && cat {x}' -o r").exit_code ==
        0);
  CHECK(workshop.tune(start + "--verify 'z=|cat {2}' -o wrong").exit_code == 5);
  CHECK(workshop.tune(start + "--verify '|cat {x}' -o r2").exit_code == 2);  // which of two?
  // Of what is not compared nothing is asked but that it stays within its buffer.
  CHECK(workshop.tune(start + "-o first").exit_code == 0);  // half of the two differ from the first
}

TEST_CASE("kernel: arguments that do not fit its signature are refused") {
  const Workshop workshop;
  const std::string start = "scale.cl --name scale --global 10 -o r --param FACTOR=2 ";
  for (const auto& [arguments, message] :
       {std::pair("--arg buffer:f32:10 --arg buffer:f32:10", "takes 3 arguments (global float* y"),
        {"--arg buffer:f32:10 --arg buffer:f32:10 --arg f32:10", "argument 2 of scale is int n"},
        {"--arg buffer:f64:10 --arg buffer:f32:10 --arg int:10", "not a buffer of double"},
        {"--arg buffer:f32:10 --arg local:f32:10 --arg int:10", "not local memory of float"}}) {
    CAPTURE(arguments);
    const auto result = workshop.tune(start + arguments);
    CHECK(result.exit_code == 2);
    holds(result.err, message);
    CHECK_FALSE(workshop.has("r"));
  }
  const auto other =
      workshop.tune("scale.cl --name scales --global 10 -o r --arg int:1 --param FACTOR=2");
  CHECK(other.exit_code == 2);
  holds(other.err, "it has: ");
}

TEST_CASE("kernel: constraints that exclude everything say how much each excludes") {
  const Workshop workshop;
  const auto result =
      workshop.scale("--param FACTOR=2,3 --local 8,40 --constraint 'FACTOR*LOCAL_X < 10'");
  CHECK(result.exit_code == 2);
  holds(result.err, "4 excluded by the constraint FACTOR*LOCAL_X < 10");
  CHECK_FALSE(workshop.has("r"));
}

TEST_CASE("kernel: a reference of another length is refused, a right one is taken") {
  const Workshop workshop;
  REQUIRE(run_program(workshop.folder, "generate --kind random --n 4 --rhs none -o four.npy")
              .exit_code == 0);
  const std::string start =
      "scale.cl --name scale --global 16 --arg buffer:f32:16:0 --arg "
      "buffer:f32:16:four.npy --arg int:16 -o r --local 8 --param FACTOR=1 ";
  const auto right = workshop.tune(start + "--verify y=four.npy");
  CAPTURE(right.err);
  CHECK(right.exit_code == 0);
  const auto wrong = workshop.scale("--param FACTOR=1 --verify four.npy");
  CHECK(wrong.exit_code == 3);
  holds(wrong.err, "four.npy holds 16 numbers, argument 0 (y) of scale has 1000");
  CHECK(workshop.scale("--param FACTOR=1 --verify none.npy").exit_code == 3);
  CHECK(workshop.scale("--param FACTOR=1 --verify x=four.npy").exit_code == 2);
}

TEST_CASE("kernel: T1 files of another language, and other input that cannot be taken") {
  const Workshop workshop;
  write_file(workshop.folder / "cuda_T1.json",
             R"({"ConfigurationSpace": {"TuningParameters": []}, "KernelSpecification":
                 {"Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu"}})");
  const auto cuda = workshop.tune("cuda_T1.json -o r");
  CHECK(cuda.exit_code == 3);
  holds(cuda.err, "CUDA; only OpenCL can be tuned");
  CHECK(workshop.tune("none_T1.json -o r").exit_code == 3);
  CHECK(workshop.tune("cuda_T1.json --name k -o r").exit_code == 2);
  CHECK(workshop.tune("none.cl --name k --global 1 --arg int:1 -o r").exit_code == 3);
  for (const char* arguments :
       {"--arg int:1", "--global 1 --arg what:1", "--global 1 --arg buffer:f32",
        "--global 1 --arg buffer:f16:1", "--global 1,1,1,1 --arg int:1", "--global 'n' --arg int:1",
        "--global 1 --arg int:1 --param FACTOR", "--global 1 --arg int:1 --local '1 x 1'",
        "--global 1 --arg int:1 --reps 0", "--global 1 --arg int:1 --constraint '1 +'",
        "--global 1 --arg int:1 --tolerance -1", "--global 1 --arg buffer:f32:1:full",
        "--global 1 --arg scratch:f32", "--global LOCAL_Y --arg int:1",
        "--global 1 --arg int:LOCAL_W"}) {
    CAPTURE(arguments);
    const auto result =
        run_tune(workshop.folder,
                 std::string("kernel scale.cl --name scale -o r --device pocl ") + arguments);
    CHECK(result.exit_code == 2);
    CHECK(result.err.starts_with("clgauss-tune: "));
  }
  CHECK_FALSE(workshop.has("r"));
}

TEST_CASE("kernel: what fails everywhere exits with 5 and keeps its rows") {
  const Workshop workshop;
  const auto result = workshop.scale("--param FACTOR=3 --against twice --local 8,40");
  CHECK(result.exit_code == 5);
  holds(result.err, "none of 2 configurations works");
  holds(content_of(workshop.folder / "r/rows.csv"), "wrong_result");
}

TEST_CASE(
    "kernel: several sizes in one run give a table, as text, JSON and a header for programs") {
  const Workshop workshop;
  const std::string command =
      "scale.cl --name scale --global n --round-up x --arg buffer:f32:n:0 --arg buffer:f32:n --arg "
      "int:n --param FACTOR=2 --against twice --local 8,40 -o r --size n=100,m=3 --size n=1000 "
      "--size n=5000,m=4 --gflop n/1e9 --gbyte '8*n/1e9' --json r.json";
  const auto result = workshop.tune(command);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  holds(result.out, "The fastest launch of each size");
  holds(result.out, "Gflop/s");
  holds(result.out, "m=3,n=1000");
  const auto json = nlohmann::json::parse(content_of(workshop.folder / "r.json"));
  REQUIRE(json["table"].size() == 3);
  for (const auto& [row, n, m] : {std::tuple(0U, 100, 3), {1U, 1000, 3}, {2U, 5000, 4}}) {
    const auto& one = json["table"][row];
    CHECK(one["size"]["n"] == n);
    CHECK(one["size"]["m"] == m);
    CHECK(one["tried"] == 2);
    CHECK(one["control_floor"].is_number());
    const double seconds = one["best"]["median_s"];
    CHECK(one["best"]["gflops"].get<double>() == doctest::Approx(n * 1e-9 / seconds));
    CHECK(one["best"]["gbytes_per_s"].get<double>() == doctest::Approx(8e-9 * n / seconds));
    const std::string folder = "r/m=" + std::to_string(m) + ",n=" + std::to_string(n);
    const auto t4 =
        nlohmann::json::parse(content_of(workshop.folder / (folder + "/search_T4.json")));
    CHECK(t4["results"][0]["measurements"].dump().find("gbytes_per_s") != std::string::npos);
    CHECK(workshop.has(folder + "/rows.csv"));
  }
  const std::string page = content_of(workshop.folder / "r/report.html");
  holds(page, "m=4 n=5000");
  holds(page, ">Gflop/s</th>");
  holds(page, ">GB/s</th>");

  write_file(workshop.folder / "use.cpp",
             "#include \"r/launches.hpp\"\n#include <cstdio>\nint main() {\n"
             "  for (const auto& launch : tuned_scale::launches) std::printf(\"%g \", launch.n);\n"
             "  std::printf(\"%g %s\", tuned_scale::nearest(3, 900).n, "
             "tuned_scale::launches[0].build_options);\n}\n");
  const auto used =
      run_script(workshop.folder, "c++ -std=c++20 -Wall -Werror use.cpp -o use && ./use");
  CAPTURE(used.err);
  CHECK(used.out == "100 1000 5000 1000 -DFACTOR=2");

  const auto again = workshop.tune(command);  // goes on where it stopped: nothing is measured
  CHECK(again.exit_code == 0);
  const auto same = nlohmann::json::parse(content_of(workshop.folder / "r.json"));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(same["table"][i]["measured"] == 0);
    CHECK(same["table"][i]["best"]["cpp"] == json["table"][i]["best"]["cpp"]);
  }
}

TEST_CASE("kernel: the best of another search are tried first") {
  const Workshop workshop;
  const std::string what = "--param FACTOR=2 --against twice --local ";
  REQUIRE(workshop.scale(what + "20,125").exit_code == 0);
  std::filesystem::rename(workshop.folder / "r", workshop.folder / "before");
  const auto result = workshop.scale(
      what +
      "5,8,10,20,25,40,50,100,125,200,250,500 --seeds before/search_T4.json --evaluations 2");
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  std::set<int> tried;
  const auto t4 = nlohmann::json::parse(content_of(workshop.folder / "r/search_T4.json"));
  for (const auto& one : t4["results"]) tried.insert(one["configuration"]["LOCAL_X"].get<int>());
  CHECK(tried == std::set{20, 125});
  CHECK(workshop.scale(what + "8 --seeds missing.json").exit_code == 3);
}

TEST_CASE("kernel: a space of more combinations than can be listed is searched") {
  const Workshop workshop;
  std::string many = "--local 8,40 --against twice";
  for (const char* name : {"A", "B", "C", "D", "E", "F"})
    many += std::string(" --param ") + name + "=1:100";
  const auto result = workshop.scale(
      many + " --param FACTOR=2 --constraint 'A <= B && C+D < 90' --evaluations 6 --json r.json");
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const auto json = nlohmann::json::parse(content_of(workshop.folder / "r.json"));
  CHECK(json["space"] == 2000000000000);
  CHECK(json["tried"] == 6);
  const auto t4 = nlohmann::json::parse(content_of(workshop.folder / "r/search_T4.json"));
  for (const auto& one : t4["results"]) {
    const auto& configuration = one["configuration"];
    CHECK(configuration["A"].get<int>() <= configuration["B"].get<int>());
    CHECK(configuration["C"].get<int>() + configuration["D"].get<int>() < 90);
  }
  const auto none =
      workshop.scale(many + " --param FACTOR=2 --constraint 'A > 100' --evaluations 6");
  CHECK(none.exit_code == 2);
  holds(none.err, "excluded by the constraint A > 100");
}

TEST_CASE("kernel: sizes and rates that make no sense are refused") {
  const Workshop workshop;
  for (const auto& [arguments, message] :
       {std::pair("--size n=5 --size n=5", "--size n=5: this size is given twice"),
        {"--size n=5,n=6", "n is given twice; another size is another --size"},
        {"--size n=5 --size n=6 --size m=1", "the sizes before it have fewer names"},
        {"--size n=5 --size n=6,m=1", "the sizes before it have fewer names"},
        {"--size n", "NAME=VALUE is expected"},
        {"--size n=5 --gflop k/1e9", "nothing says what k is"},
        {"--size n=5 --gbyte n/", "is not an expression"}}) {
    CAPTURE(arguments);
    const auto result =
        workshop.tune(std::string("scale.cl --name scale --global n --arg buffer:f32:n --arg "
                                  "buffer:f32:n --arg int:n --param FACTOR=2 --local 1 -o r ") +
                      arguments);
    CHECK(result.exit_code == 2);
    holds(result.err, message);
  }
}

TEST_CASE("kernel: a signal ends it with what was tried, and the same command goes on") {
  const Workshop workshop;
  const std::string arguments =
      "kernel scale.cl --name scale --size n=1000000 --global n --round-up x --local 1:200 --param "
      "FACTOR=2 --arg buffer:f32:n:0 --arg buffer:f32:n --arg int:n --against twice --device pocl "
      "-o r ";
  const auto result = run_script(
      workshop.folder,
      "\"$CLGAUSS_TUNE\" " + arguments +
          "--budget 100s &\nP=$!\nfor i in $(seq 300); do [ \"$(cat r/rows.csv 2>/dev/null "
          "| wc -l)\" -gt 12 ] && break; sleep 0.1; done\nkill -TERM $P\nwait "
          "$P\necho code $?");
  holds(result.out, "code 130");
  const auto count = [&] {
    const std::string rows = content_of(workshop.folder / "r/rows.csv");
    return std::ranges::count(rows, '\n');
  };
  const auto kept = count();
  CHECK(kept > 12);
  CHECK(workshop.has("r/search_T4.json"));
  const auto more = run_tune(workshop.folder, arguments + "--evaluations 3 -q --reps 2");
  CHECK(more.exit_code == 0);
  CHECK(count() >= kept);
}
