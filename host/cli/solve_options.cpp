#include "cli/solve_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/report.hpp"
#include "io/formats.hpp"
#include "linalg/solve/methods.hpp"
#include "linalg/solve/names.hpp"

namespace clgauss::cli {

namespace {

constexpr std::string_view kSolveUsage = "SYSTEM [options]";
constexpr std::string_view kSolveAbout =
    "Solves A x = b on an OpenCL device. SYSTEM holds the augmented matrix [A | b] (n rows of n + "
    "1 numbers, or n + m for m right-hand sides), or A alone with --rhs. Formats: text, Matrix "
    "Market, .npy, .npz, CSV, TSV, .mat, HDF5, each also as gzip; FILE:ARRAY names one array of "
    "several; - is standard input. With --batched SYSTEM is an .npy file of many "
    "small systems, batch x n x n (n <= 2048, complex 256) with --rhs, or batch x n x (n + m). "
    "Complex numbers are read from Matrix Market, .npy and .mat files; such a system is solved by "
    "lu or mixed, and x written as text, CSV and TSV with two columns a number. x goes to standard "
    "output or to -o, the summary to standard error.";
constexpr std::string_view kSolveExamples =
    "clgauss solve data/systems/random_1012.txt\n"
    "clgauss solve A.mtx --rhs b.mtx -o x.mtx --json report.json\n"
    "clgauss solve A.npy --rhs row-sums --device nvidia:h200 --local lcm --ndrange shrinking\n"
    "clgauss solve data/systems/random_1012.txt --compare\n"
    "clgauss solve --batched A.npy --rhs B.npy -o x.npy\n"
    "clgauss solve --batched A.npy --rhs identity -o inverses.npy";

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

/// The Gauss elimination option that was given, if any. It implies --method gauss.
std::optional<std::string> gauss_option(const po::variables_map& values) {
  for (const char* name : {"local", "ndrange", "split"})
    if (!values[name].defaulted()) return name;
  if (values["pivot"].as<std::string>() == "none") return "pivot none";
  if (values["compare"].as<bool>()) return "compare";
  return values.count("launches") > 0 ? std::optional<std::string>("launches") : std::nullopt;
}

unsigned bit_of(Method method) { return 1U << static_cast<unsigned>(method); }

unsigned by_methods(Wish wish) {
  unsigned bits = 0;
  for (const MethodRow& row : all_methods())
    if (row.allows(wish)) bits |= bit_of(row.method);
  return bits;
}

const Where kCompared{kCompare, "--compare"};
const Where kOneDevice{~kBeyond, "solves on one device"};
const Where kOneSystem{~kBatched, "solves of one system"};
const Where kOneOnOneDevice{kAnyMethod | kCompare | kComplex, "solves of one system on one device"};
const Where kOneRealOnOneDevice{kAnyMethod | kCompare, "solves of one real system on one device"};
constexpr std::string_view kOfOneReal = " for one real system", kOfOne = " for one system";

/// A Where for the methods that allow `wish`, plus the modes `more`. If `value` is given, it
/// applies only to that value of the option.
Where by(Wish wish, unsigned more = 0, std::string_view of = "", std::string value = {}) {
  return {by_methods(wish) | more, fmt::format("--method {}{}", methods_that_allow(wish, "or"), of),
          std::move(value)};
}

Where by_elimination(std::string value = {}) {
  return by(kWorkGroupSizes, kCompare, "", std::move(value));
}

/// A Where for a value that sets the type of the factors.
Where without_refinement(std::string value) {
  return {~kAnyMethod | by_methods(kTypeOfFactors),
          "methods that do not refine x, as mixed and rbt do from factors in f32",
          std::move(value)};
}

/// The scopes of --method and its values.
std::vector<Where> where_methods() {
  std::vector<Where> where{kOneDevice};
  for (const MethodRow& row : all_methods().subspan(1)) {
    if (row.allows(kBatches)) continue;
    where.push_back(row.allows(kComplexSystems) ? kOneOnOneDevice : kOneRealOnOneDevice);
    where.back().value = row.name;
  }
  return where;
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

int count_option(const po::variables_map& values, const char* name, int least) {
  const int count = values[name].as<int>();
  if (count < least) throw UsageError(fmt::format("--{} must be at least {}", name, least));
  return count;
}

/// Reads a number or a word. Words are checked here, because the library's message would not
/// suggest the right one.
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

/// --in-place reads the system twice and frees A in between, so it conflicts with options that need
/// A.
void check_in_place(const SolveCommand& command) {
  if (command.is("certify"))
    throw UsageError("--certify needs A, which --in-place frees: leave one of them out");
  if (command.solve.accuracy == Accuracy::maximum)
    throw UsageError(
        "--accuracy max needs A for its residuals, which --in-place frees: leave one of them out");
  std::error_code unknown;  // the reader reports a missing file
  const auto status = std::filesystem::status(command.system_path, unknown);
  if (command.system_path == "-" ||
      (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)))
    throw UsageError(
        "--in-place reads SYSTEM again for the residual: give a file, not standard input or a "
        "pipe");
}

// clang-format off
void add_large_options(CommandTable& table) {
  table.group("Large systems")
      ("devices", text("LIST"),
       "solve on several: all (GPUs, or CPU devices where there is none), or devices with commas "
       "between; with mpirun, on those of all ranks")
      ("memory", text("SIZE"), "of each device's memory for A, as 8GB; else what there is")
      ("spill", folder("DIR"), "keep A in a nameless file there, for what the host's memory does not hold")
      ("checkpoint", folder("DIR"), "write finished columns there")
      ("every", text("TIME")->default_value("10min"), "how often", {{kCheckpoints, "--checkpoint or --resume"}})
      ("resume", folder("DIR"), "go on from a checkpoint, and write further ones")
      ("trace", output_file("FILE"), "write what each device did when, as Chrome's trace JSON");
}

void add_gauss_options(CommandTable& table) {
  table.group("Gauss")
      ("local", words("RULE", kLocalWords)->default_value("auto"),
       "gauss: work-group size auto (tuned if there is one, else fit), tuned, fit (of 320 to 512 "
       "what leaves the least beyond the end, on a CPU whole rows), lcm, driver, or a number",
       {by_elimination()})
      ("ndrange", words("MODE", kNdRanges)->default_value("fixed"),
       "gauss: fixed (every step over the whole matrix) or shrinking", {by_elimination()})
      ("split", words("MODE", kSplits)->default_value("auto"),
       "gauss: how a range is launched that the size does not divide: auto (as tuned; fit: "
       "round_up; else padded), padded (two launches, the second of one whole group), exact (two, "
       "the second of just the rest), round_up (one, beyond the end), tall (one, of groups of one "
       "column), or off (refuse)", {by_elimination()})
      ("compare", po::bool_switch(), "gauss: time the driver's default against --local, A B A B",
       {by_elimination()})
      ("reps", po::value<int>()->default_value(3)->value_name("N"), "timed pairs of --compare", {kCompared})
      ("warmup", po::value<int>()->default_value(1)->value_name("N"), "untimed pairs before them", {kCompared})
      ("launches", output_file("FILE"),
       "gauss: write a CSV row for every kernel launch, with its event time", {by_elimination()});
}
// clang-format on

}  // namespace

SolveCommand read_command(const po::variables_map& values) {
  SolveCommand command{.values = values,
                       .system_path = values["system"].as<std::string>(),
                       .rhs = values["rhs"].as<std::string>(),
                       .output_path = values["output"].as<std::string>(),
                       .json_path = option<std::string>(values, "json"),
                       .launches_path = option<std::string>(values, "launches")};
  command.x_format = output_format(values, "output-format", command.output_path);
  if (values.count("format") > 0) command.read.format = output_format(values, "format", {});
  command.read.allow_nonfinite = command.is("allow-nonfinite");
  command.write = write_options(values, command.x_format);
  command.solve = read_solve_options(values);
  command.context = context_options(values);
  command.context.profiling = command.launches_path.has_value();
  command.verbose = is_verbose(values);
  if (command.is("strict") && !command.solve.trust)
    throw UsageError("--strict needs rcond, which --no-rcond leaves out: give one of them");
  command.repetitions = count_option(values, "reps", 1);
  command.warmups = count_option(values, "warmup", 0);
  if (command.is("compare") && command.solve.policy.rule == WorkGroupPolicy::Rule::driver)
    throw UsageError(
        "--compare compares the driver's default with --local: give --local lcm or a number");
  if (command.is("in-place")) check_in_place(command);
  return command;
}

std::optional<std::string> distributed_option(const po::variables_map& values) {
  for (const char* name : {"devices", "memory", "spill", "checkpoint", "resume", "trace"})
    if (values.count(name) > 0) return name;
  return std::nullopt;
}

const WordTable<Equilibration>& equilibration_words() {
  static const WordTable<Equilibration> words = word_table(kEquilibrationNames);
  return words;
}

CommandTable solve_table() {
  static const std::string max_residual = fmt::format("{}", kScaledResidualBound);
  static const std::string about_format = format_help("format of SYSTEM");
  CommandTable table{kSolveUsage, kSolveAbout, kSolveExamples, {}, "system"};
  // clang-format off
  table.group("System")
      ("system", file("SYSTEM")->required(), "the file to solve; - is standard input")
      ("rhs", words_or_file("B", kRhsChoices)->default_value(""),
       "a file with b, ones (b = 1), row-sums (b = A 1, so x = 1), identity (of --batched: x is the "
       "inverses), or augmented: the columns of SYSTEM after A (the default; .mtx asks for the word "
       "if there are several)")
      ("format", format_words(), about_format.c_str())
      ("batched", po::bool_switch(), "SYSTEM holds many small systems (.npy of three dimensions)", {kOneDevice})
      ("allow-nonfinite", po::bool_switch(), "accept NaN and Inf in the files", {kOneDevice});
  table.group("Method")
      ("method", words("M", kSolveMethods)->default_value("auto"),
       methods_help().c_str(), where_methods())
      ("pivot", words("P", kPivotings)->default_value("partial"),
       "partial, tournament (lu), rook (ldlt, where its pivots grow), or none (gauss: as in Baranov "
       "and Vlatskaya, 2013)",
       {kOneDevice, by(kPivoting, ~kAnyMethod), by(kTournament, 0, kOfOneReal, "tournament"),
        by(kRook, kComplex, kOfOne, "rook"), by_elimination("none")})
      ("type", words("T", type_words())->default_value("auto"),
       "of the factors: f32, f64, or auto: as accuracy and method ask", {without_refinement("f64")})
      ("accuracy", words("A", kSolveAccuracies)->default_value("auto"),
       "of x: double (its backward error is that of f64, on every device), max (x itself has the "
       "digits of f64, unless A is nearly singular), single, or auto: that of --type if it is "
       "given, else double",
       {kOneSystem, by(kMaximumAccuracy, kComplex, kOfOne, "max"), without_refinement("single")})
      ("equilibrate", words("E", equilibration_words())->default_value("auto"),
       "lu, mixed: equilibrate rows and columns by powers of two: on, off (only where the "
       "range of the type needs it), or auto: also where their sizes differ by more than a "
       "factor of 10", {by(kEquilibration, kBeyond | kComplex, " for one system, and --devices")})
      ("in-place", po::bool_switch(),
       "lu: free the host's copy of A during the upload, and read SYSTEM again for the residual; "
       "on a CPU this halves the memory", {by(kInPlace, 0, kOfOneReal)});
  table.group("Answer")
      ("output,o", output_file("FILE")->default_value("-"), "write x here, in the format of the extension")
      ("output-format", format_words(), "format of x; else by the extension of -o")
      ("digits", digits_value(), kDigitsHelp, {kOneSystem})
      ("max-residual", po::value<double>()->default_value(kScaledResidualBound, max_residual)->value_name("R"),
       "scaled residual up to which an answer is accepted")
      ("check", words("WHO", kJudges)->default_value("host"),
       "who computes the residual: the host, from its own copy of A, or the device; the host then "
       "verifies every 31st row and decides (lu, mixed, rbt, cholesky; devices with fp64)",
       {kOneDevice, kOneOnOneDevice, by(kJudgeByDevice, kComplex, kOfOne, "device")})
      ("no-rcond", po::bool_switch(),
       "do not estimate rcond and the forward error of x",
       {by(kTrust, kBeyond | kBatched | kComplex)})
      ("strict", po::bool_switch(),
       "exit code 9 where hardly a digit of x can be relied on; x is written",
       {by(kTrust, kBeyond | kComplex, kOfOne)})
      ("certify", po::bool_switch(),
       "prove bounds of the error of x, every rounding error counted; five to seven times the "
       "work, of a complex x twice that (devices with fp64)",
       {{kAnyMethod | kComplex, "one solve of a system on one device"}})
      ("determinant", po::bool_switch(),
       "report sign, of a complex A the phase, and log10 of det A",
       {by(kDeterminant, kCompare | kBeyond | kComplex, kOfOne)})
      ("max-iterations", po::value<Index>()->default_value(10000)->value_name("N"),
       "jacobi, seidel: give up after so many", {by(kIterations)});
  // clang-format on
  add_large_options(table);
  add_gauss_options(table);
  add_report_options(table, kJsonBesideX);
  add_cores_option(table.group("Device"));
  table.extra = "rhs";
  for (const char* shared : {"device", "verbose"}) table.restrict_option(shared, kOneDevice);
  table.restrict_option("cores-per-cu", by_elimination());
  table.mode = solve_mode;
  return table;
}

}  // namespace clgauss::cli
