// clgauss invert, det, cond and inertia: commands about a single matrix.

#include <fmt/format.h>

#include <clgauss/complex.hpp>
#include <clgauss/inverse.hpp>
#include <clgauss/io.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <variant>

#include "cli/certificate.hpp"
#include "cli/commands.hpp"
#include "cli/determinant_report.hpp"
#include "cli/kernels_report.hpp"
#include "cli/open_context.hpp"
#include "cli/report.hpp"
#include "command_line/colour.hpp"
#include "command_line/progress_line.hpp"
#include "io/formats.hpp"
#include "lap_timer.hpp"
#include "linalg/solve/methods.hpp"
#include "matrix/transfer.hpp"

namespace clgauss::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMatrixUsage = "MATRIX [options]";
constexpr const char* kMatrix =
    " MATRIX holds the square A: text, Matrix Market, .npy, .npz, CSV, TSV, .mat, HDF5, each also "
    "as gzip; FILE:ARRAY names one array of several; - is standard input. Of .mtx, .npy and .mat "
    "its numbers may be complex.";

const WordTable<Method> kMatrixMethods{{"auto", Method::automatic},
                                       {"lu", Method::lu},
                                       {"cholesky", Method::cholesky},
                                       {"ldlt", Method::ldlt}};
/// The methods that can compute an inverse.
const WordTable<Method> kInverseMethods{
    {"auto", Method::automatic}, {"lu", Method::lu}, {"cholesky", Method::cholesky}};
/// The method that gives the inertia.
const WordTable<Method> kInertiaMethods{{"ldlt", Method::ldlt}};
const WordTable<std::optional<Accuracy>> kMatrixAccuracies{{"auto", std::nullopt},
                                                           {"single", Accuracy::single_precision},
                                                           {"double", Accuracy::double_precision}};

std::string method_help(const WordTable<Method>& methods) {
  std::string text;
  for (const auto& [name, method] : methods) {
    if (!text.empty()) text += ", ";
    text += name;
    if (row_of(method).symmetric) text += fmt::format(" ({})", row_of(method).help);
  }
  return text;
}

/// The options that all these commands share; the first of `methods` is the default.
CommandTable matrix_table(std::string_view about, std::string_view examples,
                          const WordTable<Method>& methods = kMatrixMethods) {
  static const std::string about_format = format_help("format of MATRIX");
  CommandTable table{kMatrixUsage, about, examples, {}, "matrix"};
  // clang-format off
  table.group("Matrix")
      ("matrix", file("MATRIX")->required(), "the file with A; - is standard input")
      ("format", format_words(), about_format.c_str())
      ("allow-nonfinite", po::bool_switch(), "accept NaN and Inf in the file");
  table.group("Method")
      ("method", words("M", methods)->default_value(std::string(methods.front().first)), method_help(methods).c_str())
      ("type", words("T", type_words())->default_value("auto"),
       "of the factors: f32, f64, or auto: f64 where the device has it")
      ("accuracy", words("A", kMatrixAccuracies)->default_value("auto"),
       "double, single, or auto: that of --type if it is given, else double where the device has "
       "fp64");
  // clang-format on
  return table;
}

/// The options as given.
struct MatrixCommand {
  std::string path, device;
  ReadOptions read;
  ContextOptions context;
  Method method = Method::automatic;
  std::optional<RealType> type;
  bool quiet = false, verbose = false;

  explicit MatrixCommand(const po::variables_map& values,
                         const WordTable<Method>& methods = kMatrixMethods) {
    const auto text = [&](const char* name) { return values[name].as<std::string>(); };
    path = text("matrix");
    device = text("device");
    if (values.count("format") > 0) read.format = output_format(values, "format", {});
    read.allow_nonfinite = values["allow-nonfinite"].as<bool>();
    context = context_options(values);
    method = parse_word("method", text("method"), methods);
    type = parse_word("type", text("type"), type_words());
    const auto accuracy = parse_word("accuracy", text("accuracy"), kMatrixAccuracies);
    if (accuracy == Accuracy::double_precision && type == RealType::f32)
      throw UsageError("--accuracy double needs factors in f64: leave --type f32 out");
    if (accuracy == Accuracy::single_precision && type == RealType::f64)
      throw UsageError("--accuracy single means factors in f32: leave --type f64 out");
    if (accuracy && !type)
      type = accuracy == Accuracy::single_precision ? RealType::f32 : RealType::f64;
    quiet = values["quiet"].as<bool>();
    verbose = is_verbose(values);
  }
};

