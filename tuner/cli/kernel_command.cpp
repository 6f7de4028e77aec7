#include <fmt/format.h>

#include <clgauss/io.hpp>
#include <map>
#include <memory>
#include <tuple>

#include "command_line/typed.hpp"
#include "file_content.hpp"
#include "tuner/cli/experiment_options.hpp"
#include "tuner/cli/kernel_options.hpp"
#include "tuner/cli/kernel_output.hpp"
#include "tuner/cli/search_options.hpp"
#include "tuner/kernel/kernel_tuning.hpp"
#include "tuner/kernel/t1.hpp"

namespace clgauss::tune {

namespace {

using namespace cli;

constexpr std::string_view kKernelUsage =
    "FILE.cl --name K --global N,M --arg .. [options], or FILE_T1.json";
constexpr std::string_view kKernelAbout =
    "A complete example, with a shipped kernel: tiles of 8, 16 or 32, checked against a plain "
    "product.\n"
    "  clgauss-tune kernel matmul_ladder.cl --name ladder_blocked --round-up xy \\\n"
    "    --against ladder_naive --size n=128 --global n,n --local 'BLOCK x BLOCK' \\\n"
    "    --param BLOCK=8,16,32 --arg buffer:f32:n*n --arg buffer:f32:n*n \\\n"
    "    --arg buffer:f32:n*n:0 --arg ulong:n -o tuned\n"
    "Tunes any OpenCL kernel: searches work-group sizes of 1 to 3 dimensions and -D parameters "
    "jointly, checks each result before it is timed, and times the best interleaved with the "
    "driver's "
    "own work-group size and those of the rules. Prints what was found, with intervals, and the "
    "line of C++ to use; the folder holds all rows, the T4 results, and the page. The same command "
    "again goes on where it stopped. Sizes are expressions: + - * / % and comparisons, && || !, "
    "min, max, ceil_div. A T1 file of another tuner says all of this by itself. Where "
    "more than half of the launches fail (build_error, launch_error, wrong_result, timeout) the "
    "exit code is 5.";
constexpr std::string_view kKernelExamples =
    "clgauss-tune kernel gauss.cl --name gauss_fwd --size n=1012 --global n+1,n --round-up x "
    "--param REAL_BITS=32 --arg buffer:f32:n*(n+1) --arg ulong:n+1 --arg ulong:0 --budget 30s -o "
    "r\n"
    "clgauss-tune kernel my.cl --name sum --size n=1048576 --global n --local 32:1024:32 --arg "
    "buffer:f32:n:x.npy --arg buffer:f32:n --param VEC=1,2,4 --constraint 'LOCAL_X*VEC<=2048' "
    "--verify sum.npy -o r\n"
    "clgauss-tune kernel convolution_T1.json -o r";

using Words = std::vector<std::string>;

Words words_of(const po::variables_map& values, const char* name) {
  return option<Words>(values, name).value_or(Words());
}

/// Beside those of searches.
enum Tasks : unsigned { kT1File = 4, kClFile = 8, kAgainst = 16 };

Mode kernel_mode(const po::variables_map& values) {
  const bool t1 = values["file"].as<std::string>().ends_with(".json");
  return {search_mode(values).bits | (t1 ? kT1File : kClFile) |
              (values.count("against") > 0 ? kAgainst : 0U),
          ""};
}

KernelTask task_of(const po::variables_map& values) {
  for (const char* name : {"name", "global", "arg"})
    if (values.count(name) == 0) throw UsageError(fmt::format("--{} is missing", name));
  KernelTask task;
  task.file = values["file"].as<std::string>();
  task.name = values["name"].as<std::string>();
  task.global = parse_range("global", values["global"].as<std::string>());
  if (const auto local = option<std::string>(values, "local"))
    task.local = parse_local_sizes(*local);
  for (const std::string& text : words_of(values, "arg"))
    task.arguments.push_back(parse_kernel_argument(text));
  for (const std::string& text : words_of(values, "param"))
    task.parameters.push_back(parse_parameter(text));
  return task;
}

/// What may be added to a T1 file as well.
void complete(KernelTask& task, const po::variables_map& values) {
  task.round_up = parse_dimensions(option<std::string>(values, "round-up").value_or(""));
  for (const std::string& text : words_of(values, "constraint"))
    task.constraints.emplace_back(text);
  if (const auto options = option<std::string>(values, "build-options")) {
    if (!task.build_options.empty()) task.build_options += ' ';
    task.build_options += *options;
  }
  task.reference.kernel = option<std::string>(values, "against");
  if (const auto global = option<std::string>(values, "against-global"))
    task.reference.global = parse_range("against-global", *global);
  for (const std::string& text : words_of(values, "verify"))
    task.reference.expected.push_back(parse_expected(text));
  for (const auto& [name, kind] : {std::pair("gflop", kGflops), {"gbyte", kGbytes}})
    if (const auto amount = option<std::string>(values, name))
      task.rates.push_back({kind, Expression(*amount, Dialect::python)});
  task.reference.tolerance = option<double>(values, "tolerance");
  if (task.reference.tolerance && !(*task.reference.tolerance >= 0))
    throw UsageError("--tolerance must be at least 0");
}

/// The options of the tuning itself.
KernelTuningOptions tuning_options(const po::variables_map& values) {
  KernelTuningOptions options;
  options.strategy = values["strategy"].as<std::string>();
  options.random_seed = values["seed"].as<std::uint64_t>();
  if (const auto path = option<std::string>(values, "seeds")) options.seeds = read_t4(*path);
  options.repetitions = repetitions_of(values);
  options.timeout_s = parse_duration(values["timeout"].as<std::string>()).count();
  options.interrupted = search_is_interrupted;
  return options;
}

/// Whether most launches fail, which it then says.
bool most_fail(const std::vector<TunedSize>& sizes) {
  std::map<Status, std::size_t> failures;
  std::size_t failed = 0, tried = 0;
  for (const TunedSize& size : sizes) {
    tried += size.tuning.tried;
    for (const auto& [status, count] : size.tuning.failures) {
      failures[status] += count;
      failed += count;
    }
  }
  if (2 * failed <= tried) return false;
  std::string kinds;
  for (const auto& [status, count] : failures)
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, status_name(status));
  tell(
      fmt::format("kernel: {} of {} launches fail: {}; the report says by what, and --constraint "
                  "leaves out what is not meant to work\n",
                  failed, tried, kinds));
  return true;
}

}  // namespace

