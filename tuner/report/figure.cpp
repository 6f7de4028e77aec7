#include "tuner/report/figure.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <cmath>
#include <regex>
#include <set>
#include <system_error>

#include "file_content.hpp"
#include "tuner/report/gnuplot.hpp"
#include "tuner/report/html.hpp"

namespace clgauss::tune::report {

namespace {

namespace fs = std::filesystem;

void check(const Figure& figure) {
  const auto fail = [&](const std::string& why) {
    throw UsageError(fmt::format("figure '{}': {}", figure.name, why));
  };
  if (figure.name.empty() ||
      figure.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") != std::string::npos)
    fail("the name must be of lower-case letters, digits, '-' and '_'");
  for (const Series& series : figure.series)
    if (series.x.size() != series.y.size() ||
        (!series.low.empty() && series.low.size() != series.y.size()) ||
        series.low.size() != series.high.size())
      fail(fmt::format("series '{}' has {} x, {} y, {} low, {} high", series.label, series.x.size(),
                       series.y.size(), series.low.size(), series.high.size()));
}

/// The <svg> of a gnuplot file as it may stand in a page beside others: without prolog, fixed size and gnuplot's names for its
/// parts, which browsers show as tips; its ids begin with the figure's name.
std::string embedded(const std::string& svg, const Figure& figure) {
  const std::size_t start = svg.find("<svg"), inner = svg.find('>', start);
  std::smatch box;
  if (inner == std::string::npos ||
      !std::regex_search(svg, box, std::regex("viewBox=\"([0-9. ]+)\"")))
    return {};
  std::string body = svg.substr(inner + 1);
  body = std::regex_replace(body, std::regex("<title>[^<]*</title>|<desc>[^<]*</desc>"), "");
  body = std::regex_replace(body, std::regex("\\bid=(['\"])"), "id=$01" + figure.name + "-");
  body = std::regex_replace(body, std::regex("href='#"), "href='#" + figure.name + "-");
  return fmt::format(
      "<svg viewBox=\"{}\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" role=\"img\" "
      "aria-label=\"{}\">{}",
      box[1].str(), escape(figure.title), body);
}

/// One row an x, one column a series.
Table table_of(const Figure& figure) {
  Table table{figure.y.label, {figure.x.label}, {}, true};
  std::map<double, std::vector<std::string>> rows;
  std::map<double, std::string> names(figure.x.ticks.begin(), figure.x.ticks.end());
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Series& series = figure.series[s];
    table.columns.push_back(series.label);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      auto& row = rows[series.x[i]];
      row.resize(figure.series.size());
      row[s] = digits(series.y[i]);
    }
  }
  for (auto& [x, cells] : rows) {
    const auto name = names.find(x);
    cells.insert(cells.begin(), name != names.end() ? name->second : fmt::format("{:g}", x));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

Illustrator::Illustrator(fs::path folder, std::string link, std::string gnuplot)
    : folder_(std::move(folder)), link_(std::move(link)), gnuplot_(std::move(gnuplot)) {}

std::string Illustrator::svg_of(const Figure& figure) {
  constexpr std::chrono::seconds timeout{30};
  const fs::path drawing = folder_ / (figure.name + ".svg");
  std::error_code nothing_there;
  fs::remove(drawing, nothing_there);  // of an earlier report
  if (!found_) return {};
  const GnuplotResult result = run_gnuplot(gnuplot_, folder_, figure.name + ".gp", timeout);
  found_ = result.found;
  if (!found_) {
    problems_.push_back(fmt::format(
        "{} is not installed: the report has tables in place of figures (Debian: apt-get install "
        "gnuplot-nox); {} holds what it would draw",
        gnuplot_, folder_.string()));
  } else if (!result.failure.empty()) {
    problems_.push_back(fmt::format("figure {} is not drawn: {}", figure.name, result.failure));
    fs::remove(drawing, nothing_there);
  } else {
    const std::string svg = embedded(file_content(drawing), figure);
    if (svg.empty())
      problems_.push_back(
          fmt::format("figure {} is not drawn: gnuplot left no drawing", figure.name));
    return svg;
  }
  return {};
}

Illustrator Illustrator::none() {
  Illustrator silent({}, {});
  silent.draws_ = false;
  return silent;
}

std::string Illustrator::draw(Figure figure) {
  if (!draws_) return {};
  check(figure);
  const std::size_t count = ++drawn_[figure.name];
  if (count > 1) figure.name += fmt::format("-{}", count);
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw FileError(folder_.string(), error.message());
  write_whole(folder_ / (figure.name + ".dat"), gnuplot_data(figure));
  write_whole(folder_ / (figure.name + ".gp"), gnuplot_commands(figure));

  const std::string svg = svg_of(figure);
  const std::string caption = fmt::format("<figcaption><strong>{}.</strong> {}</figcaption>\n",
                                          escape(figure.title), escape(figure.caption));
  const std::string link = url(link_ + "/" + figure.name);
  const std::string files = fmt::format(
      "<p class=\"files\">Files: <a href=\"{0}.dat\">{1}.dat</a>, <a "
      "href=\"{0}.gp\">{1}.gp</a></p>\n",
      link, figure.name);
  return fmt::format(
      "<figure id=\"{}\">\n{}{}<details{}><summary>The "
      "numbers</summary>\n{}{}</details>\n</figure>\n",
      figure.name, svg, caption, svg.empty() ? " open" : "", html(table_of(figure)), files);
}

}  // namespace clgauss::tune::report
