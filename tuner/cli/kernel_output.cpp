#include "tuner/cli/kernel_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "tuner/report/kernel_section.hpp"

namespace clgauss::tune {

namespace {

using Json = nlohmann::ordered_json;

std::string build_options(const KernelTask& task, const KernelLaunch& launch) {
  std::string options = task.build_options;
  for (const auto& [name, value] : launch.macros)
    options += fmt::format("{}-D{}={}", options.empty() ? "" : " ", name, text_of(value));
  return options;
}

/// The call that launches the kernel so.
std::string cpp_line(const KernelTask& task, const KernelLaunch& launch) {
  const auto range = [](const std::vector<std::size_t>& sizes) {
    return sizes.empty() ? std::string("cl::NullRange")
                         : fmt::format("cl::NDRange({})", fmt::join(sizes, ", "));
  };
  const std::string options = build_options(task, launch);
  return fmt::format("queue.enqueueNDRangeKernel({}, cl::NullRange, {}, {});{}", task.name,
                     range(global_of(task, launch)), range(launch.local),
                     options.empty() ? "" : "  // built with " + options);
}

/// The best as it was timed at the end; null where the search was interrupted before.
const Timing* best_of(const ContestResult& comparison, const KernelTuning& tuning) {
  if (!tuning.best) return nullptr;
  const auto found = std::ranges::find_if(comparison.timings, [&](const Timing& timing) {
    return timing.ok() && timing.parameters == text_of(*tuning.best);
  });
  return found == comparison.timings.end() ? nullptr : &*found;
}

std::vector<T4Measurement> rates_of(const TunedSize& size, const Timing* best) {
  if (best == nullptr) return {};
  return rates_of(size.task, *size.tuning.best, 1e6 * best->ms.median);
}

std::string report_of_one(const TunedSize& size) {
  std::string report = fmt::format("{}: {} of {} launches tried\n", size.task.name,
                                   size.tuning.tried, size.tuning.size);
  for (const std::string& sentence : report::kernel_verdict(size.points)) report += sentence + '\n';
  const ContestResult comparison = report::last_comparison(size.points);
  for (const T4Measurement& rate : rates_of(size, best_of(comparison, size.tuning)))
    report += fmt::format("It reaches {:.4g} {}.\n", rate.value, rate.unit);
  for (const Table& table : report::kernel_tables(size.points)) report += text(table);
  if (size.tuning.best) report += "\nIn C++:\n  " + cpp_line(size.task, *size.tuning.best) + '\n';
  return report;
}

/// A row a size: its best launch.
Table size_table(const std::vector<TunedSize>& sizes) {
  Table table{"The fastest launch of each size", {"size", "launch", "time"}, {}, false};
  for (const LaunchRate& rate : sizes.front().task.rates)
    table.columns.emplace_back(rate.kind.unit);
  table.columns.emplace_back("times as fast as the driver's");
  for (const TunedSize& size : sizes) {
    const ContestResult comparison = report::last_comparison(size.points);
    const Timing* const best = best_of(comparison, size.tuning);
    std::vector<std::string> row{size_text(size.task.sizes),
                                 size.tuning.best ? text_of(*size.tuning.best) : "none",
                                 best == nullptr ? "" : text_of(best->ms) + " ms"};
    for (const T4Measurement& rate : rates_of(size, best))
      row.push_back(fmt::format("{:.4g}", rate.value));
    const Timing* const driver = comparison.of_rule("driver");
    row.resize(table.columns.size() - 1);
    row.push_back(best == nullptr || driver == nullptr || !driver->ok()
                      ? ""
                      : text_of(ratio_of(*driver, *best), 1, 3));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json json_of_one(const TunedSize& size, const std::string& noise) {
  const KernelTuning& tuning = size.tuning;
  const ContestResult comparison = report::last_comparison(size.points);
  Json json{{"kernel", size.task.name}, {"size", Json::object()},      {"space", tuning.size},
            {"tried", tuning.tried},    {"measured", tuning.measured}, {"failures", Json::object()},
            {"noise", nullptr},         {"control_floor", nullptr},    {"best", nullptr}};
  for (const auto& [name, value] : size.task.sizes) json["size"][name] = value;
  for (const auto& [status, count] : tuning.failures)
    json["failures"][std::string(status_name(status))] = count;
  if (!noise.empty()) json["noise"] = noise;
  if (comparison.controlled) json["control_floor"] = comparison.floor;
  if (!tuning.best) return json;
  Json macros = Json::object();
  for (const auto& [name, value] : tuning.best->macros) macros[name] = text_of(value);
  json["best"] = {{"global", global_of(size.task, *tuning.best)},
                  {"local", tuning.best->local},
                  {"macros", macros},
                  {"build_options", build_options(size.task, *tuning.best)},
                  {"cpp", cpp_line(size.task, *tuning.best)}};
  const Timing* const best = best_of(comparison, tuning);
  if (best == nullptr) return json;
  json["best"]["median_s"] = 1e-3 * best->ms.median;
  json["best"]["low_s"] = 1e-3 * best->ms.low;
  json["best"]["high_s"] = 1e-3 * best->ms.high;
  for (const T4Measurement& rate : rates_of(size, best)) json["best"][rate.name] = rate.value;
  return json;
}

/// As a name in C++.
std::string identifier(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; }, '_');
  return text;
}

std::string literal(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

constexpr std::string_view kNearest = R"(
/// That of the nearest size, by the ratios of its numbers.
inline const Launch& nearest({parameters}) {{
  const auto distance = [&](const Launch& launch) {{ return {distance}; }};
  const Launch* best = &launches[0];
  for (const Launch& launch : launches)
    if (distance(launch) < distance(*best)) best = &launch;
  return *best;
}}
)";

}  // namespace

std::string size_text(const Variables& sizes) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : sizes) parts.push_back(fmt::format("{}={:.17g}", name, value));
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string kernel_report(const std::vector<TunedSize>& sizes) {
  if (sizes.size() == 1) return report_of_one(sizes.front());
  std::string report = text(size_table(sizes));
  for (const TunedSize& size : sizes)
    for (const std::string& sentence : report::kernel_verdict(size.points))
      report += fmt::format("{}: {}\n", size_text(size.task.sizes), sentence);
  return report;
}

