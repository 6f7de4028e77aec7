// clgauss-bench distributed: solves beyond one device, timed interleaved. A program of its own,
// which clgauss-bench starts.

#include <fmt/format.h>

#include <clgauss/distributed.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <clgauss/version.hpp>
#include <cmath>
#include <ctime>
#include <fstream>

#include "command_line/command.hpp"
#include "command_line/typed.hpp"
#include "distributed/ranks.hpp"
#include "lap_timer.hpp"
#include "matrix/transfer.hpp"
#ifdef CLGAUSS_BENCH_WITH_SCALAPACK
#include "pdgesv.hpp"
#endif

namespace clgauss::bench {

namespace {

constexpr const char* kColumns =
    "date,revision,run,ranks,devices,type,n,repetition,load_s,solve_s,gflops,scaled_residual,"
    "busy_s,gb_in,gb_out";

/// What is timed: the words of --runs.
struct Run {
  std::string name;
  std::string devices;  // empty: not by StarPU
  std::optional<std::uint64_t> memory;
};

struct Row {
  std::string devices;
  double load = 0, solve = 0, residual = 0, busy = 0, in = 0, out = 0;
};

cli::CommandTable table() {
  cli::CommandTable made{
      "[options]",
      "Times solves of random systems beyond one device, in turns, from the matrix in host memory "
      "to x. A run is plain (one device, without StarPU), pdgesv (ScaLAPACK), all, or devices "
      "with + between; behind @ the memory of each device in MB.",
      "clgauss-bench distributed --n 8192 --runs plain,all,all@200\n"
      "mpirun -n 2 clgauss-bench distributed --n 4096,8192 --runs all,pdgesv",
      {}};
  // clang-format off
  made.group("What")
      ("n", cli::text("SIZES")->default_value("4096"), "unknowns")
      ("runs", cli::text("LIST")->default_value("plain,all"), "what is timed, in this order")
      ("type", cli::words("T", std::vector<std::string>{"f64", "f32"})->default_value("f64"), "of the factors")
      ("block", cli::po::value<std::size_t>()->value_name("N"), "columns of a block; else what suits the devices")
      ("reps", cli::po::value<int>()->default_value(3)->value_name("N"), "rounds")
      ("csv", cli::file("FILE"), "append a row for every solve")
      ("trace", cli::file("FILE"), "what each device did in the last solve by StarPU, in Chrome's trace format");
  // clang-format on
  return made;
}

std::vector<Run> parse_runs(const std::string& text) {
  std::vector<Run> runs;
  for (const std::string& word : cli::parse_list(text)) {
    Run run{word, word.substr(0, word.find('@')), {}};
    if (const auto at = word.find('@'); at != std::string::npos)
      run.memory = cli::parse_counts("runs", word.substr(at + 1)).front() * 1'000'000;
    std::ranges::replace(run.devices, '+', ',');
    if (run.devices == "plain" || run.devices == "pdgesv") run.devices.clear();
    runs.push_back(run);
  }
  return runs;
}

/// As `clgauss solve` on one device does it.
Row run_plain(RealType type, const ColumnSource& source, const Matrix& b) {
  Context context(open_device("auto"), ContextOptions::from_environment());
  LapTimer timer;
  System system{Matrix(source.n(), source.n(), Values(source.n() * source.n())), b};
  source.read(0, source.n(), system.a.values());
  Row row{context.profile().name};
  row.load = timer.lap();
  SolveOptions options;
  options.method = Method::lu;
  options.type = type;
  const Solution solution = solve(context, system, options);
  const SolveTimes& t = solution.times;
  row.solve = t.upload + t.forward + t.backward + t.download;
  row.residual = solution.residual.scaled;
  return row;
}

Row run_engine(const Run& run, const ColumnSource& source, const Matrix& b,
               const DistributedOptions& options, const std::optional<std::string>& trace) {
  EngineOptions engine_options;
  engine_options.devices = run.devices;
  engine_options.memory_bytes = run.memory;
  engine_options.context = ContextOptions::from_environment();
  Engine engine(engine_options);
  const DistributedSolution solution =
      solve_distributed(engine, source, [&](DistributedLu&) { return b; }, {options});
  Row row{fmt::format("{} x {}", engine.devices().size(), engine.devices().front().name)};
  row.load = solution.load_s;
  row.solve = solution.solve_s;
  row.residual = solution.residual.scaled;
  for (const DeviceUse& use : engine.use()) {
    row.busy += use.busy_s / static_cast<double>(engine.devices().size());
    row.in += static_cast<double>(use.bytes_in) / 1e9;
    row.out += static_cast<double>(use.bytes_out) / 1e9;
  }
  if (trace) write_trace(engine, *trace);
  return row;
}

Row run_pdgesv([[maybe_unused]] const ColumnSource& source, [[maybe_unused]] const Matrix& b) {
#ifdef CLGAUSS_BENCH_WITH_SCALAPACK
  const Ranks ranks;
  Matrix x;
  Row row{"ScaLAPACK"};
  row.solve = time_pdgesv(ranks, source, b, x);
  ranks.add_up(x.values());
  Matrix a(source.n(), source.n(), Values(source.n() * source.n()));
  source.read(0, source.n(), a.values());
  row.residual = compute_residual({a, b}, x, unit_roundoff(RealType::f64)).scaled;
  return row;
#else
  throw UsageError("this build is without ScaLAPACK (libscalapack-openmpi-dev)");
#endif
}

/// Rows, below a header where the file is new.
class Csv {
 public:
  explicit Csv(const std::string& path) : path_(path), file_(path, std::ios::app) {
    if (file_ && file_.tellp() == 0) add(kColumns);
  }
  void add(const std::string& row) {
    file_ << row << '\n' << std::flush;
    if (!file_) throw FileError(path_, "cannot be written");
  }

