#include <fmt/format.h>

#include <algorithm>
#include <clgauss/certify.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/io.hpp>
#include <clgauss/solve.hpp>
#include <filesystem>
#include <variant>

#include "cli/batched_command.hpp"
#include "cli/commands.hpp"
#include "cli/compare.hpp"
#include "cli/complex_command.hpp"
#include "cli/open_context.hpp"
#include "cli/report.hpp"
#include "command_line/progress_line.hpp"
#include "io/formats.hpp"
#include "lap_timer.hpp"
#include "linalg/solve/methods.hpp"
#include "linalg/solve/names.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"

namespace clgauss::cli {

namespace {

constexpr std::string_view kSolveUsage = "SYSTEM [options]";
constexpr std::string_view kSolveAbout =
    "Solves A x = b on an OpenCL device. SYSTEM holds the augmented matrix [A | b] (n rows of n + "
    "1 numbers, or n + m for m right-hand sides), or A alone with --rhs. Formats: text, Matrix "
    "Market, .npy, .npz, CSV, TSV, .mat, HDF5, each also as gzip; FILE:ARRAY names one array of "
    "several; - is standard input. With --batched SYSTEM is an .npy file of many "
    "small systems, batch x n x n (n <= 2048) with --rhs, or batch x n x (n + m). Complex numbers "
    "are read from Matrix Market, .npy and .mat files; such a system is solved by lu or mixed, and "
    "x written as text, CSV and TSV with two columns a number. x goes to standard output or to -o, "
    "the summary to standard error.";
constexpr std::string_view kSolveExamples =
    "clgauss solve data/systems/random_1012.txt\n"
    "clgauss solve A.mtx --rhs b.mtx -o x.mtx --json report.json\n"
    "clgauss solve A.npy --rhs row-sums --device nvidia:h200 --local lcm --ndrange shrinking\n"
    "clgauss solve data/systems/random_1012.txt --compare\n"
    "clgauss solve --batched A.npy --rhs B.npy -o x.npy\n"
    "clgauss solve --batched A.npy --rhs identity -o inverses.npy";

/// The options as given, each in its own type.
struct SolveCommand {
  std::string system_path, rhs, output_path, device;
  std::optional<std::string> json_path, launches_path;
  FileFormat x_format = FileFormat::text;
  ReadOptions read;
  SolveOptions solve;
  ContextOptions context;
  WriteOptions write;
  bool in_place = false, certify = false, compare = false, strict = false, quiet = false,
       verbose = false;
  int repetitions = 3, warmups = 1;
};

const WordTable<std::optional<Accuracy>> kSolveAccuracies{{"auto", std::nullopt},
                                                          {"single", Accuracy::single_precision},
                                                          {"double", Accuracy::double_precision},
                                                          {"max", Accuracy::maximum}};

WordTable<Method> method_words() {
  WordTable<Method> words;
  for (const MethodRow& row : all_methods()) words.emplace_back(row.name, row.method);
  return words;
}
const WordTable<Method> kSolveMethods = method_words();

/// "lu (blocked), .. or auto: whichever is faster".
std::string methods_help() {
  std::string text;
  for (const MethodRow& row : all_methods().subspan(1))
    text += fmt::format("{} ({}), ", row.name, row.help);
  const MethodRow& automatic = row_of(Method::automatic);
  return text + fmt::format("or {}: {}", automatic.name, automatic.help);
}

const WordTable<Pivoting> kPivotings = word_table(kPivotingNames);

const WordTable<Judge> kJudges = word_table(kJudgeNames);

const WordTable<NdRangeMode> kNdRanges{{"fixed", NdRangeMode::fixed},
                                       {"shrinking", NdRangeMode::shrinking}};

const WordTable<SplitMode> kSplits{{"auto", SplitMode::automatic},    {"off", SplitMode::off},
                                   {"padded", SplitMode::padded},     {"exact", SplitMode::exact},
                                   {"round_up", SplitMode::round_up}, {"tall", SplitMode::tall}};

const std::vector<std::string> kRhsChoices{"ones", "row-sums", "identity", "augmented"};
const std::vector<std::string> kLocalWords{"auto", "tuned", "fit", "lcm", "driver"};

int count_option(const po::variables_map& values, const char* name, int least) {
  const int count = values[name].as<int>();
  if (count < least) throw UsageError(fmt::format("--{} must be at least {}", name, least));
  return count;
}

/// The option of Gauss elimination that was given, if any: it means that method.
std::optional<std::string> gauss_option(const po::variables_map& values) {
  for (const char* name : {"local", "ndrange", "split"})
    if (!values[name].defaulted()) return name;
  if (values["pivot"].as<std::string>() == "none") return "pivot none";
  if (values["compare"].as<bool>()) return "compare";
  return values.count("launches") > 0 ? std::optional<std::string>("launches") : std::nullopt;
}

/// The option of a solve beyond one device that was given, if any: it means such a solve.
std::optional<std::string> distributed_option(const po::variables_map& values) {
  for (const char* name : {"devices", "memory", "spill", "checkpoint", "resume", "trace"})
    if (values.count(name) > 0) return name;
  return std::nullopt;
}

/// What a solve can be: of one real system on one device by a method, each of which has a bit, or
/// one of these.
enum Solves : unsigned {
  kCompare = 1U << 16U,
  kBatched = 1U << 17U,
  kComplex = 1U << 18U,
  kDistributed = 1U << 19U,
  kCheckpoints = 1U << 20U,  // of a distributed one
  kBeyond = kDistributed | kCheckpoints,
  kAnyMethod = kCompare - 1
};

unsigned bit_of(Method method) { return 1U << static_cast<unsigned>(method); }

unsigned by_methods(Wish wish) {
  unsigned bits = 0;
  for (const MethodRow& row : all_methods())
    if (row.allows(wish)) bits |= bit_of(row.method);
  return bits;
}

std::vector<std::string> methods_of_one_real_system() {
  std::vector<std::string> options;
  for (const MethodRow& row : all_methods().subspan(1))
    if (row.method != Method::lu && row.method != Method::mixed && row.method != Method::cholesky)
      options.push_back(fmt::format("method={}", row.name));
  return options;
}

std::vector<Scope> solve_scopes() {
  const auto by = [](Wish wish) { return "--method " + methods_that_allow(wish, "or"); };
  const std::string of_one = " for one real system", of_any = " for one system";
  return {
      {~kBeyond,
       "solves on one device",
       {"device", "batched", "method", "pivot", "check", "allow-nonfinite", "verbose"}},
      {kAnyMethod | kCompare | kComplex,
       "solves of one system on one device",
       {"check", "method=mixed"}},
      {kAnyMethod, "one solve of a real system on one device", {"certify"}},
      {kAnyMethod | kCompare, "solves of one real system on one device",
       methods_of_one_real_system()},
      {kAnyMethod | kBatched | kComplex, "solves without --compare", {"method=cholesky"}},
      {~kAnyMethod | by_methods(kPivoting), by(kPivoting), {"pivot"}},
      {by_methods(kTournament), by(kTournament) + of_one, {"pivot=tournament"}},
      {by_methods(kInPlace), by(kInPlace) + of_one, {"in-place"}},
      {by_methods(kWorkGroupSizes) | kCompare,
       by(kWorkGroupSizes),
       {"pivot=none", "local", "ndrange", "split", "compare", "launches", "cores-per-cu"}},
      {kCompare, "--compare", {"reps", "warmup"}},
      {by_methods(kIterations), by(kIterations), {"max-iterations"}},
      {by_methods(kEquilibration) | kBeyond,
       by(kEquilibration) + of_one + ", and --devices",
       {"equilibrate"}},
      {~kBatched, "solves of one system", {"accuracy", "digits"}},
      {by_methods(kMaximumAccuracy) | kComplex, by(kMaximumAccuracy) + of_any, {"accuracy=max"}},
      {~kAnyMethod | by_methods(kTypeOfFactors),
       "methods that do not refine x, as mixed and rbt do from factors in f32",
       {"accuracy=single", "type=f64"}},
      {by_methods(kJudgeByDevice), by(kJudgeByDevice) + of_one, {"check=device"}},
      {by_methods(kTrust) | kBeyond | kBatched | kComplex, by(kTrust), {"no-rcond"}},
      {by_methods(kTrust) | kBeyond | kComplex, by(kTrust) + of_any, {"strict"}},
      {by_methods(kDeterminant) | kCompare | kBeyond | kComplex,
       by(kDeterminant) + of_any,
       {"determinant"}},
      {kCheckpoints, "--checkpoint or --resume", {"every"}}};
}

Mode mode_of_method(const po::variables_map& values) {
  const auto method = parse_word("method", values["method"].as<std::string>(), kSolveMethods);
  const std::string with = fmt::format("with --method {}", method_name(method));
  const auto option = method == Method::automatic ? gauss_option(values) : std::nullopt;
  if (method == Method::automatic && !option) return {bit_of(method), with + ", the default"};
  const bool compare = values["compare"].as<bool>();
  if (option)
    return {compare ? kCompare : bit_of(Method::gauss),
            fmt::format("with --method gauss, which --{} asks for", *option)};
  return compare && method == Method::gauss ? Mode{kCompare, "with --compare"}
                                            : Mode{bit_of(method), with};
}

Mode solve_mode(const po::variables_map& values) {
  const bool keeps = values.count("checkpoint") > 0 || values.count("resume") > 0;
  if (const auto option = distributed_option(values))
    return {keeps ? kCheckpoints : kDistributed, fmt::format("with --{}", *option)};
  if (values["batched"].as<bool>()) return {kBatched, "with --batched"};
  return mode_of_method(values);
}

Method read_method(const po::variables_map& values) {
  const auto method = parse_word("method", values["method"].as<std::string>(), kSolveMethods);
  return method == Method::automatic && gauss_option(values) ? Method::gauss : method;
}

/// A number, or a word, of which the library would not say what was meant.
WorkGroupPolicy read_policy(const std::string& text) {
  const bool number = text.find_first_not_of("0123456789") == std::string::npos;
  if (!number && std::ranges::find(kLocalWords, text) == kLocalWords.end())
    refuse_word("--local", text, kLocalWords);
  return parse_work_group_policy(text);
}

SolveOptions read_solve_options(const po::variables_map& values) {
  const auto text = [&](const char* name) -> std::string_view {
    return values[name].as<std::string>();
  };
  SolveOptions solve;
  solve.method = read_method(values);
  solve.type = parse_word("type", text("type"), type_words());
  solve.accuracy = parse_word("accuracy", text("accuracy"), kSolveAccuracies);
  solve.determinant = values["determinant"].as<bool>();
  solve.trust = !values["no-rcond"].as<bool>() && !values["compare"].as<bool>();
  solve.pivoting = parse_word("pivot", text("pivot"), kPivotings);
  solve.equilibration = parse_word("equilibrate", text("equilibrate"), equilibration_words());
  solve.judge = parse_word("check", text("check"), kJudges);
  solve.ndrange = parse_word("ndrange", text("ndrange"), kNdRanges);
  solve.split = parse_word("split", text("split"), kSplits);
  solve.policy = read_policy(values["local"].as<std::string>());
  solve.max_iterations = values["max-iterations"].as<Index>();
  if (solve.max_iterations == 0) throw UsageError("--max-iterations must be at least 1");
  solve.max_scaled_residual = values["max-residual"].as<double>();
  if (!(solve.max_scaled_residual > 0)) throw UsageError("--max-residual must be above 0");
  return solve;
}

/// --in-place reads the system twice.
void check_in_place(const SolveCommand& command) {
  std::error_code unknown;  // a file that is not there is for the reader to report
  const auto status = std::filesystem::status(command.system_path, unknown);
  if (command.system_path == "-" ||
      (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)))
    throw UsageError(
        "--in-place reads SYSTEM again for the residual: give a file, not standard input or a "
        "pipe");
}

SolveCommand read_command(const po::variables_map& values) {
  const auto text = [&](const char* name) { return values[name].as<std::string>(); };
  SolveCommand command;
  command.system_path = text("system");
  command.rhs = text("rhs");
  command.output_path = text("output");
  command.device = text("device");
  command.json_path = option<std::string>(values, "json");
  command.launches_path = option<std::string>(values, "launches");
  command.x_format = output_format(values, "output-format", command.output_path);
  if (values.count("format") > 0) command.read.format = output_format(values, "format", {});
  command.write = write_options(values, command.x_format);
  command.read.allow_nonfinite = values["allow-nonfinite"].as<bool>();
  command.solve = read_solve_options(values);
  command.context = context_options(values);
  command.context.profiling = command.launches_path.has_value();
  command.in_place = values["in-place"].as<bool>();
  command.certify = values["certify"].as<bool>();
  if (command.certify && command.in_place)
    throw UsageError("--certify needs A, which --in-place frees: leave one of them out");
  command.compare = values["compare"].as<bool>();
  command.strict = values["strict"].as<bool>();
  if (command.strict && !command.solve.trust)
    throw UsageError("--strict needs rcond, which --no-rcond leaves out: give one of them");
  command.quiet = values["quiet"].as<bool>();
  command.verbose = values["verbose"].as<bool>();
  command.repetitions = count_option(values, "reps", 1);
  command.warmups = count_option(values, "warmup", 0);
  if (command.compare && command.solve.policy.rule == WorkGroupPolicy::Rule::driver)
    throw UsageError(
        "--compare compares the driver's default with --local: give --local lcm or a number");
  if (command.in_place) check_in_place(command);
  if (command.in_place && command.solve.accuracy == Accuracy::maximum)
    throw UsageError(
        "--accuracy max needs A for its residuals, which --in-place frees: leave one of them out");
  return command;
}

/// The files that a run writes. They are opened before the work starts, so that a place that cannot
/// be written is found at once.
struct Outputs {
  std::optional<OutputFile> x, json, launches;

