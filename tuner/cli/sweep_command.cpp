#include <fmt/format.h>

#include <algorithm>

#include "statistics.hpp"
#include "tuner/cli/experiment_options.hpp"
#include "tuner/measure/ranges.hpp"

namespace clgauss::tune {

namespace {

constexpr cli::CommandHelp kHelp{
    "clgauss-tune sweep --sizes N,N:N:N --local L,L:L:L -o FOLDER [options]",
    "Times the elimination of n unknowns by gauss_fwd, the kernel of Baranov and Vlatskaya (2013), "
    "with each work-group size:\n"
    "their figures 3 to 6. Every size is checked before it is timed, and leaves rows whatever "
    "comes of it.",
    "  clgauss-tune sweep --sizes 100:900:100 --local 1,32,64,128:896:64 -o results/gt\n"
    "  clgauss-tune sweep --sizes 1000:10000:1000 --local 32,64:1024:64 --budget 10min -o "
    "results/large\n"
    "  clgauss-tune sweep --sizes 1012 --local 64:1024:64 --full --device nvidia: -o results/full"};

std::vector<Contest> contests_of(const std::vector<std::size_t>& sizes,
                                 const std::vector<std::size_t>& locals) {
  std::vector<Contest> contests;
  for (const std::size_t n : sizes)
    for (const std::size_t local : locals)
      contests.push_back({n, {{"fixed", {WorkGroupPolicy::Rule::fixed, local}}}});
  return contests;
}

/// For each n the best size and what the others cost.
std::string summary_text(const std::vector<std::vector<Point>>& grouped) {
  struct Line {
    std::size_t best_local = 0, worst_local = 0, ok = 0, failed = 0;
    double best_ms = 0, worst_ms = 0;
  };
  std::map<std::size_t, Line> lines;
  for (const auto& points : grouped)
    for (const Point& point : points) {
      Line& line = lines[point.row.n];
      if (point.times_ns.empty()) {
        ++line.failed;
        continue;
      }
      const double ms = median(point.times_ns) / 1e6;
      if (line.ok == 0 || ms < line.best_ms)
        std::tie(line.best_local, line.best_ms) = std::pair(point.row.local, ms);
      if (line.ok == 0 || ms > line.worst_ms)
        std::tie(line.worst_local, line.worst_ms) = std::pair(point.row.local, ms);
      ++line.ok;
    }
  std::string text =
      "       n  best local     best ms  worst local    worst ms  worst/best  sizes  failed\n";
  for (const auto& [n, line] : lines)
    text +=
        line.ok == 0
            ? fmt::format(
                  "{:8}           -           -            -           -           -  {:5}  {:6}\n",
                  n, 0, line.failed)
            : fmt::format("{:8}  {:10}  {:10.4g}  {:11}  {:10.4g}  {:10.2f}  {:5}  {:6}\n", n,
                          line.best_local, line.best_ms, line.worst_local, line.worst_ms,
                          line.worst_ms / line.best_ms, line.ok, line.failed);
  return text;
}

}  // namespace

ExitCode run_sweep(const Arguments& arguments) {
  cli::po::options_description options("Options");
  // clang-format off
  options.add_options()
      ("sizes", cli::po::value<std::string>()->required()->value_name("LIST"), "unknowns n: numbers and ranges first:last:step")
      ("local", cli::po::value<std::string>()->required()->value_name("LIST"), "work-group sizes, likewise");
  // clang-format on
  add_experiment_options(options);
  const auto values = cli::parse_options(arguments, options, kHelp);
  if (!values) return ExitCode::ok;
  const auto sizes = parse_sizes("sizes", (*values)["sizes"].as<std::string>());
  const auto locals = parse_sizes("local", (*values)["local"].as<std::string>());
  return run_experiment(
      arguments, *values,
      {"sweep", [&](DeviceContext&, RealType) { return contests_of(sizes, locals); },
       summary_text});
}

}  // namespace clgauss::tune
