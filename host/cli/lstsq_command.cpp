#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/io.hpp>
#include <clgauss/least_squares.hpp>
#include <cmath>

#include "cli/commands.hpp"
#include "cli/kernels_report.hpp"
#include "cli/open_context.hpp"
#include "cli/report.hpp"
#include "command_line/colour.hpp"
#include "command_line/progress_line.hpp"
#include "io/formats.hpp"
#include "lap_timer.hpp"
#include "matrix/transfer.hpp"

namespace clgauss::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kLstsqUsage = "A [options]";
constexpr std::string_view kLstsqAbout =
    "Solves least squares on an OpenCL device: for an m x n A with m >= n it finds x with the "
    "least "
    "||b - A x||, for m < n the least x with A x = b, in the 2-norm, by a QR factorisation, and "
    "checks it. The file A holds the matrix alone with --rhs, else [A | b], or arrays called A and "
    "b. Formats: text, Matrix Market, .npy, .npz, CSV, TSV, .mat, HDF5, each also as gzip; "
    "FILE:ARRAY names one array of several; - is standard input. x goes to standard output or to "
    "-o, the summary to standard error.\n"
    "Where the rank of A is below min(m, n), x is the smallest of all that have the least "
    "||b - A x||. The columns of A (if m < n its rows) are equilibrated first. The rank is full "
    "where the estimated condition of R is below 1 / tolerance; else QR of R "
    "finds it, to the tolerance.\n"
    "With --weights and --ridge it minimizes sum_i w_i (b - A x)_i^2 + LAMBDA ||x||^2, by a QR "
    "factorisation of A's rows times w_i^1/2 above LAMBDA^1/2 times the identity (if m < n beside "
    "it).";
constexpr std::string_view kLstsqExamples =
    "clgauss lstsq A.mtx --rhs b.mtx -o x.mtx\n"
    "clgauss lstsq A.npy --rhs B.npy -o X.npy --json report.json\n"
    "clgauss lstsq fit.csv --nrhs 2\n"
    "clgauss lstsq A.mtx --rhs b.mtx --rank-tolerance 1e-6\n"
    "clgauss lstsq A.mtx --rhs b.mtx --ridge 0.01 --weights w.txt";

const std::vector<std::string> kLstsqRhsWords{"ones", "row-sums", "augmented"};

const WordTable<std::optional<Accuracy>> kLstsqAccuracies{{"auto", std::nullopt},
                                                          {"single", Accuracy::single_precision},
                                                          {"double", Accuracy::double_precision}};

struct LstsqCommand {
  std::string path, rhs, output, device;
  std::optional<std::string> json, weights;
  Index nrhs = 1;
  ReadOptions read;
  FileFormat format = FileFormat::text;
  WriteOptions write;
  ContextOptions context;
  LeastSquaresOptions options;
  bool quiet = false, verbose = false;

  explicit LstsqCommand(const po::variables_map& values) {
    const auto text = [&](const char* name) { return values[name].as<std::string>(); };
    path = text("a");
    if (values.count("b") > 0 && !values["rhs"].defaulted())
      throw UsageError("B and --rhs both name the right-hand sides: give one of them");
    rhs = text(values.count("b") > 0 ? "b" : "rhs");
    output = text("output");
    device = text("device");
    json = option<std::string>(values, "json");
    nrhs = values["nrhs"].as<Index>();
    if (nrhs == 0) throw UsageError("--nrhs must be at least 1");
    if (!io::is_augmented(rhs) && !values["nrhs"].defaulted())
      throw UsageError(
          fmt::format("--nrhs is the number of columns of A that are b; with --rhs {} there are "
                      "none: leave --nrhs out",
                      rhs));
    weights = option<std::string>(values, "weights");
    if (std::ranges::count(std::array{path, rhs, weights.value_or("")}, "-") > 1)
      throw UsageError("only one of A, B and the weights can come from standard input");
    if (values.count("format") > 0) read.format = output_format(values, "format", {});
    read.allow_nonfinite = values["allow-nonfinite"].as<bool>();
    format = output_format(values, "output-format", output);
    write = write_options(values, format);
    context = context_options(values);
    options.type = parse_word("type", text("type"), type_words());
    options.accuracy = parse_word("accuracy", text("accuracy"), kLstsqAccuracies);
    if (options.type == RealType::f64 && options.accuracy == Accuracy::single_precision)
      throw UsageError("--accuracy single needs factors in f32: leave --type f64 out");
    options.rank_tolerance = option<double>(values, "rank-tolerance");
    if (options.rank_tolerance && !(*options.rank_tolerance >= 0 && *options.rank_tolerance < 1))
      throw UsageError("--rank-tolerance must be at least 0 and below 1");
    options.ridge = values["ridge"].as<double>();
    if (!(options.ridge >= 0 && std::isfinite(options.ridge)))
      throw UsageError("--ridge must be a finite number of at least 0");
    options.require_full_rank = values["require-full-rank"].as<bool>();
    options.max_scaled_residual = values["max-residual"].as<double>();
    if (!(options.max_scaled_residual > 0)) throw UsageError("--max-residual must be above 0");
    quiet = values["quiet"].as<bool>();
    verbose = is_verbose(values);
    keep_report_apart(json, output);
  }
};

