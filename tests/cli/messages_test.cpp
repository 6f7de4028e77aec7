// What messages tell the user to type, and that no two lines contradict each other.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "support/file_folder.hpp"
#include "support/process.hpp"
#include "support/text.hpp"

using namespace clgauss::test;
using nlohmann::json;

namespace {

/// Variables of the environment that the sources in `folder` read.
std::set<std::string> variables_in(const std::filesystem::path& folder) {
  const std::regex read(
      R"re((?:getenv|setting|absolute|variable|text_of|xdg_folder)\("([A-Z_]+)"|"(CLGAUSS_[A-Z_]+|OMPI_[A-Z_]+|PMI_SIZE|MPI_[A-Z]+)\b)re");
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".c") continue;
    const std::string text = content_of(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), read), end; at != end; ++at)
      found.insert((*at)[1].matched ? (*at)[1].str() : (*at)[2].str());
  }
  return found;
}

}  // namespace

TEST_CASE("messages: a small rcond does not deny the digits that the bound of the error leaves") {
  const TemporaryFolder folder;
  write_file(folder / "s.txt", "0.1 0.7 0.3\n1e-20 3.3e-20 0.7e-20\n");
  for (const std::string options : {"", " --strict", " --accuracy max --strict", " --strict -q"}) {
    CAPTURE(options);
    const auto result = run_program(folder, "solve s.txt --device pocl --json r.json" + options);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    CHECK_FALSE(has(result.err, "WARNING"));
    const json trust = json::parse(content_of(folder / "r.json"))["error_estimate"];
    CHECK(trust["rcond"] < 1e-18);
    CHECK(trust["correct_digits"] >= 14);
  }
}

TEST_CASE("messages: devices says when auto tries Cholesky, auto what it had no time for") {
  const TemporaryFolder folder;
  const auto devices = run_program(folder, "devices --device pocl --json d.json");
  CHECK(has(devices.out, "auto takes      cholesky from n = 1024 where A is symmetric"));
  const json report = json::parse(content_of(folder / "d.json"))[0];
  CHECK(report["cholesky_from"] == 1024);
  CHECK(report["cholesky_to"].is_null());
  const auto tuned = run_tune(
      folder,
      "auto --what gemm,lu --sizes 40 --types f32 --budget 1ms --accept-noise --dry-run -q");
  CHECK(tuned.exit_code == 0);
  CHECK_MESSAGE(has(tuned.out, "not tuned: no time was left"), tuned.out);
  CHECK_FALSE(has(tuned.out, "no GEMM kernel"));
}

TEST_CASE("messages: what rates auto chose by, pretended ones included") {
  const TemporaryFolder folder;
  const std::string pretended = "CLGAUSS_TUNED=off CLGAUSS_F64_RATIO=";
  const auto devices = run_program(folder, "devices --device pocl --json d.json", pretended + "64");
  CHECK_MESSAGE(has(devices.out,
                    "cholesky from n = 512 where A is symmetric with a positive diagonal, else "
                    "mixed from n = 1024, else lu (pretended: f32 64 times as fast as f64)"),
                devices.out);
  const json choice = json::parse(content_of(folder / "d.json"))[0]["method_choice"];
  CHECK(choice["mixed_from"] == 1024);
  CHECK(choice["source"] == "pretended");
  CHECK(choice["rates"]["ratio"] == 64);
  CHECK(choice["rates"]["f32_tflops"].is_null());
  CHECK(choice["estimates_to"].is_null());
  const auto fast_f64 = run_program(folder, "devices --device pocl", pretended + "2");
  CHECK_MESSAGE(has(fast_f64.out,
                    "else lu (pretended: f32 2 times as fast as f64); lu with error estimates from "
                    "n = 3073"),
                fast_f64.out);
  REQUIRE(run_program(folder, "generate --kind random --n 1024 -o s.npz").exit_code == 0);
  const auto solve = [&](const std::string& ratio) {
    const auto result = run_program(folder, "solve s.npz -v -o x.npy --json r.json --device pocl",
                                    pretended + ratio);
    CHECK(result.exit_code == 0);
    CHECK_MESSAGE(
        has(result.err, "auto chose by pretended rates: f32 " + ratio + " times as fast as f64"),
        result.err);
    return json::parse(content_of(folder / "r.json"));
  };
  const json slow = solve("64"), fast = solve("1");
  CHECK(slow["method"] == "mixed");
  CHECK(slow["method_choice"] == "pretended");
  CHECK(slow["rates"]["ratio"] == 64);
  CHECK(fast["method"] == "lu");
  for (const std::string senseless : {"3", "0", "128", "x"}) {
    const auto refused =
        run_program(folder, "solve s.npz -o x.npy --device pocl", pretended + senseless);
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "CLGAUSS_F64_RATIO: '" + senseless + "' is not 1, 2, 4"));
  }
}