/// A, and the context of the device that it goes to.
struct Opened {
  std::variant<Matrix, ComplexMatrix> a;
  Context& context;
};

/// Reads A while the device is opened. With `complex_by_lu`, the command takes complex matrices by
/// no other method.
Opened open(const MatrixCommand& command, OpeningContext& opening, ProgramTimes& times,
            bool complex_by_lu = false) {
  LapTimer timer;
  auto a = opening.beside([&](const ProgressCallback& reading) {
    ReadOptions options = command.read;
    if (command.quiet) options.note = {};
    options.progress = reading;
    std::variant<Matrix, ComplexMatrix> any = read_any_matrix(command.path, options);
    std::visit(
        [&](const auto& read) {
          if (read.rows() != read.cols() || read.rows() == 0)
            throw DimensionError(fmt::format("{}: the matrix is {} x {}, not square", command.path,
                                             read.rows(), read.cols()));
        },
        any);
    if (complex_by_lu && std::holds_alternative<ComplexMatrix>(any) &&
        row_of(command.method).symmetric)
      throw UsageError(fmt::format("--method {} inverts real matrices, and A is complex: use lu",
                                   method_name(command.method)));
    return any;
  });
  times.read = timer.lap();
  Context& context = opening.take();
  times.device = timer.lap();
  return {std::move(a), context};
}

/// The results of det, cond and inertia. They factor A without right-hand sides; `tell` turns the
/// result into a line for standard output, its JSON and the exit code.
struct Told {
  std::string line;
  const char* key;
  Json json;
  std::string warning = {};  // for stderr
  ExitCode code = ExitCode::ok;
};

/// What is proven of det A.
struct Proof {
  bool proven;
  std::string text;
  Json json;
};

/// With `proof`, det A is certified, too, before `tell_of` is called.
template <typename Tell>
ExitCode run_factors(const Given& given, const Tell& tell_of,
                     const WordTable<Method>& methods = kMatrixMethods,
                     std::optional<Proof>* proof = nullptr) {
  const MatrixCommand command(given.values, methods);
  JsonOutput json(given.values);
  LapTimer total;
  ProgramTimes times;
  ProgressLine line(!command.quiet);
  const ProgressCallback progress = shown_on(line);
  OpeningContext opening(command.device, command.context, progress, command.quiet);
  auto [a, context] = open(command, opening, times);
  SolveOptions options;
  options.method = command.method;
  options.type = command.type;
  options.determinant = options.trust = true;
  if (!context.profile().fp64 && !command.type) options.accuracy = Accuracy::single_precision;
  const auto finish = [&](const auto& solution, Index n) -> ExitCode {
    line.clear();
    const UsedDevice device = opening.close();
    times.total = total.lap();
    Report report{device, options, solution, n, 0, times};
    report.verbose = command.verbose;
    // With an exactly zero pivot, both the determinant and the condition number are known.
    const bool answers = has_answer(solution.status) ||
                         (solution.status == SolveStatus::singular && solution.failed_pivot == 0);
    Json all = report_json(report);
    for (const char* key : {"nrhs", "refinement", "certificate", "backward_error",
                            "scaled_residual", "ndrange", "work_group", "iterations"})
      all.erase(key);
    if (!command.quiet) tell(work_text(report));
    if (!answers) {
      tell(painted_summary(verdict_text(report)));
      json.print("", all);
      return exit_code_of(solution.status);
    }
    const Told told = tell_of(solution);
    all["status"] = told.code == ExitCode::ok ? "ok" : "inaccurate";
    all[told.key] = told.json;
    json.print(told.line, all);
    if (!told.warning.empty()) tell(painted_summary(told.warning));
    return told.code;
  };
  const auto proven_too = [&](auto solution, const auto& system) {
    if (proof != nullptr) {
      const auto certificate = timed_proof(context, solution.times, times, [&] {
        return certify_determinant(context, system.a, {}, progress);
      });
      *proof = {certificate.proven, certificate_text(certificate), certificate_json(certificate)};
    }
    return finish(solution, system.a.rows());
  };
  if (auto* const complex = std::get_if<ComplexMatrix>(&a)) {
    const Index n = complex->rows();
    const ComplexSystem system{std::move(*complex), ComplexMatrix(n, 0)};
    return proven_too(solve_complex(context, system, options, progress), system);
  }
  Matrix& real = std::get<Matrix>(a);
  const Index n = real.rows();
  const System system{std::move(real), Matrix(n, 0)};
  return proven_too(solve(context, system, options, progress), system);
}

