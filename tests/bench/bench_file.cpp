#include "bench_file.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "temporary_folder.hpp"

namespace clgauss::bench {

namespace {

namespace fs = std::filesystem;

/// Waits for the helpers that programs left behind, which build kernels ahead.
void await_helpers() {
  while (::wait(nullptr) > 0) continue;
}

/// A folder with the system, gone with the last contestant.
class SystemFolder {
 public:
  explicit SystemFolder(const Problem& problem) {
    OutputFile file(*this / "a.npy");
    write_system(file, {problem.a, problem.b}, FileFormat::npy);
    file.commit();
  }
  SystemFolder(const SystemFolder&) = delete;
  SystemFolder& operator=(const SystemFolder&) = delete;
  ~SystemFolder() { await_helpers(); }  // which may still write to caches in it

  [[nodiscard]] std::string operator/(const char* name) const {
    return (folder_.path() / name).string();
  }

 private:
  TemporaryFolder folder_{"clgauss-bench"};
};

/// `text` as one word of the shell.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

bool succeeds(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A command that reads a.npy, and leaves x.npy and the seconds of its parts in report.json.
class ProgramContestant : public Contestant {
 public:
  /// `wiped`: a folder that is removed before every run; empty: none.
  ProgramContestant(std::shared_ptr<const SystemFolder> folder, std::string command,
                    std::string wiped = {})
      : folder_(std::move(folder)), command_(std::move(command)), wiped_(std::move(wiped)) {}

  void restore() override {
    await_helpers();
    std::filesystem::remove_all(wiped_);
  }
  void run() override {
    if (!succeeds(command_))
      throw FileError(*folder_ / "a.npy", "this command failed: " + command_);
  }
  Matrix result() override { return read_matrix(*folder_ / "x.npy"); }
  [[nodiscard]] std::string detail() const override {
    std::ifstream file(*folder_ / "report.json");
    auto report = nlohmann::ordered_json::parse(file);
    if (report.contains("time_s")) report = report["time_s"];
    std::string text;
    for (const auto& [part, seconds] : report.items())
      if (seconds >= 0.0005)
        text += fmt::format("{}{} {:.3f}", text.empty() ? "" : ", ", part, seconds.get<double>());
    return text + " s";
  }

 private:
  std::shared_ptr<const SystemFolder> folder_;
  std::string command_, wiped_;
};

/// What Python's programs share; {0} imports, {1} loads what is then solved by {2}, which gives x
/// as an array.
constexpr const char* kPython = R"(import json, sys, time
start = time.perf_counter()
import numpy
{0}
imported = time.perf_counter()
ab = numpy.load(sys.argv[1])
{1}
loaded = time.perf_counter()
x = {2}
solved = time.perf_counter()
numpy.save(sys.argv[2], numpy.asarray(x).reshape(-1, 1))
json.dump(dict(zip(("import", "read", "solve"),
                   (imported - start, loaded - imported, solved - loaded))), open(sys.argv[3], "w"))
)";

struct PythonPeer {
  const char *name, *import, *load, *solve;
};

constexpr PythonPeer kPythonPeers[] = {
    {"numpy", "import numpy.linalg", "", "numpy.linalg.solve(ab[:, :-1], ab[:, -1])"},
    {"pytorch", "import torch; torch.backends.cuda.matmul.allow_tf32 = False",
     "ab = torch.from_numpy(ab).to('cuda' if torch.cuda.is_available() else 'cpu')",
     "torch.linalg.solve(ab[:, :-1], ab[:, -1]).cpu().numpy()"}};
constexpr PythonPeer kOwnModule{"python", "import clgauss", "",
                                "clgauss.solve(ab[:, :-1], ab[:, -1])"};

bool is_there(const PythonPeer& peer) {
  return succeeds("python3 -c " + quoted(fmt::format("import numpy\n{}", peer.import)) +
                  " 2>/dev/null");
}

/// Its answer and its seconds to a.npy, as a command of the shell.
std::string python_command(const SystemFolder& folder, const PythonPeer& peer) {
  return fmt::format(
      "python3 -c {} {} {} {}", quoted(fmt::format(kPython, peer.import, peer.load, peer.solve)),
      quoted(folder / "a.npy"), quoted(folder / "x.npy"), quoted(folder / "report.json"));
}

/// The program clgauss that lies beside this one.
std::string clgauss_program() {
  return fs::read_symlink("/proc/self/exe").replace_filename("clgauss").string();
}

/// The program's answer and report to a.npy, as a command of the shell.
std::string solve_command(const SystemFolder& folder, const std::string& spec) {
  return fmt::format("{} solve {} -q -d {} -o {} --json {}", quoted(clgauss_program()),
                     quoted(folder / "a.npy"), quoted(spec), quoted(folder / "x.npy"),
                     quoted(folder / "report.json"));
}

}  // namespace

std::vector<Entry> file_entries(const Problem& problem, const std::string& spec, bool peers) {
  const auto folder = std::make_shared<const SystemFolder>(problem);
  std::vector<Entry> entries;
  const auto add = [&](std::string_view name, std::string command) {
    entries.push_back({name, std::make_unique<ProgramContestant>(folder, std::move(command))});
  };
  const std::string solve = solve_command(*folder, spec);
  add("no-rcond", solve + " --no-rcond");
  add("clgauss", solve);
  for (const PythonPeer& peer : kPythonPeers)
    if (peers && is_there(peer)) add(peer.name, python_command(*folder, peer));
  return entries;
}

std::vector<Entry> cold_entries(const Problem& problem, const std::string& spec, bool python) {
  const auto folder = std::make_shared<const SystemFolder>(problem);
  const std::string caches = *folder / "caches";
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // for await_helpers()
  std::string with_caches = "env";
  for (const char* variable : {"XDG_CACHE_HOME", "CUDA_CACHE_PATH", "POCL_CACHE_DIR",
                               "MESA_SHADER_CACHE_DIR", "NEO_CACHE_DIR"})
    with_caches += fmt::format(" {}={}", variable, quoted(caches));
  std::vector<Entry> entries;
  const auto add = [&](std::string_view first, std::string_view again, const std::string& command) {
    const std::string whole = with_caches + ' ' + command;
    entries.push_back({first, std::make_unique<ProgramContestant>(folder, whole, caches)});
    entries.push_back({again, std::make_unique<ProgramContestant>(folder, whole)});
  };
  add("clgauss", "warm", solve_command(*folder, spec));
  if (python && is_there(kOwnModule)) {
    const std::string device = spec.empty() ? "" : "CLGAUSS_DEVICE=" + quoted(spec) + ' ';
    add(kOwnModule.name, "python warm", device + python_command(*folder, kOwnModule));
  }
  return entries;
}

}  // namespace clgauss::bench