TEST_CASE("messages: options are named as they are typed") {
  const TemporaryFolder folder;
  write_file(folder / "square.txt", "1 2\n3 4\n");
  write_file(folder / "tall.txt", "1 2\n3 4\n5 6\n");
  write_file(folder / "nan.txt", "1 2 3\n4 nan 6\n");
  const std::string kinds = (file_folder() / "kinds.npz").string();
  for (const auto& [arguments, meant] :
       {std::pair<std::string, std::string>("square.txt", "--rhs"),
        {"square.txt b.mtx", "did you mean --rhs b.mtx?"},
        {"square.txt b.mtx -q", "did you mean --rhs b.mtx?"},
        {"nan.txt", "--allow-nonfinite"},
        {"tall.txt", "`clgauss lstsq`"},
        {"tall.txt --rhs ones", "`clgauss lstsq`"},
        {"'" + kinds + "'", kinds + ":fortran --rhs " + kinds + ":i1"},
        {"square.txt --rhs '" + kinds + "'", "choose one, as in --rhs " + kinds + ":fortran"}}) {
    CAPTURE(arguments);
    const auto result = run_program(folder, "solve " + arguments);
    CHECK(result.exit_code > 1);
    CHECK_MESSAGE(has(result.err, meant), result.err);
    CHECK_FALSE(has(result.err, "(rhs"));
  }
  const auto rusticl = run_script(
      folder, "unset RUSTICL_ENABLE; \"$CLGAUSS\" solve square.txt --rhs ones --device rusticl");
  CHECK(rusticl.exit_code == 4);
  CHECK_MESSAGE(has(rusticl.err, "RUSTICL_ENABLE=llvmpipe"), rusticl.err);
}

TEST_CASE("messages: a CSV's line of names is a note, and all of its problems come at once") {
  const TemporaryFolder folder;
  write_file(folder / "excel.csv", "x;\"y;1\";b\r\n1,5;0;3\r\n0;2;\"4\"\r\n");
  for (const std::string command : {"solve excel.csv", "lstsq excel.csv"}) {
    CAPTURE(command);
    const auto noted = run_program(folder, command);
    CHECK_MESSAGE(noted.exit_code == 0, noted.err);
    CHECK(noted.out == "2\n2\n");
    CHECK_MESSAGE(has(noted.err, "line 1 names the columns ('x;\"y;1\";b') and is skipped"),
                  noted.err);
    CHECK_FALSE(has(run_program(folder, command + " -q").err, "names the columns"));
  }
  std::string rows = "1,2,3\n";
  for (int i = 0; i < 12; ++i) rows += "4,x,6\n";
  write_file(folder / "bad.csv", rows);
  const auto refused = run_program(folder, "solve bad.csv");
  CHECK(refused.exit_code == 3);
  for (const char* said : {"bad.csv:2:3: 'x' is not a number", "bad.csv:11:3: ", "and 2 more"})
    CHECK_MESSAGE(has(refused.err, said), refused.err);
  CHECK_FALSE(has(refused.err, "bad.csv:12:3: "));
}

TEST_CASE("messages: help has every variable of the environment that is read, and the summary") {
  const TemporaryFolder folder;
  const std::string help = run_program(folder, "help environment").out,
                    of_tuner = run_tune(folder, "help environment").out;
  const std::filesystem::path sources = data_folder().parent_path();
  const auto host = variables_in(sources / "host");
  CHECK(host.size() > 12);
  for (const std::string& name : host) {
    CAPTURE(name);
    CHECK(has(help, name));
  }
  for (const std::string& name : variables_in(sources / "tuner")) {
    CAPTURE(name);
    CHECK(has(of_tuner, name));
  }
  for (const char* name : {"RUSTICL_ENABLE", "POCL_CACHE_DIR", "XDG_CACHE_HOME", "CLGAUSS_KERNELS"})
    for (const std::string& text : {help, of_tuner}) CHECK(has(text, name));
  for (const char* topic : {"summary", "estimate", "residual", "rcond", "warning", "trust"}) {
    const auto result = run_program(folder, std::string("help ") + topic);
    CHECK(result.exit_code == 0);
    CHECK(has(result.out, "\n  estimate  "));
    CHECK(has(result.out, "\n  residual  "));
  }
}