 private:
  std::string path_;
  std::ofstream file_;
};

std::string now() {
  const std::time_t time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return text;
}

cli::ExitCode run(const cli::Given& given) {
  const Ranks ranks;
  const bool first = ranks.rank() == 0;
  const auto runs = parse_runs(given.values["runs"].as<std::string>());
  DistributedOptions options;
  options.type = given.values["type"].as<std::string>() == "f64" ? RealType::f64 : RealType::f32;
  options.block_columns = cli::option<std::size_t>(given.values, "block");
  const auto trace = cli::option<std::string>(given.values, "trace");
  options.keep_steps = trace.has_value();
  std::optional<Csv> csv;
  if (const auto path = cli::option<std::string>(given.values, "csv"); path && first)
    csv.emplace(*path);
  bool good = true;
  for (const std::size_t n : cli::parse_sizes("n", given.values["n"].as<std::string>())) {
    const auto source = random_columns(n, 3);
    const Matrix b = random_matrix(n, 1, 7);
    for (int repetition = 0; repetition < given.values["reps"].as<int>(); ++repetition)
      for (const Run& run : runs) {
        const Row row = !run.devices.empty()   ? run_engine(run, *source, b, options, trace)
                        : run.name == "pdgesv" ? run_pdgesv(*source, b)
                                               : run_plain(options.type, *source, b);
        good = good && row.residual <= kScaledResidualBound;
        const double gflops = 2.0 / 3 * std::pow(static_cast<double>(n), 3) / row.solve / 1e9;
        if (!first) continue;
        cli::print(fmt::format(
            "n = {:6}  {:12}  load {:7.2f} s  solve {:8.3f} s  {:8.1f} GFLOP/s  "
            "residual {:.3g}  busy {:.2f} s  in {:.2f} GB  out {:.2f} GB\n",
            n, run.name, row.load, row.solve, gflops, row.residual, row.busy, row.in, row.out));
        if (csv)
          csv->add(fmt::format(
              "{},{},{},{},{},{},{},{},{:.3f},{:.4f},{:.1f},{:.4g},{:.3f},{:.3f},{:.3f}", now(),
              version(), run.name, ranks.count(), row.devices,
              given.values["type"].as<std::string>(), n, repetition, row.load, row.solve, gflops,
              row.residual, row.busy, row.in, row.out));
      }
  }
  return good ? cli::ExitCode::ok : cli::ExitCode::inaccurate;
}

}  // namespace

}  // namespace clgauss::bench

int main(int argc, char** argv) {
  using namespace clgauss::cli;
  using enum ExitCode;
  const Program program{
      "clgauss-bench distributed",
      "time solves beyond one device",
      "clgauss-bench distributed times solves beyond one device, in turns.",
      {{"", "time solves beyond one device", clgauss::bench::table, clgauss::bench::run}},
      "",
      {},
      {ok, usage, no_device, opencl, out_of_memory, inaccurate, interrupted}};
  clgauss::share_cores_among_ranks();
  return run_program(program, argc, argv);
}
