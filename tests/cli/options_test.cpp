// No option is ignored: in every mode of a command it is honoured, or refused by its name. What is
// listed here must be what the help has, so that no option can be left out.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "support/process.hpp"
#include "support/thorough.hpp"

using namespace clgauss::test;

namespace {

/// How `solve` is told what it is. The program stands alone in its folder, so that nothing goes
/// beyond one device.
const std::map<char, std::string> kModes{
    {'A', "none.npy"},
    {'L', "none.npy --method lu"},
    {'M', "none.npy --method mixed"},
    {'R', "none.npy --method rbt"},
    {'C', "none.npy --method cholesky"},
    {'I', "none.npy --method ldlt"},
    {'G', "none.npy --method gauss"},
    {'J', "none.npy --method jacobi"},
    {'S', "none.npy --method seidel"},
    {'X', "none.npy --compare"},
    {'B', "none.npy --batched"},
    {'Z', "complex.mtx"},
    {'D', "none.npy --devices all"},
    {'K', "none.npy --devices all --checkpoint kept"},
};

/// An option and the modes in which it means something.
struct Meaning {
  const char *option, *modes;
};

constexpr const char* kAll = "ALMRCIGJSXBZDK";
const std::vector<Meaning> kMeanings{
    {"--rhs ones", kAll},
    {"--format npy", kAll},
    {"--batched", "ALCIZ"},  // with Z it is another mode, and so for what follows
    {"--allow-nonfinite", "ALMRCIGJSXBZ"},
    {"--method lu", "ABZ"},
    {"--method cholesky", "ABZ"},
    {"--method ldlt", "ABZ"},
    {"--method mixed", "AZ"},
    {"--method gauss", "AX"},
    {"--pivot partial", "ALMIGXBZ"},
    {"--pivot tournament", "ALM"},
    {"--pivot rook", "AIZ"},
    {"--pivot none", "AGX"},
    {"--type f32", kAll},
    {"--type f64", "ALCIGJSXBZDK"},
    {"--accuracy double", "ALMRCIGJSXZDK"},
    {"--accuracy single", "ALCIGJSXZDK"},
    {"--accuracy max", "ALMCIZ"},
    {"--equilibrate off", "ALMZDK"},
    {"--in-place", "ALM"},
    {"--output x.npy", kAll},
    {"--output-format npy", kAll},
    {"--digits 3", "ALMRCIGJSXZDK"},
    {"--max-residual 20", kAll},
    {"--check host", "ALMRCIGJSXZ"},
    {"--check device", "ALMRCIZ"},
    {"--no-rcond", "ALMRCIBZDK"},
    {"--strict", "ALMRCIZDK"},
    {"--certify", "ALMRCIGJSZ"},
    {"--determinant", "ALMCIGXZDK"},
    {"--max-iterations 9", "JS"},
    {"--devices all", "AZ"},
    {"--memory 1GB", "AZDK"},
    {"--spill .", "AZDK"},
    {"--checkpoint kept", "AZD"},
    {"--every 5s", "K"},
    {"--resume kept", "AZDK"},
    {"--trace t.json", "AZDK"},
    {"--local 16", "AGX"},
    {"--ndrange shrinking", "AGX"},
    {"--split auto", "AGX"},
    {"--compare", "AG"},
    {"--reps 2", "X"},
    {"--warmup 2", "X"},
    {"--launches l.csv", "AGX"},
    {"--cores-per-cu 4", "GX"},
    {"--device cpu", "ALMRCIGJSXBZ"},
    {"--kernels portable", kAll},
    {"--kernel-dir none", kAll},
    {"--json r.json", kAll},
    {"--verbose", "ALMRCIGJSXBZ"},
    {"--quiet", kAll},
};

std::string name_of(const std::string& option) { return option.substr(0, option.find(' ')); }

void write_complex(const TemporaryFolder& folder) {
  write_file(folder / "complex.mtx",
             "%%MatrixMarket matrix array complex general\n1 2\n2 0\n4 2\n");
}

void refuses(const ProcessResult& result, const std::string& name) {
  CHECK_MESSAGE(result.exit_code == 2, result.err);
  CHECK_MESSAGE(result.err.find(name) != std::string::npos, result.err);
  CHECK_MESSAGE(result.err.find(" belongs to ") != std::string::npos, result.err);
}

}  // namespace