cli::CommandTable kernel_table() {
  CommandTable table{kKernelUsage, kKernelAbout, kKernelExamples, {}, "file"};
  // clang-format off
  table.group("What")
      ("file", cli::file("FILE")->required(), "the kernel's file, of this folder or shipped with clgauss; or a T1 file (.json)")
      ("name", cli::text("K"), "the kernel in it")
      ("global", cli::text("RANGE"), "work-items of 1 to 3 dimensions: n,m; as COUNT and VALUE, expressions of sizes, parameters and LOCAL_X, LOCAL_Y, LOCAL_Z")
      ("arg", po::value<Words>()->value_name("ARG"),
       "an argument, once for each in their order: buffer:TYPE:COUNT[:random|NUMBER|FILE.npy], scratch: likewise for what is not "
       "compared, local:TYPE:COUNT, or TYPE:VALUE; TYPE as OpenCL C has it, or f32, f64, i32, u32 ..")
      ("size", po::value<Words>()->value_name("NAME=N"), "names for expressions, no macros: n=1024,m=8; one that is named again begins another size, which is tuned as well")
      ("build-options", cli::text("TEXT"), "for the compiler, beside the parameters");
  table.group("What may vary")
      ("local", cli::text("SIZES"),
       "of each dimension the work-group sizes to try, or an expression of parameters: '32:256:32 x 1,2,4', 'TILE x TILE' (default powers of two)")
      ("round-up", cli::text("DIMS"), "dimensions, x, y, xy .., in which the kernel returns beyond its range: sizes that do not divide it go on to the group's end")
      ("param", po::value<Words>()->value_name("NAME=LIST"), "a macro: numbers, ranges first:last:step, or words; may be given again")
      ("constraint", po::value<Words>()->value_name("EXPR"), "what must hold of parameters, and of LOCAL_X, LOCAL_Y, LOCAL_Z; may be given again");
  table.group("Check")
      ("against", cli::text("KERNEL"), "compare with what this kernel of the file, or FILE.cl:KERNEL, computes from the same arguments")
      ("against-global", cli::text("RANGE"), "its range, where it is another")
      ("verify", po::value<Words>()->value_name("[ARG=]FILE.npy"),
       "compare an output with the numbers of a file, or with those that a command prints: '[ARG=]|COMMAND', in which {x} becomes the "
       "path of an .npy file of the argument x and {n} the size n; ARG: its name or number from 0; only outputs named so are compared")
      ("tolerance", po::value<double>()->value_name("T"),
       "error allowed, as a share of the largest number (default 1e-4 in f32, 1e-10 in f64, 0 of integers)");
  add_search_options(table);
  table.group("Search")
      ("seeds", cli::file("FILE"), "search_T4.json of another device or size; its best configurations are tried first")
      ("timeout", cli::text("TIME")->default_value("10s"), "a run that takes longer is given up");
  add_device_option(table);
  auto report = table.group("Report");
  report("output,o", cli::folder("FOLDER")->required(), "folder for rows.csv, rows.json and search_T4.json (T4), of several sizes in a folder each; launches.hpp, report.html")
        ("quiet,q", po::bool_switch(), "no progress");
  report("gflop", cli::text("EXPR"), "floating-point operations of a launch, in 1e9, of sizes and parameters: Gflop/s are told, too; / divides as in mathematics")
        ("gbyte", cli::text("EXPR"), "bytes that a launch moves, in 1e9: likewise GB/s");
  add_json_option(report);
  // clang-format on
  table.scopes = search_scopes();
  table.scopes.push_back({kClFile,
                          "a kernel's file; a T1 file says it by itself",
                          {"name", "global", "local", "arg", "param", "size"}});
  table.scopes.push_back({kAgainst, "--against", {"against-global"}});
  table.mode = kernel_mode;
  return table;
}

