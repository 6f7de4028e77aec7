#include "tuner/report/elimination_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "tuner/report/elimination_figures.hpp"
#include "tuner/report/html.hpp"
#include "tuner/report/verdict.hpp"

namespace clgauss::tune::report {

namespace {

/// What the source says of its own device; data/published/baranov_claims.csv has the same.
struct Published {
  const char* device = "GeForce GT 555M (2013)";
  std::size_t cores = 144, compute_units = 3, multiple = 32, rule = 192, best = 192;
};

std::string number_or(std::optional<std::size_t> number, const char* otherwise) {
  return number && *number > 0 ? std::to_string(*number) : otherwise;
}

/// "192" or "192 (n = 1000), 256 (n = 2000)": the best size at each n, or where there are many n, the range.
std::string best_words(const EliminationData& data) {
  std::vector<const Timing*> bests;
  for (const auto& [n, timings] : contests_of(data))
    if (const Timing* best = best_of(timings)) bests.push_back(best);
  const auto word = [](const Timing& timing) {
    return timing.rule == "driver" ? std::string("driver's") : std::to_string(timing.local);
  };
  constexpr std::size_t most = 4;
  std::string words;
  if (bests.size() <= most) {
    for (const Timing* best : bests)
      words += fmt::format("{}{} (n = {})", words.empty() ? "" : ", ", word(*best), best->n);
    return words.empty() ? "not timed" : words;
  }
  const auto [least, largest] = std::ranges::minmax(bests, {}, &Timing::local);
  return fmt::format("{} to {}, by n", least->local, largest->local);
}

Table source_table(const EliminationData& data) {
  const Published source;
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

/// "+12 % (192)", "driver": what a rule costs at one n.
std::string regret_cell(const std::vector<Timing>& timings, const std::string& rule) {
  const Timing* best = best_of(timings);
  const auto found = std::ranges::find(timings, rule, &Timing::rule);
  if (found == timings.end()) return "-";
  if (!found->ok()) return std::string(status_name(found->status));
  const double ratio = found->median_ms / best->median_ms;
  const std::string regret =
      ratio < 10 ? fmt::format("{:+.0f} %", 100 * (ratio - 1)) : fmt::format("x {:.0f}", ratio);
  return found->local > 0 ? fmt::format("{} ({})", regret, found->local) : regret;
}

Table rules_table(const EliminationData& data) {
  Table table{
      "Regret: the time of each rule over the best time, minus 1; in brackets its work-group size",
      {"n", "best, ms", "driver", "LCM rule", "multiple", "largest"},
      {},
      true};
  for (const auto& [n, timings] : data.rules) {
    const Timing* best = best_of(timings);
    if (best == nullptr) continue;
    std::vector<std::string> row{
        std::to_string(n), fmt::format("{:.4g} ({})", best->median_ms,
                                       best->local > 0 ? std::to_string(best->local) : "driver")};
    for (const char* rule : {"driver", "lcm", "multiple", "max"})
      row.push_back(regret_cell(timings, rule));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table sweep_table(const EliminationData& data) {
  Table table{"The sweeps, by n",
              {"n", "best size", "ms", "worst size", "ms", "worst / best", "sizes"},
              {},
              true};
  for (const auto& [n, timings] : data.sweep) {
    const Timing* best = best_of(timings);
    if (best == nullptr) continue;
    const Timing* worst = best;
    std::size_t ok = 0;
    for (const Timing& timing : timings) {
      if (timing.ok()) ++ok;
      if (timing.ok() && timing.median_ms > worst->median_ms) worst = &timing;
    }
    table.rows.push_back(
        {std::to_string(n), std::to_string(best->local), fmt::format("{:.4g}", best->median_ms),
         std::to_string(worst->local), fmt::format("{:.4g}", worst->median_ms),
         fmt::format("{:.3g}", worst->median_ms / best->median_ms), std::to_string(ok)});
  }
  return table;
}

/// What was tried and has no time; the n that failed alike share a line.
Table failures_table(const EliminationData& data) {
  using Kind = std::tuple<std::string, std::size_t, std::string, std::string>;
  std::map<Kind, std::string> failures;
  for (const auto* by_n : {&data.sweep, &data.outliers, &data.rules})
    for (const auto& [n, timings] : *by_n)
      for (const Timing& timing : timings) {
        if (timing.ok()) continue;
        std::string& sizes = failures[{timing.rule, timing.local,
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

Section section_of(const EliminationData& data, Illustrator& illustrator) {
  Section section;
  section.title = fmt::format("Elimination in {}, {} NDRange", data.type, data.variant);
  section.verdict = sentences(verdict_of(data));
  section.html = html(source_table(data));
  const auto draw = [&](std::optional<Figure> figure) {
    if (figure) section.html += illustrator.draw(std::move(*figure));
  };
  section.html += html(rules_table(data));
  section.html += "<div class=\"figures\">\n";
  draw(rules_figure(data));
  draw(outliers_figure(data));
  for (const int number : {3, 4, 5, 6}) draw(sweep_figure(data, number));
  section.html += "</div>\n" + html(sweep_table(data)) + html(failures_table(data));
  return section;
}

}  // namespace

std::vector<Section> elimination_sections(const std::vector<Results>& results,
                                          Illustrator& illustrator) {
  std::vector<Section> sections;
  for (const EliminationData& data : elimination_data(results))
    sections.push_back(section_of(data, illustrator));
  return sections;
}

}  // namespace clgauss::tune::report
