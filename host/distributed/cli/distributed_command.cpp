#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <clgauss/device.hpp>
#include <clgauss/distributed.hpp>
#include <clgauss/io.hpp>
#include <clgauss/solve.hpp>
#include <csignal>
#include <cstring>

#include "cli/commands.hpp"
#include "cli/determinant_report.hpp"
#include "cli/report.hpp"
#include "command_line/colour.hpp"
#include "command_line/interrupt.hpp"
#include "command_line/progress_line.hpp"
#include "command_line/typed.hpp"
#include "distributed/ranks.hpp"
#include "io/formats.hpp"
#include "io/temporary.hpp"
#include "matrix/transfer.hpp"

namespace clgauss::cli {

namespace {

using Json = nlohmann::ordered_json;

std::uint64_t parse_bytes(const std::string& option, const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (error == std::errc{} && number > 0)
    for (const auto& [unit, bytes] : kUnits)
      if (std::string_view(rest, static_cast<std::size_t>(end - rest)) == unit)
        return static_cast<std::uint64_t>(number * bytes);
  throw UsageError(
      fmt::format("--{} '{}' is not an amount of memory: write a number above 0 with KB, MB, GB or "
                  "TB, as in 8GB",
                  option, text));
}

EngineOptions engine_options(const po::variables_map& values) {
  EngineOptions options;
  options.devices = option<std::string>(values, "devices").value_or("all");
  if (const auto memory = option<std::string>(values, "memory"))
    options.memory_bytes = parse_bytes("memory", *memory);
  if (const auto folder = option<std::string>(values, "spill")) options.spill = *folder;
  options.context = context_options(values);
  return options;
}

DistributedOptions factor_options(const po::variables_map& values) {
  DistributedOptions options;
  options.type =
      parse_word("type", values["type"].as<std::string>(), type_words()).value_or(RealType::f64);
  options.equilibration =
      parse_word("equilibrate", values["equilibrate"].as<std::string>(), equilibration_words());
  const auto write = option<std::string>(values, "checkpoint"),
             resume = option<std::string>(values, "resume");
  if (write && resume && *write != *resume)
    throw UsageError("--resume continues in its own folder: leave --checkpoint out");
  if (write || resume) {
    options.checkpoint.emplace();
    options.checkpoint->folder = resume ? *resume : *write;
    options.checkpoint->resume = resume.has_value();
    options.checkpoint->every_s = parse_duration(values["every"].as<std::string>()).count();
  }
  options.keep_steps = values.count("trace") > 0;
  return options;
}

DistributedSolveOptions distributed_options(const po::variables_map& values) {
  DistributedSolveOptions options{factor_options(values)};
  if (values["accuracy"].as<std::string>() != "double")
    options.accuracy = Accuracy::single_precision;
  options.trust = !values["no-rcond"].as<bool>();
  options.determinant = values["determinant"].as<bool>();
  options.max_scaled_residual = values["max-residual"].as<double>();
  if (!(options.max_scaled_residual > 0)) throw UsageError("--max-residual must be above 0");
  return options;
}

/// A and b of the command line. From an .npy file every rank reads what it needs. Any other file is
/// read by the first rank, which sends each rank its columns.
struct Problem {
  std::unique_ptr<ColumnSource> source;
  MakeRightHandSides b;
};

void share(const Ranks& ranks, Matrix& matrix) {
  std::array<double, 2> shape{static_cast<double>(matrix.rows()),
                              static_cast<double>(matrix.cols())};
  ranks.broadcast(0, shape);
  if (ranks.rank() != 0)
    matrix = Matrix(static_cast<Index>(shape[0]), static_cast<Index>(shape[1]));
  ranks.broadcast(0, matrix.values());
}

Problem read_problem(const po::variables_map& values, const Engine& engine,
                     const ProgressCallback& progress) {
  const Ranks& ranks = engine.world();
  const std::string path = values["system"].as<std::string>(),
                    rhs = values["rhs"].as<std::string>();
  ReadOptions read;
  if (values.count("format") > 0) read.format = output_format(values, "format", {});
  read.progress = progress;
  Problem problem;
  ranks.together([&] {
    if (!io::is_augmented(rhs) && (!read.format || *read.format == FileFormat::npy))
      problem.source = columns_of_npy(path);
    if (!ranks.alone() && path != "-" && ::access(path.c_str(), R_OK) != 0)
      throw FileError(path, std::strerror(errno));
  });
  double by_columns = problem.source != nullptr ? 1 : 0;
  ranks.add_up({&by_columns, 1});
  if (by_columns > 0 && by_columns < ranks.count())
    throw UsageError(path + " is not the same on all ranks");
  if (problem.source) {
    if (rhs == "row-sums") {
      problem.b = [](DistributedLu& lu) {
        const Index n = lu.n();
        const Matrix ones(n, 1, Values(n, 1.0));
        Matrix sums = lu.subtract_product(Matrix(n, 1), ones);
        for (double& sum : sums.values()) sum = -sum;
        return sums;
      };
      return problem;
    }
    Matrix b;
    ranks.together([&] {
      if (ranks.rank() != 0) return;
      b = rhs == "ones" ? Matrix(problem.source->n(), 1, Values(problem.source->n(), 1.0))
                        : read_matrix(rhs, {});
      if (b.rows() == 1 && b.rows() != problem.source->n())
        b = Matrix(b.cols(), 1, Values(b.values().begin(), b.values().end()));
      if (b.rows() != problem.source->n())
        throw DimensionError(
            fmt::format("{} has {} rows, A has {}", rhs, b.rows(), problem.source->n()));
    });
    share(ranks, b);
    problem.b = [b](DistributedLu&) { return b; };
    return problem;
  }
  System system;
  ranks.together([&] {
    if (ranks.rank() == 0) system = read_system(path, rhs, read);
  });
  share(ranks, system.b);
  problem.source = columns_of_first_rank(engine, std::move(system.a));
  problem.b = [b = std::move(system.b)](DistributedLu&) { return b; };
  return problem;
}

double gflops(Index n, double time) {
  return 2.0 / 3 * std::pow(static_cast<double>(n), 3) / time / 1e9;
}

std::string device_text(const Engine& engine) {
  std::string text;
  for (const DeviceUse& use : engine.use())
    text +=
        fmt::format("device     {}: busy {:.2f} s, waiting {:.2f} s, in {:.0f} MB, out {:.0f} MB\n",
                    use.name, use.busy_s, use.waiting_s, static_cast<double>(use.bytes_in) / 1e6,
                    static_cast<double>(use.bytes_out) / 1e6);
  return text;
}

std::string verdict_text(const DistributedSolution& solution, double bound) {
  if (solution.failed_column)
    return fmt::format("singular   the pivot of column {} is zero or not a number\n",
                       *solution.failed_column + 1);
  const bool good = solution.status == SolveStatus::ok;
  return fmt::format("residual   {:.3g} (scaled; {} {}){}\n", solution.residual.scaled,
                     good ? "<=" : "not <=", bound, good ? "" : ": not as accurate as asked for");
}

std::string summary(const Engine& engine, Index nrhs, const DistributedSolveOptions& options,
                    const DistributedSolution& solution, Index n) {
  std::string text = fmt::format(
      "system     n = {}, {} right-hand side{}, LU in {} by blocks of {} columns\n", n, nrhs,
      nrhs == 1 ? "" : "s", real_type_name(solution.type), solution.block_columns);
  text += scaling_text(solution);
  if (engine.ranks() > 1) text += fmt::format("ranks      {}\n", engine.ranks());
  text += device_text(engine);
  if (solution.resumed_blocks > 0)
    text += fmt::format("resumed    after {} blocks\n", solution.resumed_blocks);
  text += refinement_text(solution);
  text +=
      fmt::format("times      load {:.2f} s, solve {:.2f} s ({:.1f} GFLOP/s), check {:.2f} s\n",
                  solution.load_s, solution.solve_s, gflops(n, solution.solve_s), solution.check_s);
  if (options.determinant)
    text += fmt::format("det A      {}\n", determinant_text(solution.determinant));
  return text + trust_text(solution);
}

Json report(const Engine& engine, Index nrhs, const DistributedSolveOptions& options,
            const DistributedSolution& solution, Index n) {
  Json devices = Json::array();
  for (const DeviceUse& use : engine.use())
    devices.push_back({{"name", use.name},
                       {"busy_s", use.busy_s},
                       {"waiting_s", use.waiting_s},
                       {"bytes_in", use.bytes_in},
                       {"bytes_out", use.bytes_out}});
  Json json{
      {"schema_version", 1},
      {"status", solve_status_name(solution.status)},
      {"n", n},
      {"nrhs", nrhs},
      {"type", real_type_name(solution.type)},
      {"ranks", engine.ranks()},
      {"devices", devices},
      {"block_columns", solution.block_columns},
      {"resumed_blocks", solution.resumed_blocks},
      {"equilibration",
       {{"mode", equilibration_name(options.lu.equilibration)},
        {"rows", solution.scaled_rows},
        {"columns", solution.scaled_columns}}},
      {"refinement", refinement_json(solution.refinement)},
      {"error_estimate", trust_json(solution.trust)},
      {"determinant", options.determinant ? determinant_json(solution.determinant) : Json(nullptr)},
      {"time_s",
       {{"load", solution.load_s}, {"solve", solution.solve_s}, {"check", solution.check_s}}},
      {"gflops", gflops(n, solution.solve_s)}};
  if (solution.failed_column)
    json["singular_column"] = *solution.failed_column + 1;
  else
    json["scaled_residual"] = solution.residual.scaled;
  return json;
}

std::array<char, 400> abort_message{};

/// StarPU aborts the program when a device fails.
void on_abort(int /*signal*/) {
  if (::write(STDERR_FILENO, abort_message.data(), std::strlen(abort_message.data())) < 0) {
    // stderr cannot be written; nothing else can be done.
  }
  io::remove_temporaries();
  ::_exit(static_cast<int>(ExitCode::opencl));
}

/// Prepares the message that on_abort() prints about `devices`.
void prepare_for_abort(const std::string& devices) {
  const std::string text = fmt::format(
      "clgauss: {}: a call of StarPU failed (its message is above): the device or its memory may "
      "be at fault\n",
      devices);
  abort_message[text.copy(abort_message.data(), abort_message.size() - 1)] = 0;
}

ExitCode solve_on(Engine& engine, const Given& given, const Ranks& ranks) {
  const po::variables_map& values = given.values;
  const bool first = ranks.rank() == 0, quiet = values["quiet"].as<bool>() || !first;
  const DistributedSolveOptions options = distributed_options(values);
  const std::string output = values["output"].as<std::string>();
  const FileFormat format = output_format(values, "output-format", output);
  const WriteOptions write = write_options(values, format);
  const auto trace = option<std::string>(values, "trace");
  ProgressLine line(!quiet);
  const ProgressCallback progress = shown_on(line);
  std::optional<OutputFile> x, json;
  ranks.together([&] {
    if (!first) return;
    keep_report_apart(option<std::string>(values, "json"), output);
    x.emplace(output);
    if (const auto path = option<std::string>(values, "json")) json.emplace(*path);
  });
  const Problem problem = read_problem(values, engine, progress);
  const Index n = problem.source->n();
  Index nrhs = 0;
  const DistributedSolution solution = solve_distributed(
      engine, *problem.source,
      [&](DistributedLu& lu) {
        Matrix b = problem.b(lu);
        nrhs = b.cols();
        return b;
      },
      options, progress);
  line.clear();
  const bool good = solution.status == SolveStatus::ok,
             strict = values["strict"].as<bool>() && good;
  ranks.together([&] {
    if (trace) write_trace(engine, *trace);
    if (!first) return;
    if (!solution.failed_column) {
      write_matrix(*x, solution.x, format, write);
      x->commit();
    }
    if (json) {
      json->write(report(engine, nrhs, options, solution, n).dump(2) + "\n");
      json->commit();
    }
    if (!quiet) tell(painted_summary(summary(engine, nrhs, options, solution, n)));
    if (!quiet || !good)
      tell(painted_summary(verdict_text(solution, options.max_scaled_residual)));
    else if (strict)
      tell(painted_summary(doubt_text(solution)));
  });
  if (solution.failed_column) return ExitCode::singular;
  if (!good) return ExitCode::inaccurate;
  return strict && !doubt_text(solution).empty() ? ExitCode::doubtful : ExitCode::ok;
}

}  // namespace

ExitCode run_distributed(const Given& given) {
  if (given.values["strict"].as<bool>() && given.values["no-rcond"].as<bool>())
    throw UsageError("--strict needs rcond, which --no-rcond leaves out: give one of them");
  share_cores_among_ranks();
  (void)list_devices();  // drivers with LLVM take over SIGABRT when they are loaded
  prepare_for_abort("devices " + engine_options(given.values).devices);
  std::signal(SIGABRT, on_abort);
  try {
    Engine engine(engine_options(given.values));
    std::string names;
    for (const DeviceProfile& device : engine.devices())
      names += (names.empty() ? "" : ", ") + device.name;
    prepare_for_abort(names);
    return solve_on(engine, given, engine.world());
  } catch (const Error& error) {
    if (has_ranks()) {
      tell(fmt::format("clgauss: {}\n", error.what()));
      interrupt_is_told();
      io::remove_temporaries();
      end_all_ranks(static_cast<int>(exit_code_of(error)));
    }
    throw;
  }
}

}  // namespace clgauss::cli