  explicit Outputs(const SolveCommand& command) {
    keep_report_apart(command.json_path, command.output_path, command.compare);
    // With --compare standard output belongs to the comparison.
    if (!command.compare || command.output_path != "-") x.emplace(command.output_path);
    if (command.json_path) json.emplace(*command.json_path);
    if (command.launches_path) launches.emplace(*command.launches_path);
  }
};

template <typename System>
void check_system(const System& system, const std::string& path) {
  if (system.a.rows() == 0) throw DimensionError(path + ": the system is empty (0 x 0)");
}

/// Whether b stands in a file of which one would rather think that it holds A alone.
bool holds_b(const SolveCommand& command) {
  const FileFormat format = command.read.format.value_or(format_of_extension(command.system_path));
  return io::is_augmented(command.rhs) && format == FileFormat::matrix_market;
}

void write_answer(const SolveCommand& command, const Solution& solution,
                  const std::optional<Comparison>& comparison, Outputs& outputs) {
  if (comparison) print(comparison_text(*comparison));
  if (outputs.x && has_answer(solution.status)) {
    write_matrix(*outputs.x, solution.x, command.x_format, command.write);
    outputs.x->commit();
  }
  if (outputs.launches) {
    outputs.launches->write(launches_csv(solution.launches));
    outputs.launches->commit();
  }
}

void write_report(const SolveCommand& command, const Report& report,
                  const std::optional<Comparison>& comparison, Outputs& outputs) {
  if (outputs.json) {
    nlohmann::ordered_json json = report_json(report);
    if (comparison) json["comparison"] = comparison_json(*comparison);
    outputs.json->write(json.dump(2) + "\n");
    outputs.json->commit();
  }
  tell_of(report, command.quiet, command.strict);
}

}  // namespace

