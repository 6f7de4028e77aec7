// The program, with one OpenCL call of it failing or one number from the device damaged.
// CLGAUSS_FAULTS=every tries every call (tests/faults/every_call.sh), every:5 each fifth, else a
// few are tried. CLGAUSS_FAULTS_DEVICES names the devices; else the one that the program chooses is
// taken.
#include <CL/cl.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/lab/generate.hpp>
#include <clgauss/matrix.hpp>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "faults/fault_choice.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

/// One way to use the program. `x` is the file that it writes its answer to, all ones; of a device
/// without fp64 they are less exact than `tolerance`.
struct Use {
  std::string arguments;
  std::string x;
  double tolerance;
};

constexpr double kToleranceF32 = 1e-3;

const std::vector<Use> kUses{
    {"devices", "", 0},
    {"solve 20.txt -o x.txt --json r.json", "x.txt", 1e-9},
    {"solve 20.txt --type f32 -o x.txt", "x.txt", kToleranceF32},
    {"solve 20.txt --method gauss -o x.txt --launches l.csv", "x.txt", 1e-9},
    {"solve 200.npy -o x.npy", "x.npy", 1e-9},
    {"solve 200.npy --in-place -o x.npy", "x.npy", 1e-9},
    {"solve --batched batch.npy -o x.npy", "x.npy", 1e-9}};

/// A run that takes longer hangs; some have to build every kernel of another kind of device.
constexpr int kSecondsToHang = 300;

std::vector<std::string> devices() {
  const char* names = std::getenv("CLGAUSS_FAULTS_DEVICES");
  std::istringstream in(names != nullptr ? names : "auto");
  return {std::istream_iterator<std::string>(in), {}};
}

