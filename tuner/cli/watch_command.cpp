#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "command_line/typed.hpp"
#include "operating_system.hpp"
#include "tuner/cli/commands.hpp"

namespace clgauss::tune {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWatchUsage = "[options] -- PROGRAM [ARGUMENT...]";
constexpr std::string_view kWatchAbout =
    "Runs any OpenCL program, unchanged, and reports at its end which kernels it launched, with "
    "which "
    "work-group sizes, and how long they took on the device. A program that gives no size (NULL) "
    "leaves it to the driver; where the range is a prime, or has only small divisors, drivers take "
    "groups of one work-item, and a GPU may need a hundred times as long (Baranov and Vlatskaya, "
    "2013).\n"
    "With --repair such launches get another size: one that divides the range, or, where none "
    "does, a main launch and one for each remainder. Only kernels are changed of which the text "
    "shows that no work-item can tell the difference. Each size is tried on some of the program's "
    "own launches and kept if it is faster by more than the noise, for later runs, too. A size "
    "that "
    "the program chose is never changed.\n"
    "The exit code is that of the program.";
constexpr std::string_view kWatchExamples =
    "clgauss-tune watch -- build/clgauss solve data/systems/random_1012.txt --method gauss\n"
    "clgauss-tune watch --repair -- python3 script.py\n"
    "clgauss-tune watch --repair --explain blur --json launches.json -- ./program";

constexpr const char* kLibrary = "libclgauss_layer.so";

/// Beside the program where it was built, or where libraries are installed.
fs::path layer_path() {
  const fs::path folder = operating_system::program_file().parent_path();
  for (const char* from : {"layer", CLGAUSS_LAYER_FOLDER}) {
    const fs::path path = (folder / from / kLibrary).lexically_normal();
    if (fs::exists(path)) return path;
  }
  throw UsageError(fmt::format(
      "{} is not there: install the package libclgauss-layer, or build it (cmake --build build "
      "--target clgauss_layer)",
      kLibrary));
}

/// Before the layers that the user has already.
void add_layer(const fs::path& library) {
  if (library.string().find(':') != std::string::npos)
    throw UsageError(fmt::format(
        "{}: a layer with a colon in its path cannot be loaded; install clgauss in another folder",
        library.string()));
  const char* const others = std::getenv("OPENCL_LAYERS");
  const std::string layers = others != nullptr && *others != '\0'
                                 ? fmt::format("{}:{}", library.string(), others)
                                 : library.string();
  ::setenv("OPENCL_LAYERS", layers.c_str(), 1);
}

}  // namespace

cli::CommandTable watch_table() {
  cli::CommandTable table{kWatchUsage, kWatchAbout, kWatchExamples, {}};
  table.is_before_program = true;
  // clang-format off
  table.group("What")
      ("repair", cli::po::bool_switch(), "replace sizes that are left to the driver by faster ones");
  table.group("Output")
      ("json", cli::output_file("FILE"), "write all launches to FILE, instead of the table on "
                                         "standard error")
      ("explain", cli::text("KERNEL"), "also say why launches of this kernel were changed or not");
  // clang-format on
  return table;
}

cli::ExitCode run_watch(const cli::Given& given) {
  if (given.program.empty())
    throw UsageError(
        "no program is given: name it after --, as in `clgauss-tune watch -- python3 script.py`");
  add_layer(layer_path());
  if (given.values["repair"].as<bool>()) ::setenv("CLGAUSS_LAYER_REPAIR", "1", 1);
  if (const auto json = cli::option<std::string>(given.values, "json"))
    ::setenv("CLGAUSS_LAYER_JSON", fs::absolute(*json).c_str(), 1);
  if (const auto kernel = cli::option<std::string>(given.values, "explain"))
    ::setenv("CLGAUSS_LAYER_EXPLAIN", kernel->c_str(), 1);
  cli::become_program(given.program.front(), given.program);
  throw UsageError(fmt::format("{}: {}", given.program.front(), std::strerror(errno)));
}

}  // namespace clgauss::tune