const WordTable<Equilibration>& equilibration_words() {
  static const WordTable<Equilibration> words = word_table(kEquilibrationNames);
  return words;
}

namespace {

// clang-format off
void add_large_options(CommandTable& table) {
  table.group("Large systems")
      ("devices", text("LIST"),
       "solve on several: all (GPUs, or CPU devices where there is none), or devices with commas "
       "between; with mpirun, on those of all ranks")
      ("memory", text("SIZE"), "of each device's memory for A, as 8GB; else what there is")
      ("spill", folder("DIR"), "keep A in a nameless file there, for what the host's memory does not hold")
      ("checkpoint", folder("DIR"), "write finished columns there")
      ("every", text("TIME")->default_value("10min"), "how often")
      ("resume", folder("DIR"), "go on from a checkpoint, and write further ones")
      ("trace", output_file("FILE"), "write what each device did when, as Chrome's trace JSON");
}

void add_gauss_options(CommandTable& table) {
  table.group("Gauss")
      ("local", words("RULE", kLocalWords)->default_value("auto"),
       "gauss: work-group size auto (tuned if there is one, else fit), tuned, fit (of 320 to 512 "
       "what leaves the least beyond the end, on a CPU whole rows), lcm, driver, or a number")
      ("ndrange", words("MODE", kNdRanges)->default_value("fixed"),
       "gauss: fixed (every step over the whole matrix) or shrinking")
      ("split", words("MODE", kSplits)->default_value("auto"),
       "gauss: how a range is launched that the size does not divide: auto (as tuned; fit: "
       "round_up; else padded), padded (two launches, the second of one whole group), exact (two, "
       "the second of just the rest), round_up (one, beyond the end), tall (one, of groups of one "
       "column), or off (refuse)")
      ("compare", po::bool_switch(), "gauss: time the driver's default against --local, A B A B")
      ("reps", po::value<int>()->default_value(3)->value_name("N"), "timed pairs of --compare")
      ("warmup", po::value<int>()->default_value(1)->value_name("N"), "untimed pairs before them")
      ("launches", output_file("FILE"),
       "gauss: write a CSV row for every kernel launch, with its event time");
}
// clang-format on

}  // namespace