Json kernel_json(const std::vector<TunedSize>& sizes, const std::string& noise) {
  if (sizes.size() == 1) return json_of_one(sizes.front(), noise);
  Json json{{"kernel", sizes.front().task.name}, {"table", Json::array()}};
  for (const TunedSize& size : sizes) json["table"].push_back(json_of_one(size, noise));
  return json;
}

std::string kernel_header(const std::vector<TunedSize>& sizes, std::string origin) {
  std::ranges::replace(origin, '\n', ' ');  // it stays within its comment
  std::vector<const TunedSize*> found;
  for (const TunedSize& size : sizes)
    if (size.tuning.best) found.push_back(&size);
  if (found.empty()) return {};
  const KernelTask& task = found.front()->task;
  std::vector<std::string> names, parameters, distances;
  for (const auto& [name, value] : task.sizes) {
    const std::string& word = names.emplace_back(identifier(name));
    parameters.push_back("double " + word);
    distances.push_back(fmt::format("std::abs(std::log(launch.{0} / {0}))", word));
  }
  std::string lines;
  for (const TunedSize* size : found) {
    const KernelLaunch& launch = *size->tuning.best;
    std::vector<std::size_t> local = launch.local;
    local.resize(task.dimensions());
    std::string values;
    for (const auto& [name, value] : size->task.sizes) values += fmt::format("{:.17g}, ", value);
    lines += fmt::format("    {{{}{{{}}}, {{{}}}, {}}},\n", values,
                         fmt::join(global_of(size->task, launch), ", "), fmt::join(local, ", "),
                         literal(build_options(size->task, launch)));
  }
  std::string text = fmt::format(
      "#pragma once\n/// The fastest launches of the kernel {}. {}\n\n#include <array>\n#include "
      "<cmath>\n#include <cstddef>\n\nnamespace tuned_{} {{\n\nstruct Launch {{\n",
      task.name, origin, identifier(task.name));
  if (!names.empty()) text += fmt::format("  double {};  // the size\n", fmt::join(names, ", "));
  text += fmt::format(
      "  std::array<std::size_t, {}> global, local;  // work-items; local 0: left to the driver\n"
      "  const char* build_options;\n}};\n\ninline constexpr std::array<Launch, {}> launches{{{{\n"
      "{}}}}};\n",
      task.dimensions(), found.size(), lines);
  if (!names.empty())
    text += fmt::format(fmt::runtime(kNearest), fmt::arg("parameters", fmt::join(parameters, ", ")),
                        fmt::arg("distance", fmt::join(distances, " + ")));
  return text + fmt::format("\n}}  // namespace tuned_{}\n", identifier(task.name));
}

}  // namespace clgauss::tune