Matrix matrix_of(io::Content content) {
  return {content.rows, content.cols, std::move(content.values)};
}

/// Splits `joined` into A and b, its last `nrhs` columns.
System parted(const Matrix& joined, Index nrhs, const std::string& path) {
  if (joined.cols() <= nrhs)
    throw DimensionError(
        fmt::format("{} is {} x {}: no column is left for A beside {} right-hand side{}", path,
                    joined.rows(), joined.cols(), nrhs, nrhs == 1 ? "" : "s"));
  const Index n = joined.cols() - nrhs;
  System system{Matrix(joined.rows(), n), Matrix(joined.rows(), nrhs)};
  for (Index i = 0; i < joined.rows(); ++i) {
    std::ranges::copy(joined.row(i).first(n), system.a.row(i).begin());
    std::ranges::copy(joined.row(i).subspan(n), system.b.row(i).begin());
  }
  return system;
}

System read_files(const LstsqCommand& command, const ReadOptions& options) {
  if (command.rhs.empty()) {
    io::SystemContent content =
        io::read_system_content(command.path, options, io::Numbers::real, " --rhs ");
    if (!content.b) return parted(matrix_of(std::move(content.a)), command.nrhs, command.path);
    return {matrix_of(std::move(content.a)), matrix_of(*std::move(content.b))};
  }
  Matrix a = read_matrix(command.path, options);
  if (io::is_augmented(command.rhs)) return parted(a, command.nrhs, command.path);
  Matrix b = io::read_right_hand_sides(command.rhs, a, command.path, options);
  return {std::move(a), std::move(b)};
}

ExitCode lstsq_exit_code(LeastSquaresStatus status) {
  return status == LeastSquaresStatus::ok               ? ExitCode::ok
         : status == LeastSquaresStatus::rank_deficient ? ExitCode::singular
                                                        : ExitCode::inaccurate;
}

bool has_answer(LeastSquaresStatus status) {
  return status == LeastSquaresStatus::ok || status == LeastSquaresStatus::inaccurate;
}

double largest_of(const std::vector<double>& norms) {
  return norms.empty() ? 0 : *std::ranges::max_element(norms);
}

/// The square root of the minimum, with its formula; empty if x minimizes ||b - A x||.
std::string objective_text(const LeastSquares& answer, const LeastSquaresOptions& options) {
  const bool weighted = !options.weights.empty();
  if (!weighted && options.ridge == 0) return "";
  return fmt::format("({}{})^1/2 {:.3g}, ", weighted ? "sum_i w_i (b - A x)_i^2" : "||b - A x||^2",
                     options.ridge > 0 ? fmt::format(" + {:g} ||x||^2", options.ridge) : "",
                     largest_of(answer.objective_norms));
}

