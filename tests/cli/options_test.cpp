// No option is ignored: in every mode of a command it is honoured, or refused by its name.

#include <doctest/doctest.h>

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
    {"--batched", "ALCZ"},  // with Z it is another mode, and so for what follows
    {"--allow-nonfinite", "ALMRCIGJSXBZ"},
    {"--method lu", "ABZ"},
    {"--method cholesky", "ABZ"},
    {"--method mixed", "AZ"},
    {"--method gauss", "AX"},
    {"--pivot partial", "ALMGXBZ"},
    {"--pivot tournament", "ALM"},
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

TEST_CASE("options: the other commands refuse what means nothing by name") {
  const TemporaryFolder folder;
  for (const std::string typed :
       {"generate --kind hilbert --n 3 --seed 2", "generate --kind random --n 3 --nrhs 2",
        "generate --kind wilkinson --n 3 --rhs none --seed 2"}) {
    CAPTURE(typed);
    refuses(run_program(folder, typed),
            typed.find("seed") != std::string::npos ? "--seed" : "--nrhs");
  }
  CHECK(run_program(folder, "generate --kind hilbert --n 3 --rhs random --seed 2").exit_code == 0);
  for (const char* command : {"lstsq", "invert", "det", "cond", "inertia"})
    CHECK(run_program(folder, std::string(command) + " a.npy --cores-per-cu 3").exit_code == 2);
  for (const auto& [typed, name] :
       {std::pair("sweep --sizes 8 --local 8 -o r --full --steps 3", "--steps"),
        std::pair("rules --sizes 8 -o r --full --steps 3", "--steps"),
        std::pair("outliers --sizes 8 -o r --full --steps 3", "--steps"),
        std::pair("sweep --sizes 8 --local 8 -o r --kernel gemm --warmup 3", "--warmup"),
        std::pair("sweep --sizes 8 --local 8 -o r --kernel gemm --cores-per-cu 3",
                  "--cores-per-cu"),
        std::pair("reproduce matmul-ladder --local 8", "--local"),
        std::pair("reproduce matmul-kernels --groups 8", "--groups"),
        std::pair("reproduce bandwidth --full", "--full"),
        std::pair("search gemm --n 8 --strategy exhaustive --seed 3", "--seed"),
        std::pair("replay none.json --strategy exhaustive --seed 3", "--seed"),
        std::pair("kernel none_T1.json -o r --name k", "--name"),
        std::pair("kernel none.cl -o r --name k --global 8 --arg int:1 --against-global 8",
                  "--against-global"),
        std::pair("auto --what gemm --cores-per-cu 3", "--cores-per-cu"),
        std::pair("auto --what method --types f32", "--types")}) {
    CAPTURE(typed);
    refuses(run_tune(folder, typed), name);
  }
  CHECK(run_tune(folder, "search gemm --n 8 --cores-per-cu 3").exit_code == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "r"));
}