std::string residual_text(const InverseOutcome& inverse, double bound) {
  return fmt::format("residual   ||A X - I|| {:.3g}, scaled residual {:.3g} ({} {:g})\n",
                     inverse.residual, inverse.scaled_residual,
                     inverse.scaled_residual <= bound ? "ok: <=" : "MISSED: not <=", bound);
}

std::string verdict_of(const InverseOutcome& inverse, double bound) {
  switch (inverse.status) {
    case SolveStatus::singular:
      return fmt::format("SINGULAR   the pivot of column {} is {}; there is no inverse\n",
                         *inverse.failed_column + 1,
                         inverse.failed_pivot == 0 ? "exactly zero" : "not finite");
    case SolveStatus::not_positive_definite:
      return fmt::format(
          "INDEFINITE the pivot of column {} is {:.3g}: A is not positive definite, which --method "
          "cholesky needs; try --method lu\n",
          *inverse.failed_column + 1, inverse.failed_pivot);
    case SolveStatus::overflow:
      return fmt::format("OVERFLOW   numbers left the range of {}; no inverse\n",
                         number_name(inverse));
    case SolveStatus::ok:
    case SolveStatus::inaccurate:
      break;
  }
  return residual_text(inverse, bound);
}

/// The report of `invert`, as JSON and as the lines before the verdict.
struct InverseReport {
  const InverseOutcome& inverse;
  const UsedDevice& device;
  const ProgramTimes& times;
  const MethodRow& row;
  Index n = 0;
  const std::optional<Certificate>& certificate;

  [[nodiscard]] Json seconds() const {
    return times_json(times, inverse.times, "forward", "backward");
  }

  [[nodiscard]] Json json() const {
    const bool answered = has_answer(inverse.status);
    Json report{{"schema_version", 1},
                {"status", solve_status_name(inverse.status)},
                {"n", n},
                {"method", row.name},
                {"type", number_name(inverse)},
                {"device", device_json(device)},
                {"kernels", kernels_json(device.kernels)},
                {"time_s", seconds()}};
    report["residual"] = answered ? finite_or_null(inverse.residual) : Json(nullptr);
    report["scaled_residual"] = answered ? finite_or_null(inverse.scaled_residual) : Json(nullptr);
    report["rcond"] = answered ? finite_or_null(inverse.rcond) : Json(nullptr);
    report["certificate"] = certificate_json(certificate);
    if (inverse.complex) report["complex"] = true;
    if (inverse.failed_column) report["singular_column"] = *inverse.failed_column + 1;
    return report;
  }

  [[nodiscard]] std::string text(bool verbose) const {
    const std::string estimate =
        has_answer(inverse.status) ? fmt::format("estimate   rcond {:.1e}\n", inverse.rcond) : "";
    return fmt::format("matrix     n = {}, {}{}, {}\n", n, inverse.complex ? "complex, " : "",
                       number_name(inverse), row.told) +
           device_text(device, verbose) + times_text(seconds()) + estimate +
           (certificate ? certificate_text(*certificate, "X") : "");
  }
};

}  // namespace

CommandTable invert_table() {
  static const std::string about =
      std::string(
          "Computes the inverse X of a matrix on an OpenCL device and checks it by "
          "||A X - I||.") +
      kMatrix + " X goes to standard output or to -o, the summary to standard error.";
  static const std::string bound = fmt::format("{}", kScaledResidualBound);
  CommandTable table = matrix_table(about,
                                    "clgauss invert A.mtx -o X.mtx\nclgauss invert A.npy --method "
                                    "cholesky -o X.npy --json r.json",
                                    kInverseMethods);
  // clang-format off
  table.group("Answer")
      ("output,o", output_file("FILE")->default_value("-"), "write X here, in the format of the extension")
      ("output-format", format_words(), "format of X; else by the extension of -o")
      ("digits", digits_value(), kDigitsHelp)
      ("max-residual", po::value<double>()->default_value(kScaledResidualBound, bound)->value_name("R"),
       "||A X - I|| / (n eps ||A|| ||X||) up to which X is accepted")
      ("certify", po::bool_switch(),
       "prove bounds of the errors of X, every rounding error counted; many times the work (devices "
       "with fp64)");
  // clang-format on
  add_report_options(
      table,
      "write a report to FILE; without FILE, or to -, to standard output: then also pass -o for X");
  return table;
}

