#include "tuner/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <set>

#include "tuner/report/html.hpp"
#include "tuner/report/overview.hpp"
#include "tuner/report/section.hpp"

namespace clgauss::tune::report {

namespace {

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --paper: #fff; --card: #f6f8fa; --accent: #00558a;
  color: var(--ink); background: var(--paper); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9da7b1; --line: #343b44; --paper: #14171c; --card: #1b2027; --accent: #74b8f0; } }
body { max-width: 96rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
h1, h2, h3 { line-height: 1.2; }
h1 { font-size: 1.6rem; margin: .3rem 0; } h2 { font-size: 1.3rem; margin-top: 3rem; border-top: 2px solid var(--ink); padding-top: .7rem; }
h3 { font-size: 1.1rem; margin-top: 2rem; }
p, li { max-width: 46rem; }
.when { color: var(--soft); margin: 0 0 1rem; }
.noise { border-left: 4px solid #c4561d; padding: .1rem 0 .1rem 1rem; max-width: 46rem; }
.verdict { border-left: 4px solid var(--accent); padding: .1rem 0 .1rem 1rem; max-width: 46rem; }
.cards, .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); gap: 1rem; align-items: start; }
.figures { gap: 2rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; min-width: 0; }
.card h2 { font-size: 1.1rem; margin: 0; border: 0; padding: 0; } .card p { margin: .5rem 0; }
.gains { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem; margin: .5rem 0; }
.gains dt { font-size: .85rem; color: var(--soft); } .gains dd { margin: 0; font-size: .85rem; }
.gains strong { display: block; font-size: 1.7rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
.card .drawing { --paper: var(--card); }
figure { margin: 0; min-width: 0; }
figure svg { display: block; width: 100%; max-width: 34rem; height: auto; }
figcaption { font-size: .9rem; margin: .3rem 0; }
summary { cursor: pointer; font-size: .9rem; color: var(--accent); }
/* A shadow at a side where there is more of a wide table. */
.scroll { overflow-x: auto; margin: 1rem 0;
  background: linear-gradient(to right, var(--paper) 50%, transparent) 0 0 / 2.5rem 100% local, linear-gradient(to left, var(--paper) 50%, transparent) 100% 0 / 2.5rem 100% local,
    linear-gradient(to right, var(--line), transparent) 0 0 / .8rem 100%, linear-gradient(to left, var(--line), transparent) 100% 0 / .8rem 100%;
  background-repeat: no-repeat; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; vertical-align: top; }
th { font-weight: 600; } thead th { border-bottom: 1px solid var(--ink); } tbody th { font-weight: 400; }
th:first-child { text-align: left; padding-left: 0; }
.words th, .words td { text-align: left; white-space: normal; min-width: 4.5rem; overflow-wrap: anywhere; } .words td:last-child { min-width: 6rem; }
@media (max-width: 40rem) { .words, .words caption, .words tbody, .words tr, .words td, .words th { display: block; } .words thead { display: none; } .words tr { padding: .4rem 0; border-bottom: 1px solid var(--line); } .words td, .words tbody th { border: 0; padding: .1rem 0; } }
code { font-size: .85rem; overflow-wrap: anywhere; } p code { font-size: .95em; display: inline-block; max-width: 100%; }
a { color: var(--accent); }
.key[role] { cursor: pointer; } .key[aria-pressed=false] { opacity: .4; } .off { display: none; }
.v.on { filter: drop-shadow(0 0 2px currentColor); } .v.on .hit { fill: currentColor; }
#tip { position: fixed; z-index: 1; pointer-events: none; max-width: min(22rem, calc(100vw - 1rem)); padding: .35rem .6rem; border: 1px solid var(--line);
  border-radius: .3rem; background: var(--card); color: var(--ink); font-size: .85rem; line-height: 1.35; box-shadow: 0 2px 8px #0004; }
#tip b { display: block; } #tip div.on { font-weight: 600; }
@media (max-width: 30rem) { .card { padding: .7rem .5rem; } table { font-size: .85rem; } th, td { padding: .25rem .35rem; } }
@media print {
  @page { margin: 16mm; }
  :root { --ink: #000; --paper: #fff; --card: #fff; font-size: 10pt; } body { max-width: none; padding: 0; }
  .device + .device { break-before: page; }
  h1, h2, h3, caption { break-after: avoid; }
  figure, table, .verdict, .card { break-inside: avoid; }
  .figures { display: block; } figure { margin: 0 0 1.5rem; } figure svg { max-width: 13cm; }
  .scroll { overflow: visible; max-width: none; } details:not([open]) { display: none; }
  summary { display: none; }
}
)css";

/// Without it every value is a browser's own tip; with it the values of all series at that place,
/// and names that switch theirs off.
constexpr std::string_view kScript = R"js(
'use strict';
const tip = document.createElement('div');
tip.id = 'tip';
tip.hidden = true;
tip.setAttribute('role', 'status');
document.body.append(tip);
for (const svg of document.querySelectorAll('svg.drawing')) {
  const values = [...svg.querySelectorAll('.v')].map(g => {
    const title = g.querySelector('title'), lines = title.textContent.split('\n');
    title.remove();
    const spot = g.transform.baseVal[0].matrix;
    return {g, x: spot.e, y: spot.f, at: lines[0], text: lines[1], series: g.closest('.s')};
  });
  const hide = () => {
    tip.hidden = true;
    for (const value of values) value.g.classList.remove('on');
  };
  const show = event => {
    hide();
    const mouse = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const shown = values.filter(value => !value.series.classList.contains('off'));
    const far = value => Math.hypot(value.x - mouse.x, value.y - mouse.y);
    const nearest = shown.reduce((a, b) => a && far(a) <= far(b) ? a : b, null);
    if (!nearest || far(nearest) > 40) return;
    const head = document.createElement('b');
    head.textContent = nearest.at;
    tip.replaceChildren(head);
    for (const value of shown) {
      if (value.at !== nearest.at) continue;
      const line = document.createElement('div');
      line.textContent = value.text;
      line.classList.toggle('on', value === nearest);
      tip.append(line);
    }
    nearest.g.classList.add('on');
    tip.hidden = false;
    const place = (at, size, room) => Math.max(4, at + 14 + size > room ? at - 14 - size : at + 14) + 'px';
    tip.style.left = place(event.clientX, tip.offsetWidth, document.documentElement.clientWidth);
    tip.style.top = place(event.clientY, tip.offsetHeight, window.innerHeight);
  };
  svg.addEventListener('pointermove', show);
  svg.addEventListener('pointerdown', show);
  svg.addEventListener('pointerleave', hide);
  for (const key of svg.querySelectorAll('.key')) {
    const toggle = () => {
      const pressed = key.getAttribute('aria-pressed') === 'true';
      key.setAttribute('aria-pressed', String(!pressed));
      for (const part of svg.querySelectorAll(`[data-s="${key.dataset.key}"]`)) part.classList.toggle('off', pressed);
      hide();
    };
    key.setAttribute('role', 'button');
    key.setAttribute('tabindex', '0');
    key.setAttribute('aria-pressed', 'true');
    key.addEventListener('click', toggle);
    key.addEventListener('keydown', event => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      toggle();
    });
  }
}
)js";

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
  for (const Results& folder : results)
    if (!folder.info.host.empty()) {
      table.rows.push_back({"host", folder.info.host});
      break;
    }
  return table;
}

