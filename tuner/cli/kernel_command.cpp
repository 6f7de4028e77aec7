#include <fmt/format.h>

#include <clgauss/io.hpp>
#include <nlohmann/json.hpp>

#include "command_line/typed.hpp"
#include "tuner/cli/experiment_options.hpp"
#include "tuner/cli/kernel_options.hpp"
#include "tuner/cli/search_options.hpp"
#include "tuner/kernel/kernel_tuning.hpp"
#include "tuner/kernel/t1.hpp"
#include "tuner/report/kernel_section.hpp"
#include "tuner/rows/kernel_experiment.hpp"

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
    "min, max, ceil_div. A T1 file of another tuner says all of this by itself.";
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
  for (const std::string& size : words_of(values, "size")) parse_sizes_into(task.sizes, size);
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
  for (const std::string& text : words_of(values, "verify")) {
    const std::size_t sign = text.find('=');
    const bool named = sign != std::string::npos;
    task.reference.files.push_back(
        {named ? text.substr(0, sign) : "", named ? text.substr(sign + 1) : text, {}});
  }
  task.reference.tolerance = option<double>(values, "tolerance");
  if (task.reference.tolerance && !(*task.reference.tolerance >= 0))
    throw UsageError("--tolerance must be at least 0");
}

/// The call that launches the kernel so.
std::string cpp_line(const KernelTask& task, const KernelLaunch& launch) {
  const auto range = [](const std::vector<std::size_t>& sizes) {
    std::string text;
    for (const std::size_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
    return sizes.empty() ? std::string("cl::NullRange") : fmt::format("cl::NDRange({})", text);
  };
  std::string options;
  for (const auto& [name, value] : launch.macros)
    options += fmt::format(" -D{}={}", name, text_of(value));
  return fmt::format("queue.enqueueNDRangeKernel({}, cl::NullRange, {}, {});{}", task.name,
                     range(global_of(task, launch)), range(launch.local),
                     options.empty() ? "" : "  // built with" + options);
}

std::string report_of(const KernelTask& task, const KernelTuning& tuning,
                      const std::vector<Point>& points) {
  std::string report =
      fmt::format("{}: {} of {} launches tried\n", task.name, tuning.tried, tuning.size);
  for (const std::string& sentence : report::kernel_verdict(points)) report += sentence + '\n';
  for (const Table& table : report::kernel_tables(points)) report += text(table);
  if (tuning.best) report += "\nIn C++:\n  " + cpp_line(task, *tuning.best) + '\n';
  return report;
}

nlohmann::ordered_json json_of(const KernelTask& task, const KernelTuning& tuning) {
  nlohmann::ordered_json json{{"kernel", task.name},
                              {"space", tuning.size},
                              {"tried", tuning.tried},
                              {"measured", tuning.measured},
                              {"best", nullptr}};
  if (!tuning.best) return json;
  nlohmann::ordered_json macros = nlohmann::ordered_json::object();
  for (const auto& [name, value] : tuning.best->macros) macros[name] = text_of(value);
  json["best"] = {{"global", global_of(task, *tuning.best)},
                  {"local", tuning.best->local},
                  {"macros", macros},
                  {"cpp", cpp_line(task, *tuning.best)}};
  return json;
}

}  // namespace

cli::CommandTable kernel_table() {
  CommandTable table{kKernelUsage, kKernelAbout, kKernelExamples, {}, "file"};
  // clang-format off
  table.group("What")
      ("file", cli::file("FILE")->required(), "the kernel's file, of this folder or shipped with clgauss; or a T1 file (.json)")
      ("name", cli::text("K"), "the kernel in it")
      ("global", cli::text("RANGE"), "work-items of 1 to 3 dimensions: n,m")
      ("arg", po::value<Words>()->value_name("ARG"),
       "an argument, once for each in their order: buffer:TYPE:COUNT[:random|NUMBER|FILE.npy], local:TYPE:COUNT, or TYPE:VALUE; "
       "TYPE as OpenCL C has it, or f32, f64, i32, u32 ..")
      ("size", po::value<Words>()->value_name("NAME=N"), "a name for expressions, no macro; may be given again")
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
      ("verify", po::value<Words>()->value_name("[ARG=]FILE.npy"), "compare an output with the numbers of a file; ARG: its name or number from 0")
      ("tolerance", po::value<double>()->value_name("T"),
       "error allowed, as a share of the largest number (default 1e-4 in f32, 1e-10 in f64, 0 of integers)");
  add_search_options(table);
  table.group("Search")
      ("timeout", cli::text("TIME")->default_value("10s"), "a run that takes longer is given up");
  add_device_option(table);
  auto report = table.group("Report");
  report("output,o", cli::folder("FOLDER")->required(), "folder for rows.csv, rows.json and search_T4.json (T4), report.html")
        ("quiet,q", po::bool_switch(), "no progress");
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
  KernelTuningOptions options;
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
  options.strategy = values["strategy"].as<std::string>();
  options.random_seed = values["seed"].as<std::uint64_t>();
  options.repetitions = repetitions_of(values);
  options.timeout_s = parse_duration(values["timeout"].as<std::string>()).count();
  options.interrupted = search_is_interrupted;
  JsonOutput json(values);
  Context context(open_named_device(values["device"].as<std::string>()),
                  ContextOptions::from_environment());
  ExperimentInfo info = info_of(task, typed("kernel", given), context.profile());
  note_host(info);
  KernelTuner tuner(context, task);
  std::string noise = noise_of_machine(context);
  ResultFolder folder(output, info, false);
  const bool quiet = values["quiet"].as<bool>();
  ProgressLine line(!quiet);
  if (const std::size_t advice = noise.find("; end other"); advice != std::string::npos)
    noise.erase(advice);
  const auto warn = [&] {
    if (!noise.empty())
      tell(fmt::format("kernel: the winner may be chance: {}; run it again on a quiet machine\n",
                       noise));
  };
  warn();
  if (!tuner.has_reference())
    tell(
        "kernel: nothing to compare with (--against, --verify): every launch has to give what the "
        "first one gives\n");
  if (!quiet)
    tell(fmt::format("kernel: {} launches to choose from; the search ends after {}\n", tuner.size(),
                     text_of(end)));
  options.stop = stop_at(end);
  options.progress = [show = shown_on(line, "kernel", end)](const Outcome& last, std::size_t tried,
                                                            std::size_t size) {
    show(last.status, tried, size);
  };
  const KernelTuning tuning = tuner.run(info, folder, options);
  line.clear();
  folder.write_t4();
  write_t4((output / "search_T4.json").string(), tuning.record);
  warn();
  json.print(report_of(task, tuning, group_rows(folder.rows())), json_of(task, tuning));
  if (search_is_interrupted()) return ExitCode::interrupted;
  write_report(output, output / "report.html", task.name + ": what its launch is worth");
  return ExitCode::ok;
}

}  // namespace clgauss::tune