ExitCode run_invert(const Given& given) {
  const po::variables_map& values = given.values;
  const MatrixCommand command(values, kInverseMethods);
  const auto output = values["output"].as<std::string>();
  const FileFormat format = output_format(values, "output-format", output);
  const WriteOptions written = write_options(values, format);
  const auto json_path = option<std::string>(values, "json");
  InverseOptions options;
  options.type = command.type;
  options.lu.positive_definite = command.method == Method::cholesky;
  options.max_scaled_residual = values["max-residual"].as<double>();
  if (!(options.max_scaled_residual > 0)) throw UsageError("--max-residual must be above 0");
  keep_report_apart(json_path, output);

  LapTimer total;
  ProgramTimes times;
  ProgressLine line(!command.quiet);
  const ProgressCallback progress = shown_on(line);
  OutputFile file(output);
  JsonOutput json(values);
  OpeningContext opening(command.device, command.context, progress, command.quiet);
  const auto opened = open(command, opening, times, true);
  LapTimer timer;
  std::optional<Certificate> certificate;
  const auto written_out = [&](auto made, const auto& a) -> InverseOutcome {
    if (values["certify"].as<bool>() && has_answer(made.status))
      certificate = timed_proof(opened.context, made.times, times, [&] {
        return certify_inverse(opened.context, a, made.x, {}, progress);
      });
    line.clear();
    timer.lap();
    if (has_answer(made.status)) {
      write_matrix(file, made.x, format, written);
      file.commit();
    }
    times.write = timer.lap();
    return made;
  };
  const auto* const complex = std::get_if<ComplexMatrix>(&opened.a);
  if (complex != nullptr && !writes_complex(format))
    throw UsageError(fmt::format("X is complex and cannot be written as {}: write {}",
                                 file_format_name(format), io::formats_of_complex("or")));
  const InverseOutcome inverse =
      complex != nullptr
          ? written_out(invert_complex(opened.context, *complex,
                                       {command.type, options.max_scaled_residual}, progress),
                        *complex)
          : written_out(invert(opened.context, std::get<Matrix>(opened.a), options, progress),
                        std::get<Matrix>(opened.a));
  const Index n = std::visit([](const auto& a) { return a.rows(); }, opened.a);
  const UsedDevice device = opening.close();
  times.free = timer.lap();
  times.total = total.lap();

  const InverseReport report{
      inverse, device,
      times,   row_of(options.lu.positive_definite ? Method::cholesky : Method::lu),
      n,       certificate};
  if (json_path) json.write(report.json());
  const std::string verdict = verdict_of(inverse, options.max_scaled_residual);
  if (!command.quiet)
    tell(painted_summary(report.text(command.verbose) + verdict));
  else if (inverse.status != SolveStatus::ok)
    tell(painted_summary(verdict));
  else if (certificate && !certificate->proven)
    tell(painted_summary(certificate_text(*certificate, "X")));
  if (certificate && !certificate->proven) return ExitCode::inaccurate;
  return exit_code_of(inverse.status);
}

namespace {

/// Why not even the sign of the determinant is sure.
template <typename AnySolution>
std::string cause_of(const AnySolution& solution) {
  const double error = solution.determinant.relative_error;
  if (!solution.trust || !(error * solution.trust->reciprocal_growth < 1))
    return "A is nearly singular";
  return fmt::format(
      "the pivots grew {:.2g} times{}", 1 / solution.trust->reciprocal_growth,
      solution.method == Method::ldlt ? "" : "; if A is symmetric or Hermitian, try --method ldlt");
}

}  // namespace