std::string verdict_of(const LeastSquares& answer, const System& system,
                       const LeastSquaresOptions& options) {
  const Index m = system.a.rows(), n = system.a.cols();
  switch (answer.status) {
    case LeastSquaresStatus::rank_deficient:
      return fmt::format(
          "DEFICIENT  A has the rank {}, not {}, to the tolerance {:.3g} (rcond {:.1e}): x is not "
          "unique; remove {} {} that depend{} on others{}\n",
          answer.rank, std::min(m, n), answer.tolerance, answer.rcond, std::min(m, n) - answer.rank,
          m < n ? "row(s)" : "column(s)", std::min(m, n) - answer.rank == 1 ? "s" : "",
          answer.type == RealType::f32 ? ", or use --type f64, which may separate them" : "");
    case LeastSquaresStatus::overflow:
      return fmt::format(
          "OVERFLOW   A or b holds NaN or Inf, or numbers left the range of {}; no x\n",
          real_type_name(answer.type));
    case LeastSquaresStatus::ok:
    case LeastSquaresStatus::inaccurate:
      break;
  }
  const bool ok = answer.status == LeastSquaresStatus::ok;
  return fmt::format("residual   ||b - A x|| {:.3g}, {}{} {:.3g} ({} {:g})\n",
                     largest_of(answer.residual_norms), objective_text(answer, options),
                     m < n ? "scaled residual" : "scaled A^T (b - A x)", answer.scaled_residual,
                     ok ? "ok: <=" : "MISSED: not <=", options.max_scaled_residual);
}

}  // namespace

CommandTable lstsq_table() {
  static const std::string bound = fmt::format("{}", kScaledResidualBound);
  static const std::string about_format = format_help("format of A");
  CommandTable table{kLstsqUsage, kLstsqAbout, kLstsqExamples, {}, "a b"};
  // clang-format off
  table.group("System")
      ("a", file("A")->required(), "the file with A, or [A | b]; - is standard input")
      ("b", file("B"), "the same as --rhs B")
      ("rhs", words_or_file("B", kLstsqRhsWords)->default_value(""),
       "a file with b, one right-hand side a column (a single row is a column), ones (b = 1), "
       "row-sums (b = A 1), or augmented: the last columns of A (the default)")
      ("nrhs", po::value<Index>()->default_value(1)->value_name("K"),
       "of an augmented A: so many last columns are b")
      ("format", format_words(), about_format.c_str())
      ("allow-nonfinite", po::bool_switch(), "accept NaN and Inf in the files");
  table.group("Method")
      ("type", words("T", type_words())->default_value("auto"),
       "of the factors: f32, f64, or auto: f64 where the device has it")
      ("accuracy", words("A", kLstsqAccuracies)->default_value("auto"),
       "of x: double (from factors in f32 by refinement with residuals in f64), single, or auto: "
       "that of --type if it is given, else double")
      ("rank-tolerance", po::value<double>()->value_name("T"),
       "what is below T times the largest counts as 0 where the rank is told; else eps max(m, n), "
       "eps 2^-52 (f64) or 2^-23 (f32)")
      ("require-full-rank", po::bool_switch(),
       "a rank below min(m, n) ends with exit code 7 and without x")
      ("ridge", po::value<double>()->default_value(0, "0")->value_name("LAMBDA"),
       "add LAMBDA ||x||^2 (not its square) to what x minimizes; at least 0")
      ("weights", file("FILE"),
       "a file with w, m numbers of at least 0: minimize sum_i w_i (b - A x)_i^2");
  table.group("Answer")
      ("output,o", output_file("FILE")->default_value("-"), "write x here, in the format of the extension")
      ("output-format", format_words(), "format of x; else by the extension of -o")
      ("digits", digits_value(), kDigitsHelp)
      ("max-residual", po::value<double>()->default_value(kScaledResidualBound, bound)->value_name("R"),
       "m >= n: ||A^T r|| / (eps m ||A^T|| (||A|| ||x|| + ||b||)), r = b - A x, up to which x is "
       "accepted; m < n: ||r|| / (eps n (||A|| ||x|| + ||b||)); with --ridge or --weights of what is "
       "factored");
  // clang-format on
  add_report_options(table, kJsonBesideX);
  return table;
}