std::string commands(const std::vector<Results>& results, std::string_view title) {
  std::string text =
      fmt::format("<h3>{}</h3>\n{}<ul>\n", escape(title), paragraph(day_words(results)));
  std::set<std::string> seen;
  for (const Results& folder : results)
    if (seen.insert(folder.info.command).second)
      text += fmt::format("<li><code>{}</code></li>\n", escape(folder.info.command));
  return text + "</ul>\n";
}

std::string verdict_html(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += paragraph(sentence);
  return "<div class=\"verdict\">\n" + text + "</div>\n";
}

std::string section_html(const Section& section, const std::string& verdict = {}) {
  std::string tables;
  for (const std::string& remark : section.remarks) tables += paragraph(remark);
  for (const Table& table : section.tables) tables += html(table);
  return fmt::format("<section>\n<h3>{}</h3>\n{}{}{}</section>\n", escape(section.title), verdict,
                     section.html, tables);
}

/// The part of the page on one device; `kinds` learns which kinds of section it has.
std::string device_part(const std::vector<Results>& results, const std::string& id,
                        Illustrator& illustrator, std::set<std::size_t>& kinds) {
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
    bodies += section_html(section);
  }
  std::string text =
      fmt::format("<h2 id=\"{}\">{}</h2>\n", id, escape(results.front().info.device.name));
  for (const std::string& caution : cautions(results))
    text += fmt::format("<div class=\"noise\">{}</div>\n", paragraph(caution));
  if (!verdict.empty()) text += "<div class=\"verdict\">\n" + verdict + "</div>\n";
  if (sections.empty())
    text += paragraph("This report has no section for the experiments in these rows.");
  return "<article class=\"device\">\n" + text + html(device_table(results)) + bodies +
         commands(results, "How the rows were made") + "</article>\n";
}