TEST_CASE("options: every one of solve is in the list of this test") {
  const TemporaryFolder folder;
  std::set<std::string> known{"--help"};
  for (const Meaning& meaning : kMeanings) known.insert(name_of(meaning.option));
  std::istringstream help(run_program(folder, "help solve").out);
  const std::regex option(R"(^ +(?:-\w, )?(--[a-z-]+))");
  std::size_t found = 0;
  for (std::string line; std::getline(help, line);)
    if (std::smatch match; std::regex_search(line, match, option)) {
      CAPTURE(match[1].str());
      CHECK(known.contains(match[1].str()));
      ++found;
    }
  CHECK(found >= known.size());
}

TEST_CASE("options: each means something in a mode of solve, or is refused by name") {
  const TemporaryFolder folder;
  write_complex(folder);
  std::filesystem::copy(program(), folder / "alone");
  std::size_t turn = 0;
  for (const auto& [mode, arguments] : kModes)
    for (const Meaning& meaning : kMeanings) {
      // All that is refused, and of what is solved a part.
      const bool belongs = std::string(meaning.modes).find(mode) != std::string::npos;
      if (belongs && !thorough() && turn++ % 4 != 0) continue;
      const std::string option = meaning.option, typed = "solve " + arguments + " " + option;
      if (arguments.find(name_of(option)) != std::string::npos) continue;
      if (mode == 'Z' && option == "--format npy") continue;  // is of the file
      CAPTURE(typed);
      const auto result = run(folder / "alone", folder, typed);
      if (belongs)
        CHECK_MESSAGE(result.err.find(" belongs to ") == std::string::npos, result.err);
      else
        refuses(result, name_of(option));
    }
}

