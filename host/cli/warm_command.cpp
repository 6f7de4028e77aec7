#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <clgauss/context.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>

#include "cli/commands.hpp"
#include "command_line/progress_line.hpp"
#include "command_line/streams.hpp"
#include "io/memory.hpp"
#include "linalg/solve/methods.hpp"

namespace clgauss::cli {

namespace {

constexpr std::string_view kWarmUsage = "[options]";
constexpr std::string_view kWarmAbout =
    "Builds the kernels that solves will need on a device, runs their self-tests, and keeps both "
    "in the caches. Run it after an installation, in an image, or after a new driver: the first "
    "solve then takes no longer than any other. It solves a system by each method and of each size "
    "that has kernels of its own, on every device, or on the one that --device names.";
constexpr std::string_view kWarmExamples =
    "clgauss warm\n"
    "XDG_CACHE_HOME=/var/cache/image clgauss warm --device gpu";

/// Sizes that together need every kernel that depends on n.
constexpr Index kSizes[] = {50, 100, 300, 640, 1012, 2002, 4006, 8010, 16384};

/// Whether the system, the host's copies and the device's workspace fit into memory with a margin.
bool fits(const DeviceProfile& device, Index n) {
  const std::uint64_t matrix = n * n * sizeof(double);
  return 6 * matrix <= device.global_mem_bytes && 6 * matrix <= io::physical_memory();
}

void warm(Context& context, std::optional<Index> largest) {
  const DeviceProfile& device = context.profile();
  ProgressLine line(true);
  const ProgressCallback progress = shown_on(line);
  context.programs().announce_to([&](const std::string& what) { progress(what, 0); });
  (void)method_choice(context);  // measures what --method auto depends on
  // On a CPU, larger systems use the same kernels as smaller ones.
  const Index most =
      largest.value_or(device.type == DeviceType::cpu ? 1012 : kSizes[std::size(kSizes) - 1]);
  for (const Index n : kSizes) {
    if (n > most || !fits(device, n)) continue;
    const System system{generate_matrix("spd", n, 1),
                        Matrix(n, 1, Values(n, 1.0))};  // for every method
    for (const SolveOptions& options : factorizations_on(device)) {
      try {
        (void)solve(context, system, options, progress);
      } catch (const NoUsableKernel&) {  // a solve with this method will report the reason
      }
    }
  }
}

}  // namespace

CommandTable warm_table() {
  CommandTable table{kWarmUsage, kWarmAbout, kWarmExamples, {}};
  add_kernel_options(table);
  table.group("Kernels")("max-n", po::value<Index>()->value_name("N"),
                         "be ready for systems up to this size [16384, on a CPU 1012]");
  return table;
}

ExitCode run_warm(const Given& given) {
  using Clock = std::chrono::steady_clock;
  const auto wanted = given.values["device"].as<std::string>();
  const auto most = option<Index>(given.values, "max-n");
  if (most && *most < kSizes[0])
    throw UsageError(fmt::format("--max-n must be at least {}", kSizes[0]));
  const std::vector<Device> devices =
      wanted.empty() ? list_devices() : std::vector{open_named_device(wanted)};
  if (devices.empty()) throw DeviceNotFound(no_device_message());
  for (const Device& device : devices) {
    const auto start = Clock::now();
    Context context(device, context_options(given.values));
    if (const auto problem = context.programs().cache_problem(); !problem.empty())
      throw FileError("the cache", problem);
    warm(context, most);
    const auto& verdicts = context.trials().verdicts();
    const auto usable = std::ranges::count(verdicts, true, &KernelVerdict::usable);
    fmt::print("{}: {} of {} kernels give right answers, {:.1f} s\n", device.profile.name, usable,
               verdicts.size(), std::chrono::duration<double>(Clock::now() - start).count());
  }
  return ExitCode::ok;
}

}  // namespace clgauss::cli