/// One of the two figures that a card opens with.
std::string gain_html(std::string_view over, const std::optional<Gain>& gain) {
  if (!gain) return {};
  return fmt::format(
      "<div><dt>over {}</dt><dd><strong>{} times</strong> the speed, in the median of {} n; at "
      "most {} times (n&nbsp;=&nbsp;{})</dd></div>\n",
      escape(over), significant(gain->median, 3), gain->count, text_of(gain->most.ratio, 1, 3),
      gain->most.n);
}

/// What the work-group size is worth on one device, with the advice.
std::string card(const Overview& overview, const std::string& id, Illustrator& illustrator) {
  std::string text = fmt::format("<article class=\"card\">\n<h2><a href=\"#{}\">{}</a></h2>\n", id,
                                 escape(overview.device));
  const DeviceProfile& device = overview.data.device;
  text += fmt::format("<p class=\"when\">{}, driver {}; {}</p>\n", escape(device.platform_name),
                      escape(device.driver_version), overview.data.type);
  const std::string advice = advice_words(overview.verdict);
  if (!advice.empty()) text += paragraph("Use " + advice + ".");
  text += "<dl class=\"gains\">\n" + gain_html("the driver's own", overview.gain_over("driver")) +
          gain_html("the LCM rule", overview.gain_over("lcm")) + "</dl>\n";
  if (auto figure = choices_figure(overview)) text += illustrator.draw(std::move(*figure));
  return text + "</article>\n";
}

std::string document(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src "
      "'unsafe-inline'\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n<style "
      "id=\"drawing\">{2}</style>\n</head>\n<body>\n<main>\n"
      "<h1>{0}</h1>\n{3}</main>\n<script>{4}</script>\n</body>\n</html>\n",
      escape(title), kStyle, kDrawingStyle, body, kScript);
}

}  // namespace

std::string page(const std::vector<Results>& results, const std::string& title,
                 Illustrator& illustrator) {
  const auto devices = by_device(results);
  if (devices.empty())
    throw FileError(results.empty() ? "report" : results.front().folder.string(),
                    "no rows here yet");
  const auto id_of = [](std::size_t place) { return fmt::format("device-{}", place + 1); };
  const std::vector<Overview> all = overviews(devices);
  std::string first = fmt::format("<p class=\"when\">{}</p>\n", escape(day_words(results)));
  if (!all.empty()) {
    first += "<div class=\"cards\">\n";
    for (const Overview& overview : all)
      first += card(overview, id_of(overview.place), illustrator);
    first += "</div>\n" + html(devices_table(all)) + "<div class=\"figures\">\n";
    for (Figure& figure : devices_figures(all)) first += illustrator.draw(std::move(figure));
    first += "</div>\n";
  }
  std::set<std::size_t> kinds;
  std::string parts;
  for (std::size_t i = 0; i < devices.size(); ++i)
    parts += device_part(devices[i], id_of(i), illustrator, kinds);

  std::string method;
  for (const std::size_t kind : kinds)
    method += fmt::format("<h2>Method: {}</h2>\n", escape(section_kinds()[kind].title)) +
              paragraph(section_kinds()[kind].method);
  return document(title, first + parts + method);
}

std::string comparison_page(const Run& earlier, const Run& later, const std::string& title,
                            Illustrator& illustrator) {
  std::string body;
  for (const Section& section : comparison_sections(earlier, later, illustrator))
    body += section_html(section, verdict_html(section.verdict));
  return document(title, fmt::format("<p class=\"when\">Earlier: {}; later: {}</p>\n",
                                     escape(earlier.name), escape(later.name)) +
                             body + commands(earlier.results, "How the earlier rows were made") +
                             commands(later.results, "How the later rows were made"));
}

}  // namespace clgauss::tune::report
