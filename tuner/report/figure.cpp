#include "tuner/report/figure.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <cmath>

#include "tuner/report/html.hpp"
#include "tuner/report/value_text.hpp"

namespace clgauss::tune::report {

namespace {

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
        series.low.size() != series.high.size() ||
        (!series.names.empty() && series.names.size() != series.y.size()))
      fail(fmt::format("series '{}' has {} x, {} y, {} low, {} high, {} names", series.label,
                       series.x.size(), series.y.size(), series.low.size(), series.high.size(),
                       series.names.size()));
}

/// One row a point's name, one column a series.
Table table_of(const Figure& figure) {
  const std::string unit = figure.y.unit.empty() ? "" : ", " + figure.y.unit;
  Table table{figure.y.label + unit, {figure.rows.empty() ? figure.x.label : ""}, {}, true};
  std::map<std::pair<double, std::string>, std::vector<std::string>> rows;
  for (std::size_t s = 0; s < figure.series.size(); ++s) {
    const Series& series = figure.series[s];
    table.columns.push_back(series.label);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!std::isfinite(series.y[i])) continue;
      auto& row = rows[{series.x[i], name_text(figure, series, i)}];
      row.resize(figure.series.size());
      row[s] = value_text(figure, series, i);
    }
  }
  for (auto& [at, cells] : rows) {
    cells.insert(cells.begin(), at.second);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

std::string Illustrator::draw(Figure figure) {
  if (!draws_) return {};
  check(figure);
  const std::size_t count = ++drawn_[figure.name];
  if (count > 1) figure.name += fmt::format("-{}", count);
  return fmt::format(
      "<figure id=\"{}\">\n{}<figcaption><strong>{}.</strong> {}</figcaption>\n"
      "<details><summary>The numbers</summary>\n{}</details>\n</figure>\n",
      figure.name, svg(figure), escape(figure.title), escape(figure.caption),
      html(table_of(figure)));
}

}  // namespace clgauss::tune::report