/// A .npy file of shape batch x n x (n + 1) with b = A 1.
std::string batch_of_systems(Index batch, Index n) {
  std::string header = fmt::format(
      "{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}, {}), }}\n", batch, n, n + 1);
  std::string file("\x93NUMPY\1\0", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  file += header;
  const Matrix a = random_matrix(batch * n, n, 1);
  for (Index i = 0; i < batch * n; ++i) {
    double sum = 0;
    for (const double value : a.row(i)) sum += value;
    file.append(reinterpret_cast<const char*>(a.row(i).data()), n * sizeof sum);
    file.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  }
  return file;
}

/// The numbers of a text file, or of a .npy file of doubles.
std::vector<double> numbers_of(const std::string& file) {
  if (!file.starts_with("\x93NUMPY")) {
    std::istringstream in(file);
    return {std::istream_iterator<double>(in), {}};
  }
  const std::size_t begin = 10U + static_cast<unsigned char>(file[8]);
  std::vector<double> values((file.size() - begin) / sizeof(double));
  std::memcpy(values.data(), file.data() + begin, values.size() * sizeof(double));
  return values;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// The program cache of all uses, so that what they share is built once.
const std::filesystem::path& cache() {
  static const TemporaryFolder folder;
  return folder.path();
}

/// Where one use runs: a folder with the systems.
class Workplace {
 public:
  Workplace(const Use& use, std::string device) : use_(use), device_(std::move(device)) {
    for (const char* system : {"20.txt", "200.npy"})
      REQUIRE(run_program(folder_, fmt::format("generate --kind random --n {} -o {}",
                                               std::atoi(system), system))
                  .exit_code == 0);
    write_file(folder_ / "batch.npy", batch_of_systems(6, 5));
    inputs_ = names_in(folder_.path());
    const ProcessResult cold = run_with("");  // fills the cache
    INFO(cold.err);
    REQUIRE(cold.exit_code == 0);
    if (cold.err.find(", f32, ") != std::string::npos) use_.tolerance = kToleranceF32;
    REQUIRE(run_with("").exit_code == 0);
    REQUIRE(is_right());
    calls_ = logged_;
    REQUIRE(calls_.size() > 10);
  }

  /// The names of the calls that a run without a fault makes, in their order.
  [[nodiscard]] const std::vector<std::string>& calls() const { return calls_; }

  /// Runs with the fault that `environment` asks for.
  ProcessResult run_with(const std::string& environment) {
    for (const auto& name : names_in(folder_.path()))
      if (!std::ranges::binary_search(inputs_, name)) std::filesystem::remove(folder_ / name);
    std::filesystem::remove(logs_ / "log");
    const ProcessResult result = run_program(
        folder_, use_.arguments + (use_.x.empty() ? "" : " --device " + device_),
        fmt::format("OPENCL_LAYERS={} CLGAUSS_FAULT_LOG={} XDG_CACHE_HOME={} {} timeout {}",
                    layers_over_faults(), (logs_ / "log").string(), cache().string(), environment,
                    kSecondsToHang));
    std::istringstream log(content_of(logs_ / "log"));
    logged_ = {std::istream_iterator<std::string>(log), {}};
    return result;
  }

  /// The call that failed in the last run; empty if the run made fewer calls.
  [[nodiscard]] std::string failed_call() const { return logged_.empty() ? "" : logged_.front(); }

  /// Whether the answer of the last run is there and right.
  [[nodiscard]] bool is_right() const {
    if (use_.x.empty()) return true;
    const auto x = numbers_of(content_of(folder_ / use_.x));
    return !x.empty() &&
           std::ranges::all_of(x, [&](double v) { return std::abs(v - 1) <= use_.tolerance; });
  }

  /// Whether the last run wrote nothing, and left no temporary anywhere.
  [[nodiscard]] bool left_nothing() const {
    return names_in(folder_.path()) == inputs_ &&
           std::ranges::none_of(names_in(cache()), [](const std::string& name) {
             return name.find(".tmp") != std::string::npos;
           });
  }

 private:
  Use use_;
  std::string device_;
  TemporaryFolder folder_, logs_;
  std::vector<std::string> inputs_, calls_, logged_;
};

/// Whether the message names the call, by a name that the bindings know it by.
bool names_the_call(const std::string& message, const std::string& call) {
  static const std::map<std::string, std::string> bindings{
      {"clEnqueueUnmapMemObject", "clEnqueueUnMapMemObject"},
      {"clGetEventProfilingInfo", "clGetEventProfileInfo"}};
  const auto says = [&](const std::string& name) {
    return message.find(name) != std::string::npos;
  };
  const auto other = bindings.find(call);
  return says(call) || (other != bindings.end() && says(other->second)) ||
         (call.starts_with("clRetain") && says("Retain Object")) ||
         (call.starts_with("clRelease") && says("Release Object"));
}

/// The calls to fail, from 1: all, or each Nth, or the first and the last of each kind; with
/// `only_queries` the last, of those kinds only that ask, retain or release.
std::vector<std::size_t> calls_to_fail(const std::vector<std::string>& calls, bool only_queries) {
  const auto step = fault_step();
  std::vector<std::size_t> chosen;
  for (std::size_t k = 1; k <= calls.size(); ++k) {
    const auto at = calls.begin() + static_cast<std::ptrdiff_t>(k - 1);
    const bool is_query = at->starts_with("clGet") || at->starts_with("clRe");
    const bool is_first = std::find(calls.begin(), at, *at) == at;
    const bool is_last = std::find(at + 1, calls.end(), *at) == calls.end();
    if (step ? (k - 1) % *step == 0 : (only_queries ? is_query && is_last : is_first || is_last))
      chosen.push_back(k);
  }
  return chosen;
}

void check_every_fault(const Use& use, const std::string& device, int code, int exit_code) {
  Workplace work(use, device);
  for (const std::size_t k : calls_to_fail(work.calls(), &use != &kUses[1])) {
    const ProcessResult result =
        work.run_with(fmt::format("CLGAUSS_FAULT_AT={} CLGAUSS_FAULT_CODE={}", k, code));
    CAPTURE(use.arguments);
    CAPTURE(device);
    CAPTURE(k);
    CAPTURE(work.failed_call());
    CAPTURE(result.err);
    if (result.exit_code == 0) {
      CHECK(work.is_right());
    } else {
      CHECK(result.exit_code == exit_code);
      CHECK(names_the_call(result.err, work.failed_call()));
      CHECK(work.left_nothing());
    }
  }
}

/// The uses to try: all, or those that differ most.
std::vector<const Use*> uses() {
  if (!fault_step())
    return some_of(std::vector<const Use*>{&kUses[0], &kUses[1], &kUses[3], &kUses[6]}, 2);
  std::vector<const Use*> all;
  for (const Use& use : kUses) all.push_back(&use);
  return all;
}

}  // namespace

TEST_CASE("a failing OpenCL call ends every use of the program with its name and exit code 5") {
  for (const std::string& device : devices())
    for (const Use* use : uses()) check_every_fault(*use, device, CL_OUT_OF_RESOURCES, 5);
}

TEST_CASE("a call that fails for want of memory ends the program with exit code 6") {
  for (const std::string& device : devices())
    check_every_fault(kUses[3], device, CL_OUT_OF_HOST_MEMORY, 6);
}

TEST_CASE("a lost answer about fp64 never turns a solve into one in f32") {
  for (const std::string& device : devices()) {
    Workplace work(kUses[1], device);
    for (std::size_t k = 1; k <= work.calls().size(); ++k) {
      if (work.calls()[k - 1] != "clGetDeviceInfo") continue;
      if (k % fault_step().value_or(12) != 0) continue;
      const ProcessResult result = work.run_with(
          fmt::format("CLGAUSS_FAULT_AT={} CLGAUSS_FAULT_CODE={}", k, CL_INVALID_VALUE));
      CAPTURE(k);
      CAPTURE(result.err);
      if (result.exit_code == 0)
        CHECK(work.is_right());
      else
        CHECK(result.exit_code == 5);
    }
  }
}

TEST_CASE("a damaged number from the device is never a crash, nor a wrong answer") {
  const auto step = fault_step();
  const std::vector<int> words = step ? std::vector{0, 1, 2, 3} : std::vector{0};
  for (const std::string& device : devices())
    for (const Use* use : uses()) {
      if (use->x.empty()) continue;
      Workplace work(*use, device);
      const auto reads =
          static_cast<std::size_t>(std::ranges::count(work.calls(), "clEnqueueReadBuffer"));
      // The first read of a CPU's is its probe: damaged, it has other kernels built.
      for (std::size_t read = step ? 1 : 2; read <= reads; read += step.value_or(1))
        for (const int word : words)
          for (const char* mask : some_of(std::vector{"0xffffffff", "0x40000000", "1"}, 2)) {
            const std::string fault = fmt::format("CLGAUSS_FAULT_FLIP={}:{}:{}", read, word, mask);
            const ProcessResult result = work.run_with(fault);
            CAPTURE(use->arguments);
            CAPTURE(device);
            CAPTURE(fault);
            CAPTURE(result.err);
            CAPTURE(result.exit_code);
            if (result.exit_code == 0)
              CHECK(work.is_right());
            else
              CHECK((result.exit_code == 5 || result.exit_code == 7 || result.exit_code == 8));
          }
    }
}

TEST_CASE("a compiler that ends the process over some kernels costs these alone, and once") {
  if (!thorough()) return;  // every kernel is built twice
  for (const std::string& device : devices()) {
    const TemporaryFolder folder, cache;
    for (const char* fault : {"CLGAUSS_FAULT_ABORT=-DSMALL_N=", ""}) {
      const ProcessResult result = run_program(
          folder, "devices --kernels --json --device " + device,
          fmt::format("OPENCL_LAYERS={} XDG_CACHE_HOME={} {} timeout {}", layers_over_faults(),
                      cache.path().string(), fault, 2 * kSecondsToHang));
      CAPTURE(result.err);
      REQUIRE(result.exit_code == 0);
      std::size_t usable = 0, ended = 0;
      const auto told = nlohmann::json::parse(result.out);
      for (const auto& kernel : told.at(0).at("kernels")) {
        usable += kernel.at("usable").get<bool>() ? 1 : 0;
        if (kernel.at("build").get<std::string>().find(" SMALL_N=") == std::string::npos) continue;
        ++ended;
        CAPTURE(kernel.dump());
        CHECK_FALSE(kernel.at("usable").get<bool>());
        CHECK(kernel.dump().find("Aborted: compiler.cc:1: an assertion") != std::string::npos);
      }
      CHECK(ended > 0);
      CHECK(usable > 20);
    }
  }
}