CommandTable det_table() {
  static const std::string about =
      std::string(
          "Computes the determinant of a matrix on an OpenCL device as its sign (of a complex one: "
          "its phase) and the logarithm of its magnitude, which cannot overflow, with an estimate "
          "of its "
          "relative error.") +
      kMatrix +
      " An exactly zero pivot makes it 0. Where not even the sign is sure, or --certify proves "
      "nothing, the exit code is 8.";
  CommandTable table = matrix_table(about, "clgauss det A.mtx\nclgauss det A.npy --json");
  table.group("Answer")("certify", po::bool_switch(),
                        "prove the sign of det A (of a complex one: its phase) and enclose its "
                        "magnitude, every rounding error counted; five to ten times the work, for "
                        "a complex A ten to twenty times (devices with fp64)");
  add_report_options(table, "write a report to FILE; without FILE, or to -, in place of the text");
  return table;
}

ExitCode run_det(const Given& given) {
  std::optional<Proof> proof;
  const auto tell_of = [&proof](const auto& solution) {
    const auto& determinant = solution.determinant;
    const bool zero = std::isinf(determinant.log10_abs);
    Told told{fmt::format("det A      {}\n", determinant_text(determinant)), "determinant",
              determinant_json(determinant)};
    if (proof) {
      told.json["certificate"] = proof->json;
      (proof->proven ? told.line : told.warning) += proof->text;
      const bool has_digits = !zero && determinant.relative_error < 1;
      if (proof->proven && !has_digits)
        told.warning = "MISSED     the number above: its estimated error leaves no digit\n";
      if (!proof->proven || !has_digits) told.code = ExitCode::inaccurate;
    } else if (!zero && !(determinant.relative_error < 1)) {
      told.warning = fmt::format("MISSED     not even the {} of det A is sure: {}\n",
                                 solution.complex ? "phase" : "sign", cause_of(solution));
      told.code = ExitCode::inaccurate;
    }
    return told;
  };
  return run_factors(given, tell_of, kMatrixMethods,
                     given.values["certify"].as<bool>() ? &proof : nullptr);
}

CommandTable cond_table() {
  static const std::string about =
      std::string(
          "Estimates the condition ||A|| ||A^-1|| of a matrix in the 1-norm on an OpenCL "
          "device, as LAPACK's gecon does: almost never below a third of it.") +
      kMatrix + " A singular matrix has the condition inf.";
  CommandTable table = matrix_table(about, "clgauss cond A.mtx\nclgauss cond A.npy --json");
  add_report_options(table, "write a report to FILE; without FILE, or to -, in place of the text");
  return table;
}

ExitCode run_cond(const Given& given) {
  return run_factors(given, [](const SolveOutcome& solution) {
    const double rcond = solution.trust ? solution.trust->rcond : 0;
    const double eps = unit_roundoff(solution.type);
    Told told{fmt::format("cond A     {:.3g} (rcond {:.3g})\n", 1 / rcond, rcond),
              "condition",
              {{"norm", "1"}, {"estimate", finite_or_null(1 / rcond)}, {"rcond", rcond}}};
    if (rcond < eps)
      told.warning = fmt::format(
          "WARNING    A is singular to {}: the condition is above {:.1g}, and not known any "
          "better{}\n",
          number_name(solution), 1 / eps,
          solution.type == RealType::f32 ? "; a device with fp64 may tell" : "");
    return told;
  });
}

CommandTable inertia_table() {
  static const std::string about =
      std::string(
          "Counts the eigenvalues of a symmetric, or complex and Hermitian, matrix above, below "
          "and "
          "at 0 on an OpenCL device, from the pivots of L D L^T.") +
      kMatrix +
      " Zeros are pivots of exactly 0. Where A is so nearly singular that rounding may have moved "
      "an eigenvalue across 0, the exit code is 8.";
  CommandTable table =
      matrix_table(about, "clgauss inertia A.mtx\nclgauss inertia A.npy --json", kInertiaMethods);
  add_report_options(table, "write a report to FILE; without FILE, or to -, in place of the text");
  return table;
}

ExitCode run_inertia(const Given& given) {
  const auto tell_of = [](const auto& solution) {
    const Inertia inertia = solution.inertia.value();
    Told told{inertia_text(inertia), "inertia", inertia_json(inertia)};
    if (inertia.zero == 0 && !(solution.determinant.relative_error < 1)) {
      told.warning = fmt::format("MISSED     the inertia is not sure: {}\n", cause_of(solution));
      told.code = ExitCode::inaccurate;
    }
    return told;
  };
  return run_factors(given, tell_of, kInertiaMethods);
}

}  // namespace clgauss::cli
