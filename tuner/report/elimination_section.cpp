#include "tuner/report/elimination_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

#include "tuner/report/elimination_claims.hpp"
#include "tuner/report/elimination_figures.hpp"
#include "tuner/report/elimination_tables.hpp"
#include "tuner/report/html.hpp"
#include "tuner/report/verdict.hpp"
#include "tuner/reproduce/published.hpp"

namespace clgauss::tune::report {

namespace {

std::string number_or(std::optional<std::size_t> number, const char* otherwise) {
  return number && *number > 0 ? std::to_string(*number) : otherwise;
}

/// The best work-group sizes of all n: "192", or the range that they span.
std::string best_words(const EliminationData& data) {
  std::set<std::size_t> sizes;
  for (const auto& [n, contest] : contests_of(data))
    if (const Timing* best = fastest_choice(contest, 0)) sizes.insert(best->local);
  if (sizes.empty()) return "not timed";
  return sizes.size() == 1 ? std::to_string(*sizes.begin())
                           : fmt::format("{} to {}, by n", *sizes.begin(), *sizes.rbegin());
}

Table source_table(const EliminationData& data) {
  const published::Elimination source = published::elimination();
  const DeviceProfile& device = data.device;
  const auto raw = data.raw_rule(), local = data.rule_local();
  const std::string rule = raw && raw != local
                               ? fmt::format("{}, clamped to {}", *raw, number_or(local, "?"))
                               : number_or(local, "unknown");
  const auto row = [](const char* what, std::size_t published, const std::string& here) {
    return std::vector<std::string>{what, std::to_string(published), here};
  };
  return {
      "The source and this device",
      {"", source.device, device.name},
      {row("cores", source.cores, number_or(device.total_cores(), "unknown")),
       row("compute units", source.compute_units, number_or(device.compute_units, "unknown")),
       row("preferred multiple", source.multiple, number_or(data.preferred_multiple(), "unknown")),
       row("LCM rule", source.rule, rule), row("measured best", source.best, best_words(data))},
      false};
}

/// What was tried and has no time; the n that failed alike share a line.
Table failures_table(const EliminationData& data) {
  using Kind = std::tuple<std::string, std::size_t, std::string, std::string>;
  std::map<Kind, std::string> failures;
  for (const auto* by_n : {&data.sweep, &data.outliers, &data.rules})
    for (const auto& [n, contest] : *by_n)
      for (const Timing& timing : contest.timings) {
        if (timing.ok()) continue;
        std::string& sizes = failures[{timing.rules.front(), timing.local,
                                       std::string(status_name(timing.status)), timing.detail}];
        sizes += (sizes.empty() ? "" : ", ") + std::to_string(n);
      }
  Table table{"Tried, without a time", {"size", "n", "outcome", "why"}, {}, false};
  for (const auto& [kind, sizes] : failures) {
    const auto& [rule, local, status, detail] = kind;
    table.rows.push_back(
        {local > 0 ? fmt::format("{} ({})", local, rule) : rule, sizes, status, detail});
  }
  return table;
}

/// The choice as a line of C++.
std::string line_to_use(const Standing& choice) {
  if (choice.choice == "driver")
    return "In C++ leave the groups to the driver: `queue.enqueueNDRangeKernel(kernel, "
           "cl::NullRange, cl::NDRange(columns, rows));`";
  const std::string size = choice.choice == "fit"
                               ? "`local` the multiple of the kernel's preferred one, of those "
                                 "from 320 to 512, that leaves "
                                 "the fewest work-items beyond the end"
                               : fmt::format("`local` the smaller of {} and `columns`",
                                             std::atoi(choice.choice.c_str()));
  const bool one_launch = choice.choice == "fit" || choice.choice.ends_with("round_up");
  if (one_launch)
    return fmt::format(
        "In C++, with {} and a kernel that returns at once beyond the end: "
        "`queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange((columns + local - 1) / "
        "local * local, rows), cl::NDRange(local, 1));`",
        size);
  if (choice.choice.ends_with("tall"))
    return "In C++, with `local` the largest divisor of `rows` within " +
           std::to_string(std::atoi(choice.choice.c_str())) +
           ": `queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(columns, rows), "
           "cl::NDRange(1, local));`";
  return fmt::format(
      "In C++, with {}: `queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(columns / "
      "local * local, rows), cl::NDRange(local, 1));`, and a second launch for the rest.",
      size);
}

/// How far the intervals can be believed: whether they tell a launch from itself.
std::string control_sentence(const EliminationData& data) {
  std::size_t controlled = 0, told_apart = 0;
  double expected = 0;
  const auto count = [&](const ByN& contests) {
    for (const auto& [n, contest] : contests) {
      controlled += contest.controlled ? 1 : 0;
      told_apart += contest.told_apart ? 1 : 0;
      expected += contest.expected_apart;
    }
  };
  for (const ByN* contests : {&data.sweep, &data.outliers, &data.rules}) count(*contests);
  for (const auto& [kernel, contests] : data.other_kernels) count(contests);
  if (controlled == 0) return {};
  return fmt::format(
      "Control (A/A): one launch was timed as two contestants in {} comparison{}. Their intervals "
      "differ in {} ({:.1f} %; {:.1f} % are expected).",
      controlled, controlled == 1 ? "" : "s", told_apart,
      100 * static_cast<double>(told_apart) / static_cast<double>(controlled),
      100 * expected / static_cast<double>(controlled));
}

Section section_of(const EliminationData& data, const EliminationData* shrinking,
                   Illustrator& illustrator) {
  Section section;
  section.title = fmt::format("Elimination in {}, {} NDRange", data.type, data.variant);
  const Verdict section_verdict = verdict_of(data);
  section.verdict = sentences(section_verdict);
  if (std::string control = control_sentence(data); !control.empty())
    section.verdict.push_back(std::move(control));
  if (const auto& choice = section_verdict.choice) section.remarks = {line_to_use(*choice)};
  section.tables = {source_table(data),
                    claims_table(data, shrinking),
                    launches_table(data.rules),
                    solve_table(data.solve),
                    published_table(data.sweep),
                    rules_table(data.rules, data.rule_local()),
                    distribution_table(data.outliers, data.work_group_limit()),
                    outliers_table(data.outliers, data.work_group_limit()),
                    sweep_table(data.sweep),
                    other_kernels_table(data.other_kernels),
                    failures_table(data)};
  const auto draw = [&](std::optional<Figure> figure) {
    if (figure) section.html += illustrator.draw(std::move(*figure));
  };
  section.html += "<div class=\"figures\">\n";
  draw(launches_figure(data));
  draw(rules_figure(data));
  for (Figure& figure : outliers_figures(data)) draw(std::move(figure));
  for (const int number : {3, 4, 5, 6}) draw(sweep_figure(data, number));
  for (const bool large : {false, true}) draw(published_figure(data, large));
  draw(one_size_figure(data));
  section.html += "</div>\n";
  return section;
}

}  // namespace

std::vector<Section> elimination_sections(const std::vector<Results>& results,
                                          Illustrator& illustrator) {
  std::vector<Section> sections;
  const std::vector<EliminationData> all = elimination_data(results);
  for (const EliminationData& data : all) {
    const auto shrinking = std::ranges::find_if(all, [&](const EliminationData& other) {
      return other.type == data.type && other.variant == "shrinking";
    });
    sections.push_back(
        section_of(data, shrinking == all.end() ? nullptr : &*shrinking, illustrator));
  }
  return sections;
}

}  // namespace clgauss::tune::report
