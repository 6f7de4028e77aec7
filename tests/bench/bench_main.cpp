#include <unistd.h>

#include <algorithm>
#include <clgauss/device.hpp>
#include <clgauss/error.hpp>
#include <clgauss/solve.hpp>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "bench_breakdown.hpp"
#include "bench_file.hpp"
#include "bench_host.hpp"
#include "bench_measure.hpp"
#include "bench_options.hpp"
#include "bench_report.hpp"
#include "command_line/command.hpp"

namespace clgauss::bench {

namespace {

/// Those that `what` is timed with: the ones that were named, or all that are compiled in and fit.
std::vector<const Peer*> peers_for(What what, const BenchOptions& options, DeviceType device) {
  std::vector<const Peer*> chosen;
  const bool alone = what == What::batched && options.right_hand_sides != 1;
  const auto consider = [&](const Peer& peer) {
    if (peer.does(what) && !alone) chosen.push_back(&peer);
  };
  if (options.peers) {
    if (alone && !options.peers->empty())
      throw UsageError("batched with --nrhs is timed alone: --peers none");
    for (const Peer* peer : *options.peers) consider(*peer);
    return chosen;
  }
  for (const Peer& peer : peers()) {
    const bool fits = !(peer.cpu_only && device != DeviceType::cpu && what != What::host &&
                        what != What::gecon) &&
                      !(peer.not_the_same && what != What::gemm);
    if (peer.compiled_in() && fits) consider(peer);
  }
  return chosen;
}

/// May execute the program anew, with these arguments, so it comes before anything that takes time
/// or leaves a trace.
void prepare_peers(const BenchOptions& options, DeviceType device, cli::Arguments arguments) {
  std::string name = "clgauss-bench";
  std::vector<char*> argv{name.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  for (const Peer& peer : peers()) {
    const bool takes_part = std::ranges::any_of(options.whats, [&](What what) {
      const auto chosen = peers_for(what, options, device);
      return std::ranges::find(chosen, &peer) != chosen.end();
    });
    if (takes_part && peer.prepare != nullptr) peer.prepare(argv.data());
  }
}

std::vector<RealType> types_for(const BenchOptions& options, const DeviceProfile& device) {
  if (options.types.empty())
    return device.fp64 ? std::vector{RealType::f32, RealType::f64} : std::vector{RealType::f32};
  for (const RealType type : options.types) static_cast<void>(choose_type(device, type));
  return options.types;
}

std::vector<ProblemSize> problem_sizes(const BenchOptions& options, const DeviceProfile& device) {
  std::vector<ProblemSize> sizes;
  for (const What what : options.whats)
    for (const RealType type : types_for(options, device))
      for (const Index n : options.sizes) {
        if (starts_programs(what) && type != RealType::f64) continue;
        if (what == What::gelsy) {
          for (const Index m : {n, 4 * n})
            for (const Index rank : {n, n - n / 8})
              sizes.push_back({what, type, m, n, rank, false, 0, 0, {}});
          continue;
        }
        const Index nrhs = options.right_hand_sides == 0 ? n : options.right_hand_sides;
        const bool update = what == What::gemm && options.k.has_value();
        const Index depth = has_right_hand_sides(what) ? nrhs
                            : what == What::hermitian  ? 1
                            : what == What::vbatched   ? options.smallest_of(n)
                            : update                   ? *options.k
                                                       : n;
        sizes.push_back({what, type, what == What::lstsq ? rows_of_lstsq(n) : n, n, depth, update,
                         options.pad, options.batch, options.batched, options.rook});
      }
  return sizes;
}

std::vector<Measurement> measure(Context& context, const BenchOptions& options,
                                 const ProblemSize& size) {
  const Problem problem = make_problem(size);
  const bool python = !options.peers || !options.peers->empty();
  if (size.what == What::file)
    return run_match(problem, file_entries(problem, options.device, python), options.reps);
  if (size.what == What::cold)
    return run_match(problem, cold_entries(problem, options.device, python), options.reps);
  const DeviceProblem device(context, problem);
  std::vector<Entry> entries;
  if (size.what == What::host)
    entries = host_entries(problem, options.device);
  else if (size.what == What::vbatched)
    entries = vbatched_entries(problem, options.device);
  else if (size.what == What::gecon)
    entries = gecon_entries(problem, options.device);
  else if (size.what == What::gelsy)
    entries.push_back(gelsy_entry(problem, options.device));
  else
    entries.push_back({"clgauss", make_clgauss(device)});
  if (size.what == What::complex_solve)
    std::ranges::move(complex_host_entries(problem, options.device), std::back_inserter(entries));
  for (const Peer* peer : peers_for(size.what, options, context.profile().type))
    entries.push_back({peer->name, peer->make(device)});
  return run_match(problem, entries, options.reps);
}

cli::ExitCode run_breakdown(Context& context, const BenchOptions& options,
                            const std::vector<ProblemSize>& sizes) {
  std::optional<CsvFile> csv;
  if (options.csv) csv.emplace(*options.csv, kBreakdownHeader);
  for (const ProblemSize& size : sizes) {
    const Problem problem = make_problem(size);
    report_breakdown(context.profile().name, size, breakdown(DeviceProblem(context, problem)),
                     csv ? &*csv : nullptr);
  }
  return cli::ExitCode::ok;
}

cli::ExitCode run(const cli::Given& given) {
  const BenchOptions options = bench_options(given.values);
  const Device device = cli::open_named_device(options.device);
  const auto sizes = problem_sizes(options, device.profile);
  prepare_peers(options, device.profile.type, given.arguments);

  ContextOptions context_options = ContextOptions::from_environment();
  cli::take_kernels_option(given.values, context_options);
  // Contexts of clgauss.h and programs take this from the environment.
  ::setenv("CLGAUSS_KERNELS", context_options.vendor_kernels ? "all" : "portable", 1);
  context_options.profiling = options.breakdown;
  Context context(device, context_options);
  if (options.breakdown) return run_breakdown(context, options, sizes);
  cli::JsonOutput json(given.values);
  Report report(device.profile.name, options.csv, options.samples, !json.has_stdout());
  for (const ProblemSize& size : sizes) report.add(size, measure(context, options, size));
  json.write(report.rows());
  return report.any_wrong() ? cli::ExitCode::inaccurate : cli::ExitCode::ok;
}

}  // namespace

}  // namespace clgauss::bench

/// Solves beyond one device are timed by a program of their own: StarPU and MPI stay outside of
/// this one.
void start_distributed(char** argv) {
  std::error_code unknown;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  ::execv((self.parent_path() / "clgauss-bench-distributed").c_str(), argv);
}

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "distributed") start_distributed(argv + 1);
  using namespace clgauss::cli;
  using enum ExitCode;
  const Program program{
      "clgauss-bench",
      "time clgauss against other libraries",
      "clgauss-bench times clgauss against other libraries, in turns.",
      {{"", "time clgauss against other libraries", clgauss::bench::bench_table,
        clgauss::bench::run}},
      "",
      {{"CLGAUSS_DEVICE", "the device when --device is not given"},
       {"OPENBLAS_CORETYPE", "the kernels that OpenBLAS takes; else those of this CPU"},
       {"NO_COLOR=1", "no colours on a terminal"}},
      {ok, usage, bad_file, no_device, opencl, out_of_memory, inaccurate, interrupted}};
  return run_program(program, argc, argv);
}