namespace {

/// A command other than `solve`, what begins each of its modes, and the options that mean something
/// in these modes alone: all others mean something in every one. Of a program without commands
/// there is one, without a name.
struct Walk {
  std::filesystem::path program;
  std::string command;
  std::map<char, std::string> modes;
  std::map<std::string, std::string> limited = {};
};

Walk& walk_of(std::vector<Walk>& all, const std::string& command) {
  return *std::ranges::find(all, command, &Walk::command);
}

std::vector<Walk> walks() {
  const std::string rule = "--total-cores 8 --compute-units 2 --multiple 8 --limit 64",
                    eliminations = "--sizes 8 --output there", sweep = eliminations + " --local 8",
                    kernel = "none.cl --name k --global 8 --output there";
  const std::map<std::string, std::string> of_steps{{"--steps", "E"}};
  std::vector<Walk> all{
      {program(), "lstsq", {{'A', "none.npy"}}},
      {program(), "invert", {{'A', "none.npy"}}},
      {program(), "det", {{'A', "none.npy"}}},
      {program(), "cond", {{'A', "none.npy"}}},
      {program(), "inertia", {{'A', "none.npy"}}},
      {program(), "devices", {{'A', ""}}},
      {program(), "warm", {{'A', ""}}},
      {program(), "run", {{'A', "-- true"}}},
      {program(), "rule", {{'A', rule}}},
      {program(),
       "generate",
       {{'B', "--kind random --n 3 --rhs random"},
        {'R', "--kind random --n 3 --rhs none"},
        {'N', "--kind hilbert --n 3 --rhs none"}},
       {{"--seed", "BR"}, {"--nrhs", "B"}}},
      {tune_program(),
       "sweep",
       {{'E', sweep}, {'F', sweep + " --full"}, {'G', sweep + " --kernel gemm"}},
       {{"--steps", "E"},
        {"--full", "E"},
        {"--ndrange", "EF"},
        {"--warmup", "EF"},
        {"--device-reps", "EF"},
        {"--cores-per-cu", "EF"},
        {"--split", "EF"}}},
      {tune_program(),
       "outliers",
       {{'E', eliminations}, {'F', eliminations + " --full"}},
       of_steps},
      {tune_program(), "rules", {{'E', eliminations}, {'F', eliminations + " --full"}}, of_steps},
      {tune_program(),
       "explain",
       {{'M', "--output there"},
        {'R', "--rows there"},
        {'O', "--rows there --global 8x8"},
        {'K', "--rows there --each-kernel"},
        {'T', "--rows there --fit-rows there"}},
       {{"--fit-kernels", "MRO"},
        {"--fit-sizes", "MRO"},
        {"--fit-rows", "MRO"},
        {"--each-kernel", "MR"},
        {"--predict", "MRKT"},
        {"--global", "MRT"}}},
      {tune_program(), "laboratory", {{'A', "--output there"}}},
      {tune_program(),
       "reproduce",
       {{'A', "all"}, {'B', "bandwidth"}, {'P', "matmul-ladder"}},
       {{"--local", "AB"}, {"--groups", "AB"}, {"--full", "AP"}}},
      {tune_program(), "report", {{'A', "there --output there.html"}}},
      {tune_program(), "report-device", {{'A', ""}}},
      {tune_program(),
       "auto",
       {{'A', ""}, {'G', "--what gemm"}, {'M', "--what method"}},
       {{"--types", "AG"}, {"--cores-per-cu", "A"}}},
      {tune_program(), "show", {{'A', ""}}},
      {tune_program(), "export", {{'A', "--output there.json"}}},
      {tune_program(), "import", {{'A', "none.json"}}},
      {tune_program(),
       "kernel",
       {{'C', kernel},
        {'X', kernel + " --strategy exhaustive"},
        {'G', kernel + " --against other"},
        {'T', "none.json --output there"}},
       {{"--seed", "CGT"}, {"--against-global", "G"}}},
      {tune_program(), "watch", {{'A', "-- true"}}},
      {tune_program(),
       "search",
       {{'A', "gemm --n 8"}, {'X', "gemm --n 8 --strategy exhaustive"}},
       {{"--seed", "A"}}},
      {tune_program(),
       "replay",
       {{'A', "none.json"}, {'X', "none.json --strategy exhaustive"}},
       {{"--seed", "A"}}},
      {bench_program(),
       "",
       {{'g', "gemm"},
        {'l', "lu"},
        {'s', "solve"},
        {'c', "cholesky"},
        {'i', "ldlt"},
        {'q', "lstsq"},
        {'y', "gelsy"},
        {'v', "invert"},
        {'x', "complex"},
        {'a', "hermitian"},
        {'h', "host"},
        {'e', "gecon"},
        {'b', "batched"},
        {'r', "vbatched"},
        {'f', "file"},
        {'o', "cold"},
        {'z', "lu --breakdown"}},
       {{"--types", "glsciqyvxahebrz"},
        {"--breakdown", "glsciqvxab"},
        {"--k", "g"},
        {"--nrhs", "hbx"},
        {"--batch", "br"},
        {"--smallest", "r"},
        {"--kernel", "b"},
        {"--definite", "b"},
        {"--symmetric", "bx"},
        {"--rook", "i"},
        {"--complex", "b"},
        {"--grid", "b"},
        {"--pad", "glscivz"},
        {"--peers", "glsciqyvxahebrfo"},
        {"--reps", "glsciqyvxahebrfo"},
        {"--samples", "glsciqyvxahebrfo"},
        {"--json", "glsciqyvxahebrfo"}}}};
  std::map<std::string, std::string>& explain = walk_of(all, "explain").limited;
  for (const char* measuring :
       {"--sizes", "--reps", "--warmup", "--timeout", "--budget", "--append", "--quiet", "--device",
        "--kernels", "--kernel-dir", "--cores-per-cu"})
    explain[measuring] = "M";
  for (const char* own : {"--launches", "--bytes", "--flops", "--reads", "--rate"})
    explain[own] = "O";
  for (const char* told_by_t1 : {"--name", "--global", "--local", "--arg", "--param", "--size"})
    walk_of(all, "kernel").limited[told_by_t1] = "CXG";
  return all;
}

/// An option as its line of the help has it, and a value that it takes.
struct Listed {
  std::string name, typed;
};

/// The options of a command, by its help, but for --help.
std::vector<Listed> options_of(const TemporaryFolder& folder, const Walk& walk) {
  const std::map<std::string, std::string> values{
      {"--accuracy", "single"}, {"--format", "npy"},       {"--kernels", "portable"},
      {"--method", "lu"},       {"--ndrange", "fixed"},    {"--output-format", "npy"},
      {"--peers", "none"},      {"--rhs", "row-sums"},     {"--split", "padded"},
      {"--strategy", "random"}, {"--type", "f32"},         {"--types", "f32"},
      {"--use", "update"},      {"--what", "elimination"}, {"--kind", "hilbert"},
      {"--arg", "int:1"},       {"--param", "N=1"},        {"--size", "n=1"},
      {"--only", "rules"},      {"--output", "other.txt"}};
  const std::map<std::pair<std::string, std::string>, std::string> of_commands{
      {{"sweep", "--kernel"}, "solve"},
      {{"rules", "--kernel"}, "solve"},
      {{"", "--kernel"}, "tile"},
      {{"inertia", "--method"}, "ldlt"}};
  const std::map<std::string, std::string> placeholders{
      {"FILE", "other.json"}, {"[FILE]", "other.json"}, {"FOLDER", "other"},
      {"DIR", "other"},       {"TIME", "5s"},           {"SPEC", "nowhere"}};
  std::istringstream help(
      run(walk.program, folder, walk.command.empty() ? "--help" : "help " + walk.command).out);
  const std::regex line_of_option(R"(^ {2,6}(?:-\w, )?(--[a-z-]+)(?: (\S+))?(?: {2,}.*)?$)");
  std::vector<Listed> all;
  for (std::string line; std::getline(help, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, line_of_option)) continue;
    const std::string name = match[1], place = match[2];
    if (name == "--help" || name == "--version") continue;
    std::string value = "3";
    if (const auto placed = placeholders.find(place); placed != placeholders.end())
      value = placed->second;
    if (const auto known = values.find(name); known != values.end()) value = known->second;
    if (const auto own = of_commands.find({walk.command, name}); own != of_commands.end())
      value = own->second;
    all.push_back({name, place.empty() ? name : name + ' ' + value});
  }
  return all;
}

}  // namespace

