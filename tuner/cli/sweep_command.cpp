#include <fmt/format.h>

#include <algorithm>

#include "command_line/typed.hpp"
#include "tuner/cli/experiment_options.hpp"
#include "tuner/experiments/kernel_sweep.hpp"
#include "tuner/report/elimination_tables.hpp"

namespace clgauss::tune {

namespace {

constexpr std::string_view kSweepUsage = "--sizes N,N:N:N --local L,L:L:L -o FOLDER [options]";
constexpr std::string_view kSweepAbout =
    "Times a kernel with each work-group size at each n. Every size is checked before it is "
    "timed, and leaves rows whatever comes of it.\n"
    "  gauss_fwd  the elimination of n unknowns, by the kernel of Baranov and Vlatskaya (2013): "
    "their figures 3 to 6\n"
    "  gauss_fwd_pre, gauss_bwd_prepare, gauss_bwd, gauss_pivot, gauss_swap  its other kernels, "
    "one "
    "by one\n"
    "  solve      the whole solve by four of them, as theirs: gauss_fwd alone has the size, the "
    "others' is left to the driver\n"
    "  gemm       n-by-n matrix product by gemm_simt.cl: WG_M x WG_N = L, each work-item keeps "
    "its default part of C; TILE_K and "
    "VEC_WIDTH follow, so that all work-items load the same (where none do: a row "
    "'constraint')\n"
    "  panel      LU and solve as a whole, its panels by tournaments of groups of L rows "
    "(TOURNAMENT_GROUP; a multiple of 16 from 64 on)\n"
    "  trsm       the LU's solves with n right-hand sides, by diagonal blocks of L rows "
    "(SOLVE_BLOCK; a multiple of 32)";
constexpr std::string_view kSweepExamples =
    "clgauss-tune sweep --sizes 100:900:100 --local 1,32,64,128:896:64 -o results/gt\n"
    "clgauss-tune sweep --sizes 1000:10000:1000 --local 32,64:1024:64 --budget 10min -o "
    "results/large\n"
    "clgauss-tune sweep --sizes 1012 --local 64:1024:64 --full --device nvidia: -o results/full\n"
    "clgauss-tune sweep --kernel gemm --type f32 --sizes 1024,4096 --local 16:1024:16 -o "
    "results/gemm";

/// One of the engine's kernels, or one of gauss.cl.
struct Kernels {
  std::optional<SweptKernel> engine;
  const char* gauss = nullptr;
};
const cli::WordTable<Kernels> kKernels{{"gauss_fwd", {{}, "gauss_fwd"}},
                                       {"gauss_fwd_pre", {{}, "gauss_fwd_pre"}},
                                       {"gauss_bwd_prepare", {{}, "gauss_bwd_prepare"}},
                                       {"gauss_bwd", {{}, "gauss_bwd"}},
                                       {"gauss_pivot", {{}, "gauss_pivot"}},
                                       {"gauss_swap", {{}, "gauss_swap"}},
                                       {"solve", {{}, kWholeSolve.data()}},
                                       {"gemm", {SweptKernel::gemm, nullptr}},
                                       {"panel", {SweptKernel::panel, nullptr}},
                                       {"trsm", {SweptKernel::trsm, nullptr}}};

std::vector<Contest> contests_of(Context& context, RealType type,
                                 const std::vector<std::size_t>& sizes,
                                 const LaunchDesign& design) {
  std::vector<Contest> contests;
  for (const std::size_t n : sizes)
    contests.push_back({n, design_candidates(context, type, design)});
  return contests;
}

/// For each n the best size, what is statistically tied with it, and what the worst costs.
std::string sweep_summary(const Context& /*context*/, const std::vector<Point>& points) {
  return text(report::sweep_table(report::by_n(points)));
}

cli::Mode sweep_mode(const cli::po::variables_map& values) {
  const auto& kernel = values["kernel"].as<std::string>();
  if (!cli::parse_word("kernel", kernel, kKernels).engine) return experiment_mode(values);
  return {kOtherKernel, "with --kernel " + kernel};
}

/// Measures one of the engine's kernels; options and output as run_experiment().
cli::ExitCode run_kernel_sweep(const cli::Given& given, KernelSweep sweep) {
  const cli::po::variables_map& values = given.values;
  const auto repetitions = values["reps"].as<std::size_t>();
  if (repetitions == 0) throw UsageError("--reps must be at least 1");
  sweep.timeout_s = cli::parse_duration(values["timeout"].as<std::string>()).count();
  const ExperimentLimits limits = experiment_limits(values);
  Context context(cli::open_named_device(values["device"].as<std::string>()),
                  cli::context_options(values));
  sweep.type = chosen_type(values, context.profile());
  ExperimentInfo info{"sweep", kernel_name(sweep.kernel), std::string(real_type_name(sweep.type)),
                      "",      typed("sweep", given),     context.profile()};
  note_host(info);
  ResultFolder folder(values["output"].as<std::string>(), info, values["append"].as<bool>());
  std::vector<Case> cases = kernel_cases(context, info, sweep);
  std::vector<Row> wanted;
  for (const Case& one : cases) wanted.push_back(one.rows.front());
  const bool quiet = values["quiet"].as<bool>();
  if (!quiet)
    announce("sweep",
             expected_seconds(cases, folder, context.profile(), repetitions, sweep.timeout_s),
             limits);
  cli::ProgressLine line(!quiet);
  const ExperimentSummary summary =
      run_cases(folder, std::move(cases), repetitions, limits, shown_on(line, "sweep", limits));
  line.clear();
  const std::vector<Point> points = points_of(folder, wanted);
  if (summary.left == 0) require_one_ok(info.device, points);
  finish_experiment(values, folder, summary, sweep_summary(context, points), points);
  return cli::ExitCode::ok;
}

}  // namespace

cli::CommandTable sweep_table() {
  cli::CommandTable table{kSweepUsage, kSweepAbout, kSweepExamples, {}};
  // clang-format off
  table.group("What")
      ("sizes", cli::text("LIST")->required(), "unknowns n: numbers and ranges first:last:step")
      ("local", cli::text("LIST")->required(), "work-group sizes L, likewise")
      ("kernel", cli::words("K", kKernels)->default_value("gauss_fwd"),
       "what is timed; --ndrange, --steps, --full and --warmup are for the elimination's kernels");
  // clang-format on
  add_split_option(table, "padded");
  add_experiment_options(table);
  table.scopes.front().options.emplace_back("split");
  table.mode = sweep_mode;
  return table;
}

cli::ExitCode run_sweep(const cli::Given& given) {
  const cli::po::variables_map& values = given.values;
  const auto sizes = cli::parse_sizes("sizes", values["sizes"].as<std::string>());
  const auto locals = cli::parse_sizes("local", values["local"].as<std::string>());
  const auto kernel = cli::parse_word("kernel", values["kernel"].as<std::string>(), kKernels);
  if (kernel.engine)
    return run_kernel_sweep(given, {.kernel = *kernel.engine, .sizes = sizes, .locals = locals});
  return run_experiment(given,
                        {"sweep", kernel.gauss,
                         [&](Context& context, RealType type) {
                           return contests_of(context, type, sizes, {locals, split_modes(values)});
                         },
                         sweep_summary});
}

}  // namespace clgauss::tune
