#include "tuner/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <set>

#include "tuner/report/html.hpp"
#include "tuner/report/section.hpp"

namespace clgauss::tune::report {

namespace {

constexpr std::string_view kStyle = R"css(
:root { color: #111; background: #fff; font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
body { max-width: 74rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.2; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.35rem; margin-top: 3rem; border-top: 2px solid #111; padding-top: .7rem; }
h3 { font-size: 1.1rem; margin-top: 2rem; }
p, li { max-width: 46rem; }
.verdict { border-left: 4px solid #0072b2; padding: .1rem 0 .1rem 1rem; max-width: 46rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 28rem), 1fr)); gap: 2rem; align-items: start; }
figure { margin: 0; min-width: 0; }
figure svg { display: block; width: 100%; max-width: 40rem; height: auto; }
figure svg text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
figcaption { font-size: .9rem; margin: .3rem 0; }
summary { cursor: pointer; font-size: .9rem; color: #00558a; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #ccc; text-align: right; white-space: nowrap; vertical-align: top; }
th { font-weight: 600; } thead th { border-bottom: 1px solid #111; } tbody th { font-weight: 400; }
th:first-child { text-align: left; padding-left: 0; }
.words th, .words td { text-align: left; white-space: normal; }
code { font-size: .85rem; overflow-wrap: anywhere; } p code { font-size: .95em; white-space: nowrap; }
.files { font-size: .85rem; } a { color: #00558a; }
@media (max-width: 30rem) { table { font-size: .85rem; } th, td { padding: .25rem .35rem; } }
@media print {
  @page { margin: 16mm; }
  :root { font-size: 10pt; } body { max-width: none; padding: 0; }
  .device + .device { break-before: page; }
  h1, h2, h3, caption { break-after: avoid; }
  figure, table, .verdict { break-inside: avoid; }
  .figures { display: block; } figure { margin: 0 0 1.5rem; } figure svg { max-width: 13cm; }
  .scroll { overflow: visible; max-width: none; } details:not([open]), .files { display: none; }
  summary { display: none; }
}
)css";

std::string day_words(const std::vector<Results>& results) {
  std::set<std::string> days, versions;
  for (const Results& folder : results)
    for (const Row& row : folder.rows) {
      if (row.time.size() >= 10) days.insert(row.time.substr(0, 10));
      versions.insert(row.version);
    }
  std::string words = "Measured";
  if (!days.empty())
    words += days.size() == 1 ? " on " + *days.begin()
                              : fmt::format(" from {} to {}", *days.begin(), *days.rbegin());
  words += " (UTC) by clgauss";
  for (const std::string& version : versions)
    words += (version == *versions.begin() ? " " : ", ") + version;
  return words + ".";
}

std::string bytes_words(std::uint64_t bytes) {
  constexpr double kib = 1024;
  const auto size = static_cast<double>(bytes);
  if (size < kib * kib) return fmt::format("{:.4g} KiB", size / kib);
  return size < kib * kib * kib ? fmt::format("{:.4g} MiB", size / kib / kib)
                                : fmt::format("{:.4g} GiB", size / kib / kib / kib);
}

Table device_table(const std::vector<Results>& results) {
  const DeviceProfile& device = profile_of(results);
  Table table{"The device",
              {},
              {{"name", device.name},
               {"platform", device.platform_name},
               {"driver", device.driver_version}},
              false};
  if (device.compute_units == 0) return table;
  const auto cores = device.total_cores();
  table.rows.insert(
      table.rows.end(),
      {{"vendor", device.vendor},
       {"type", std::string(device_type_name(device.type))},
       {"compute units", std::to_string(device.compute_units)},
       {"cores", cores ? std::to_string(*cores) : "unknown"},
       {"preferred multiple",
        device.preferred_multiple > 0 ? std::to_string(device.preferred_multiple) : "unknown"},
       {"largest work-group", std::to_string(device.max_work_group_size)},
       {"local memory", bytes_words(device.local_mem_bytes)},
       {"memory", bytes_words(device.global_mem_bytes)}});
  return table;
}

std::string commands(const std::vector<Results>& results) {
  std::string text = "<h3>How the rows were made</h3>\n" + paragraph(day_words(results)) + "<ul>\n";
  std::set<std::string> seen;
  for (const Results& folder : results)
    if (seen.insert(folder.info.command).second)
      text += fmt::format("<li><code>{}</code></li>\n", escape(folder.info.command));
  return text + "</ul>\n";
}

/// The part of the page on one device; `kinds` learns which kinds of section it has.
std::string device_part(const std::vector<Results>& results, Illustrator& illustrator,
                        std::set<std::size_t>& kinds) {
  std::vector<Section> sections;
  for (std::size_t i = 0; i < section_kinds().size(); ++i) {
    std::vector<Section> built = section_kinds()[i].build(results, illustrator);
    if (!built.empty()) kinds.insert(i);
    std::ranges::move(built, std::back_inserter(sections));
  }
  std::string verdict, bodies;
  for (const Section& section : sections) {
    if (!section.verdict.empty() && sections.size() > 1)
      verdict += fmt::format("<p><strong>{}.</strong></p>\n", escape(section.title));
    for (const std::string& sentence : section.verdict) verdict += paragraph(sentence);
    std::string tables;
    for (const Table& table : section.tables) tables += html(table);
    bodies += fmt::format("<section>\n<h3>{}</h3>\n{}{}</section>\n", escape(section.title), tables,
                          section.html);
  }
  std::string text = fmt::format("<h2>{}</h2>\n", escape(results.front().info.device.name));
  if (!verdict.empty()) text += "<div class=\"verdict\">\n" + verdict + "</div>\n";
  if (sections.empty())
    text += paragraph("This report has no section for the experiments in these rows.");
  return "<article class=\"device\">\n" + text + html(device_table(results)) + bodies +
         commands(results) + "</article>\n";
}

}  // namespace

std::string page(const std::vector<Results>& results, const std::string& title,
                 Illustrator& illustrator) {
  const auto devices = by_device(results);
  if (devices.empty())
    throw FileError(results.empty() ? "report" : results.front().folder.string(),
                    "no rows here yet");
  std::set<std::size_t> kinds;
  std::string parts;
  for (const std::vector<Results>& device : devices)
    parts += device_part(device, illustrator, kinds);

  std::string method;
  for (const std::size_t kind : kinds)
    method += fmt::format("<h2>Method: {}</h2>\n", escape(section_kinds()[kind].title)) +
              paragraph(section_kinds()[kind].method);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n{2}{3}</"
      "main>\n</body>\n</html>\n",
      escape(title), kStyle, parts, method);
}

}  // namespace clgauss::tune::report