CommandTable solve_table() {
  static const std::string max_residual = fmt::format("{}", kScaledResidualBound);
  CommandTable table{kSolveUsage, kSolveAbout, kSolveExamples, {}, "system"};
  // clang-format off
  table.group("System")
      ("system", file("SYSTEM")->required(), "the file to solve; - is standard input")
      ("rhs", words_or_file("B", kRhsChoices)->default_value(""),
       "a file with b, ones (b = 1), row-sums (b = A 1, so x = 1), identity (of --batched: x is the "
       "inverses), or augmented: the columns of SYSTEM after A (the default; .mtx asks for the word "
       "if there are several)")
      ("format", format_words(), "format of SYSTEM: text, mtx, npy, csv, tsv, npz, mat, h5; else by content")
      ("batched", po::bool_switch(), "SYSTEM holds many small systems (.npy of three dimensions)")
      ("allow-nonfinite", po::bool_switch(), "accept NaN and Inf in the files");
  table.group("Method")
      ("method", words("M", kSolveMethods)->default_value("auto"),
       methods_help().c_str())
      ("pivot", words("P", kPivotings)->default_value("partial"),
       "partial, tournament (lu), or none (gauss: as in Baranov and Vlatskaya, 2013)")
      ("type", words("T", type_words())->default_value("auto"),
       "of the factors: f32, f64, or auto: as accuracy and method ask")
      ("accuracy", words("A", kSolveAccuracies)->default_value("auto"),
       "of x: double (its backward error is that of f64, on every device), max (x itself has the "
       "digits of f64, unless A is nearly singular), single, or auto: that of --type if it is "
       "given, else double")
      ("equilibrate", words("E", equilibration_words())->default_value("auto"),
       "lu, mixed: equilibrate rows and columns by powers of two: on, off (only where the "
       "range of the type needs it), or auto: also where their sizes differ by more than a "
       "factor of 10")
      ("in-place", po::bool_switch(),
       "lu: free the host's copy of A during the upload, and read SYSTEM again for the residual; "
       "on a CPU this halves the memory");
  table.group("Answer")
      ("output,o", output_file("FILE")->default_value("-"), "write x here, in the format of the extension")
      ("output-format", format_words(), "format of x; else by the extension of -o")
      ("digits", digits_value(), kDigitsHelp)
      ("max-residual", po::value<double>()->default_value(kScaledResidualBound, max_residual)->value_name("R"),
       "scaled residual up to which an answer is accepted")
      ("check", words("WHO", kJudges)->default_value("host"),
       "who computes the residual: the host, from its own copy of A, or the device; the host then "
       "verifies every 31st row and decides (lu, mixed, rbt, cholesky; devices with fp64)")
      ("no-rcond", po::bool_switch(),
       "do not estimate rcond and the forward error of x")
      ("strict", po::bool_switch(),
       "exit code 9 where hardly a digit of x can be relied on; x is written")
      ("certify", po::bool_switch(),
       "prove bounds of the error of x, every rounding error counted; five to seven times the "
       "work (devices with fp64)")
      ("determinant", po::bool_switch(),
       "report sign, of a complex A the phase, and log10 of det A")
      ("max-iterations", po::value<Index>()->default_value(10000)->value_name("N"),
       "jacobi, seidel: give up after so many");
  // clang-format on
  add_large_options(table);
  add_gauss_options(table);
  add_report_options(table, kJsonBesideX);
  add_cores_option(table.group("Device"));
  table.extra = "rhs";
  table.scopes = solve_scopes();
  table.mode = solve_mode;
  return table;
}

