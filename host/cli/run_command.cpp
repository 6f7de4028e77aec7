#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/commands.hpp"
#include "operating_system.hpp"

namespace clgauss::cli {

namespace {

constexpr std::string_view kRunUsage = "[options] -- PROGRAM [ARGUMENT...]";
constexpr std::string_view kRunAbout =
    "Runs a program that calls LAPACK (R, Octave, Python with NumPy or SciPy, your own), with its "
    "large systems on an OpenCL device: gesv, getrf, getri, gecon, posv, potrf, potri and, with "
    "many right-hand sides, getrs and potrs in s, d, c and z; sysv, sytrf and, with many "
    "right-hand sides, sytrs in s and d; hesv, hetrf and hetrs likewise in c and z; dsgesv and "
    "zcgesv. Nothing is changed or compiled anew.\n"
    "The first large call of a kind on a machine times both sides, some seconds once, and keeps "
    "what it found. From then on the device takes calls from the n on from which it is the faster "
    "one, and the program's own LAPACK takes all others, every call of a child of fork(), and each "
    "that the device fails to answer. Every answer of the device is checked before the program's "
    "memory is written. With --min-n or --force nothing is timed.\n"
    "The exit code is that of the program.";
constexpr std::string_view kRunExamples =
    "clgauss run -- R -f script.R\n"
    "clgauss run --report -- python3 script.py   # at the end: what was done where\n"
    "clgauss run --device gpu --min-n 1000 -- octave script.m";

constexpr const char* kLibrary = "libclgauss_lapack.so";

/// The path of the LAPACK library: beside the program in a build folder, or in the folder of
/// installed libraries.
std::filesystem::path shim_path() {
  const std::filesystem::path folder = operating_system::program_file().parent_path();
  for (const char* from : {"lapack", CLGAUSS_LIBRARY_FOLDER}) {
    const std::filesystem::path path = (folder / from / kLibrary).lexically_normal();
    if (std::filesystem::exists(path)) return path;
  }
  throw UsageError(fmt::format(
      "{} is not there: install the package libclgauss-lapack, or build it (cmake --build build "
      "--target clgauss_lapack)",
      kLibrary));
}

void set_variable(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

/// Puts the library in front of those in the user's LD_PRELOAD.
void preload(const std::filesystem::path& library) {
  const char* const others = std::getenv("LD_PRELOAD");
  if (library.string().find_first_of(": ") != std::string::npos)
    throw UsageError(
        fmt::format("{}: a library with a blank or colon in its path cannot be preloaded; install "
                    "clgauss in another folder",
                    library.string()));
  set_variable("LD_PRELOAD", others != nullptr && *others != '\0'
                                 ? fmt::format("{}:{}", library.string(), others)
                                 : library.string());
}

}  // namespace

CommandTable run_table() {
  CommandTable table{kRunUsage, kRunAbout, kRunExamples, {}};
  table.is_before_program = true;
  add_device_option(table);
  // clang-format off
  table.group("LAPACK")
      ("min-n", po::value<Index>()->value_name("N"), "the device takes systems from this n on, "
                                                     "without timing anything")
      ("force", po::bool_switch(), "the device takes every system, or all from --min-n on");
  table.group("Output")
      ("report", optional_file("FILE"), "at the end report which routines ran where, how long they "
                                        "took and what was saved; without FILE on standard error")
      ("log", output_file("FILE"), "append a line for each call");
  // clang-format on
  return table;
}

ExitCode run_run(const Given& given) {
  if (given.program.empty())
    throw UsageError("no program is given: name it after --, as in `clgauss run -- R -f script.R`");
  preload(shim_path());
  const auto device = given.values["device"].as<std::string>();
  if (!device.empty()) set_variable("CLGAUSS_DEVICE", device);
  if (const auto least = option<Index>(given.values, "min-n"))
    set_variable("CLGAUSS_LAPACK_MIN_N", std::to_string(*least));
  if (given.values["force"].as<bool>()) set_variable("CLGAUSS_LAPACK", "force");
  const auto set_path = [&](const char* name, const char* variable) {
    const auto path = option<std::string>(given.values, name);
    if (!path) return;
    set_variable(variable,
                 path->empty() || *path == "-" ? "-" : std::filesystem::absolute(*path).string());
  };
  set_path("report", "CLGAUSS_LAPACK_REPORT");
  set_path("log", "CLGAUSS_LAPACK_LOG");

  become_program(given.program.front(), given.program);
  throw UsageError(fmt::format("{}: {}", given.program.front(), std::strerror(errno)));
}

}  // namespace clgauss::cli