TEST_CASE("options: every command is walked") {
  const TemporaryFolder folder;
  const std::vector<Walk> all = walks();
  for (const auto& path : {program(), tune_program()}) {
    std::istringstream help(run(path, folder, "--help").out);
    const std::regex command(R"(^  ([a-z-]+) +[a-z].*)");
    std::size_t found = 0;
    for (std::string line; std::getline(help, line) && !line.starts_with("Options of");) {
      std::smatch match;
      if (!std::regex_match(line, match, command)) continue;
      const std::string name = match[1];
      ++found;
      CAPTURE(name);
      CHECK((name == "solve" || name == "help" || name == "completion" ||
             std::ranges::any_of(all, [&](const Walk& walk) {
               return walk.program == path && walk.command == name;
             })));
    }
    CHECK(found > 10);
  }
}

TEST_CASE("options: each means something in a mode of any other command, or is refused by name") {
  const TemporaryFolder folder;
  const std::string without_devices =
      "OCL_ICD_VENDORS=" + (folder / "none").string() + " XDG_DATA_HOME=" + folder.path().string();
  std::size_t turn = 0, count = 0;
  for (const Walk& walk : walks()) {
    const std::vector<Listed> options = options_of(folder, walk);
    CAPTURE(walk.command);
    count += options.size();
    for (const auto& [name, modes] : walk.limited)
      CHECK_MESSAGE(std::ranges::count(options, name, &Listed::name) == 1, name);
    for (const auto& [mode, arguments] : walk.modes)
      for (const Listed& option : options) {
        if ((arguments + ' ').find(option.name + ' ') != std::string::npos) continue;
        const auto limited = walk.limited.find(option.name);
        const bool belongs =
            limited == walk.limited.end() || limited->second.find(mode) != std::string::npos;
        if (belongs && !thorough() && turn++ % 4 != 0) continue;
        // Before the arguments: behind "--" everything is another program's.
        const std::string typed =
            walk.command + ' ' + option.typed + (arguments.empty() ? "" : ' ' + arguments);
        CAPTURE(typed);
        const auto result = run(walk.program, folder, typed, without_devices);
        if (!belongs) {
          refuses(result, option.name);
          continue;
        }
        for (const char* refused : {" belongs to ", "there is no option", "is not one of"})
          CHECK_MESSAGE(result.err.find(refused) == std::string::npos, result.err);
      }
  }
  CHECK(count > 150);
}

TEST_CASE("options: values that contradict each other, and what only others have") {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "1 2\n3 4\n");
  for (const char* command : {"lstsq", "invert", "det", "cond", "inertia"})
    CHECK(run_program(folder, std::string(command) + " a.txt --cores-per-cu 3").exit_code == 2);
  CHECK(run_program(folder, "warm --cores-per-cu 3").exit_code == 2);
  for (const char* command : {"solve", "lstsq", "invert", "det", "cond", "inertia"}) {
    CAPTURE(command);
    refuses(run_program(folder, std::string(command) + " a.txt --verbose --quiet"), "--verbose");
  }
  for (const char* command : {"invert", "det", "cond", "inertia"}) {
    CAPTURE(command);
    const auto result =
        run_program(folder, std::string(command) + " a.txt --accuracy single --type f64");
    CHECK(result.exit_code == 2);
    CHECK(result.err.find("--accuracy single") != std::string::npos);
  }
  CHECK(run_program(folder, "generate --kind hilbert --n 3 --rhs random --seed 2").exit_code == 0);
}