namespace {

std::variant<System, ComplexSystem> read_given_system(const SolveCommand& command,
                                                      const ProgressCallback& reading) {
  ReadOptions options = command.read;
  if (command.quiet) options.note = {};
  options.progress = reading;
  std::variant<System, ComplexSystem> any =
      read_any_system(command.system_path, command.rhs, options);
  std::visit([&](const auto& system) { check_system(system, command.system_path); }, any);
  return any;
}

/// `comparison` is filled in where it was asked for; `system` is given up where that was.
Solution solve_as_asked(const SolveCommand& command, Context& context, System& system,
                        const ProgressCallback& progress, std::optional<Comparison>& comparison) {
  if (command.compare) {
    comparison = compare_policies(context, system, command.solve, command.repetitions,
                                  command.warmups, progress);
    return comparison->chosen.solution;
  }
  if (!command.in_place) return solve(context, system, command.solve, progress);
  const auto read_again = [&] {
    return io::is_augmented(command.rhs)
               ? read_system(command.system_path, command.rhs, command.read).a
               : read_matrix(command.system_path, command.read);
  };
  return solve_in_place(context, std::move(system), read_again, command.solve, progress);
}

}  // namespace

ExitCode run_solve(const Given& given) {
  if (given.values["rhs"].as<std::string>() == "identity" && !given.values["batched"].as<bool>())
    throw UsageError(
        "--rhs identity is for --batched; the inverse of one matrix is `clgauss invert`, and a "
        "file "
        "of that name --rhs ./identity");
  if (distributed_option(given.values)) return run_distributed(given);
  SolveCommand command = read_command(given.values);
  if (given.values["batched"].as<bool>())
    return run_batched(
        given.values,
        {command.system_path, command.rhs, command.output_path, command.device, command.json_path,
         command.solve.type, command.solve.max_scaled_residual, command.solve.trust,
         command.read.allow_nonfinite, command.quiet, command.verbose, command.context});
  LapTimer total, timer;
  ProgramTimes times;
  ProgressLine line(!command.quiet);
  const ProgressCallback progress = shown_on(line);

  Outputs outputs(command);
  OpeningContext opening(command.device, command.context, progress, command.quiet);
  std::variant<System, ComplexSystem> read = opening.beside(
      [&](const ProgressCallback& reading) { return read_given_system(command, reading); });
  command.read.progress = progress;
  if (command.quiet) command.read.note = {};
  times.read = timer.lap();
  if (auto* const complex = std::get_if<ComplexSystem>(&read)) {
    refuse_meaningless(given.values, solve_table(), {kComplex, "for a complex system"});
    return run_complex({std::move(*complex), command.solve, opening,
                        outputs.x ? &*outputs.x : nullptr, command.x_format, command.write,
                        outputs.json ? &*outputs.json : nullptr, line, progress, command.quiet,
                        command.verbose, command.strict, times.read, total,
                        holds_b(command) ? command.system_path : std::string()});
  }
  System system = std::get<System>(std::move(read));
  Context& context = opening.take();
  times.device = timer.lap();
  const Index n = system.a.rows(), nrhs = system.b.cols();

  std::optional<Comparison> comparison;
  Solution solution = solve_as_asked(command, context, system, progress, comparison);
  std::optional<Certificate> certificate;
  if (command.certify && has_answer(solution.status)) {
    timer.lap();
    const double built = context.programs().build_seconds();
    certificate = certify(context, system, solution, command.solve.lu, progress);
    const double building = context.programs().build_seconds() - built;
    solution.times.build += building;
    times.certify = timer.lap() - building;
  }
  line.clear();
  timer.lap();
  write_answer(command, solution, comparison, outputs);
  times.write = timer.lap();
  const UsedDevice used = opening.close();
  system = {};
  times.free = timer.lap();
  times.total = total.lap();
  Report report{used,
                command.solve,
                solution,
                n,
                nrhs,
                times,
                {},
                holds_b(command) ? command.system_path : std::string(),
                command.verbose,
                certificate};
  if (command.solve.determinant) report.determinant = solution.determinant;
  write_report(command, report, comparison, outputs);
  if (certificate && !certificate->proven) return ExitCode::inaccurate;
  if (command.strict && solution.status == SolveStatus::ok && !doubt_text(solution).empty())
    return ExitCode::doubtful;
  return exit_code_of(solution.status);
}

}  // namespace clgauss::cli