cli::ExitCode run_kernel(const cli::Given& given) {
  const po::variables_map& values = given.values;
  const std::string file = values["file"].as<std::string>();
  const std::filesystem::path output = values["output"].as<std::string>();
  KernelTask task;
  SearchEnd end = search_end(values);
  if (file.ends_with(".json")) {
    T1File t1 = read_t1(file);
    task = std::move(t1.task);
    if (!end.budget_s && !end.evaluations) end = {t1.budget_s, t1.evaluations};
  } else {
    task = task_of(values);
  }
  complete(task, values);
  const std::vector<Variables> sizes = parse_size_table(words_of(values, "size"));
  KernelTuningOptions options = tuning_options(values);
  JsonOutput json(values);
  Context context(open_named_device(values["device"].as<std::string>()),
                  ContextOptions::from_environment());
  std::vector<KernelTask> tasks(sizes.size(), task);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    tasks[i].sizes.insert(sizes[i].begin(), sizes[i].end());
  auto tuner = std::make_unique<KernelTuner>(context, tasks.front());  // what is wrong comes first
  const std::string noise = noise_of_machine(context);
  warn_of_noise("kernel", "the winner", noise);
  const bool quiet = values["quiet"].as<bool>();
  std::vector<TunedSize> tuned;
  ProgressLine line(!quiet);
  for (const KernelTask& one : tasks) {
    if (!tuned.empty() && search_is_interrupted()) break;
    const std::string size = tasks.size() > 1 ? size_text(one.sizes) : "";
    ExperimentInfo info = info_of(one, typed("kernel", given), context.profile());
    note_host(info);
    if (!tuned.empty()) {
      tuner.reset();  // its buffers go before those of the next size come
      tuner = std::make_unique<KernelTuner>(context, one);
    }
    const std::filesystem::path place = size.empty() ? output : output / size;
    ResultFolder folder(place, info, false);
    if (tuned.empty() && !tuner->has_reference())
      tell(
          "kernel: nothing to compare with (--against, --verify): every launch has to give what "
          "the first one gives\n");
    if (!quiet)
      tell(fmt::format("kernel: {}{} {} to choose from; the search ends after {}\n",
                       size.empty() ? "" : size + ": ", tuner->space().size(),
                       tuner->space().is_listed() ? "launches" : "combinations", text_of(end)));
    options.stop = stop_at(end);
    options.progress = [show = shown_on(line, "kernel", end)](const Outcome& last,
                                                              std::size_t tried, std::size_t all) {
      show(last.status, tried, all);
    };
    KernelTuning tuning = tuner->run(info, folder, options);
    line.clear();
    folder.write_t4();
    write_t4((place / "search_T4.json").string(), tuning.record);
    tuned.push_back({one, std::move(tuning), group_rows(folder.rows())});
  }
  warn_of_noise("kernel", "the winner", noise);
  json.print(kernel_report(tuned), kernel_json(tuned, noise));
  if (const std::string header = kernel_header(
          tuned, fmt::format("{}: {}", context.profile().name, typed("kernel", given)));
      !header.empty())
    write_whole(output / "launches.hpp", header);
  if (search_is_interrupted()) return ExitCode::interrupted;
  write_report(output, output / "report.html", task.name + ": what its launch is worth");
  return most_fail(tuned) ? ExitCode::opencl : ExitCode::ok;
}

}  // namespace clgauss::tune