namespace {

/// The result of a run.
struct Finished {
  const System& system;
  const LeastSquares& answer;
  const LeastSquaresOptions& options;
  const UsedDevice& device;
  Json seconds;
};

Json norms_json(const std::vector<double>& norms) {
  Json json = Json::array();
  for (const double norm : norms) json.push_back(finite_or_null(norm));
  return json;
}

Json report_of(const Finished& run) {
  const auto& [system, answer, options, device, seconds] = run;
  Json report{{"schema_version", 1},
              {"status", least_squares_status_name(answer.status)},
              {"m", system.a.rows()},
              {"n", system.a.cols()},
              {"nrhs", system.b.cols()},
              {"method", "qr"},
              {"type", real_type_name(answer.type)},
              {"accuracy", accuracy_name(answer.accuracy)},
              {"corrections", answer.corrections},
              {"device", device_json(device)},
              {"kernels", kernels_json(device.kernels)},
              {"time_s", seconds}};
  report["ridge"] = options.ridge;
  report["weighted"] = !options.weights.empty();
  report["residual_norms"] = norms_json(answer.residual_norms);
  report["objective_norms"] = norms_json(answer.objective_norms);
  report["scaled_residual"] =
      has_answer(answer.status) ? finite_or_null(answer.scaled_residual) : Json(nullptr);
  report["rcond"] = finite_or_null(answer.rcond);
  report["rank"] = answer.rank;
  report["nullity"] = answer.nullity;
  report["tolerance"] = answer.tolerance;
  return report;
}

std::string trust_text(const LeastSquares& answer, Index full) {
  const std::string rank =
      answer.rank < full ? fmt::format("rank {} of {} to the tolerance {:.2g}", answer.rank, full,
                                       answer.tolerance)
                         : fmt::format("rank {}, R's rcond {:.1e}", answer.rank, answer.rcond);
  return fmt::format(
      "estimate   {}{}\n", rank,
      answer.nullity == 0
          ? ""
          : fmt::format(", null space of dimension {}: x is the least of many", answer.nullity));
}

std::string summary_of(const Finished& run, bool verbose) {
  const LeastSquares& answer = run.answer;
  const Matrix& a = run.system.a;
  const Index nrhs = run.system.b.cols();
  return fmt::format("system     {} x {}, {} right-hand side{}, QR in {}{}\n", a.rows(), a.cols(),
                     nrhs, nrhs == 1 ? "" : "s", real_type_name(answer.type),
                     answer.corrections > 0
                         ? fmt::format(", refined in {} steps", answer.corrections)
                         : "") +
         device_text(run.device, verbose) + times_text(run.seconds) +
         (has_answer(answer.status) ? trust_text(answer, std::min(a.rows(), a.cols())) : "");
}

}  // namespace

ExitCode run_lstsq(const Given& given) {
  const LstsqCommand command(given.values);
  LapTimer total, timer;
  ProgramTimes times;
  ProgressLine line(!command.quiet);
  const ProgressCallback progress = shown_on(line);
  OutputFile file(command.output);
  JsonOutput json(given.values);
  OpeningContext opening(command.device, command.context, progress, command.quiet);
  LeastSquaresOptions solved = command.options;
  const System system = opening.beside([&](const ProgressCallback& reading) {
    ReadOptions options = command.read;
    if (command.quiet) options.note = {};
    options.progress = reading;
    System read = read_files(command, options);
    if (command.weights)
      solved.weights = io::read_weights(*command.weights, read.a, command.path, options);
    return read;
  });
  times.read = timer.lap();
  Context& context = opening.take();
  times.device = timer.lap();
  const LeastSquares answer = least_squares(context, system.a, system.b, solved, progress);
  line.clear();
  timer.lap();
  if (has_answer(answer.status)) {
    write_matrix(file, answer.x, command.format, command.write);
    file.commit();
  }
  times.write = timer.lap();
  const UsedDevice device = opening.close();
  times.free = timer.lap();
  times.total = total.lap();

  const Finished run{system, answer, solved, device,
                     times_json(times, answer.times, "forward", "backward")};
  if (command.json) json.write(report_of(run));
  const std::string verdict = verdict_of(answer, system, solved);
  if (!command.quiet)
    tell(painted_summary(summary_of(run, command.verbose) + verdict));
  else if (answer.status != LeastSquaresStatus::ok)
    tell(painted_summary(verdict));
  return lstsq_exit_code(answer.status);
}

}  // namespace clgauss::cli
