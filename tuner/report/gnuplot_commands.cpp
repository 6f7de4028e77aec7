#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "tuner/report/figure.hpp"

namespace clgauss::tune::report {

namespace {

// Small enough that its letters, set at 14, are still legible where a phone shows it 360 pixels wide.
constexpr double kWidth = 500, kPlotHeight = 330, kLegendLine = 20;

/// Okabe and Ito's colours, which colour-blind readers tell apart, without those too pale for lines.
constexpr std::array<const char*, 7> kDistinct{"#0072B2", "#D55E00", "#009E73", "#000000",
                                               "#CC79A7", "#E69F00", "#56B4E9"};
/// Of viridis, without its palest end: lightness grows from first to last, so that it also prints grey.
constexpr std::array<std::array<int, 3>, 5> kOrdered{
    {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 190, 98}, {190, 205, 35}}};
constexpr std::array<int, 10> kPoints{7, 5, 9, 11, 13, 6, 4, 8, 10, 12};  // filled, then hollow
constexpr std::array<const char*, 5> kDashes{"1", "'-'", "'.'", "'-.'", "'_'"};

/// In single quotes gnuplot substitutes nothing, neither variables nor commands; only the quote itself is doubled.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' ? std::string("''") : std::string(1, c == '\n' || c == '\r' ? ' ' : c);
  return result + "'";
}

std::string colour(const Figure& figure, std::size_t place) {
  if (!figure.ordered) return kDistinct[place % kDistinct.size()];
  const double at = figure.series.size() < 2 ? 0
                                             : static_cast<double>(place) * (kOrdered.size() - 1) /
                                                   static_cast<double>(figure.series.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), kOrdered.size() - 2);
  std::array<int, 3> mixed{};
  for (std::size_t i = 0; i < mixed.size(); ++i)
    mixed[i] = static_cast<int>(std::lround(
        std::lerp(kOrdered[below][i], kOrdered[below + 1][i], at - static_cast<double>(below))));
  return fmt::format("#{:02X}{:02X}{:02X}", mixed[0], mixed[1], mixed[2]);
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void take(double value, bool log) {
    if (!std::isfinite(value) || (log && value <= 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] bool empty() const { return low > high; }
};

/// Of all values, with some air; a linear y axis begins at 0.
Range y_range(const Figure& figure) {
  Range range;
  for (const Series& series : figure.series)
    for (const auto* values : {&series.y, &series.low, &series.high})
      for (const double value : *values) range.take(value, figure.y.log);
  if (range.empty()) return {1, 10};
  if (figure.y.log) return {range.low / 1.25, range.high * 1.25};
  if (range.low >= 0 && range.high <= 0) return {0, 1};
  const double air = 0.06 * (range.high - std::min(range.low, 0.0));
  return {range.low < 0 ? range.low - air : 0, range.high > 0 ? range.high + air : 0};
}

Range x_range(const Figure& figure) {
  Range range;
  bool bars = false;
  for (const Series& series : figure.series) {
    bars = bars || series.style == Style::bars;
    for (const double x : series.x) range.take(x, figure.x.log);
  }
  for (const Mark& mark : figure.marks) range.take(mark.x, figure.x.log);
  if (range.empty()) return {1, 10};
  if (figure.x.log) return {range.low / 1.15, range.high * 1.15};
  const double air = bars ? 0.6 : range.high > range.low ? 0.03 * (range.high - range.low) : 1;
  return {range.low - air, range.high + air};
}

/// Ticks at 1, 2, 5, 10 .. where gnuplot would leave an axis of few decades almost without any.
std::string log_ticks(const Range& range) {
  const double decades = std::log10(range.high / range.low);
  std::string ticks;
  for (double power = std::floor(std::log10(range.low)); power <= std::log10(range.high); ++power)
    for (const double digit : {1.0, 2.0, 3.0, 5.0}) {
      const double value = digit * std::pow(10, power);
      const bool wanted = digit == 1 || (digit == 3 ? decades < 0.8 : decades < 2.5);
      if (wanted && value >= range.low && value <= range.high)
        ticks += fmt::format("{}'{:g}' {:g}", ticks.empty() ? "" : ", ", value, value);
    }
  return ticks;
}

std::string axis_commands(char name, const Axis& axis, const Range& range) {
  std::string text = fmt::format("set {0}label {1}\nset {0}range [{2:g}:{3:g}]\n", name,
                                 quoted(axis.label), range.low, range.high);
  if (axis.log) text += fmt::format("set logscale {}\n", name);
  std::string ticks;
  if (!axis.ticks.empty()) {
    for (const auto& [value, label] : axis.ticks)
      ticks += fmt::format("{}{} {:g}", ticks.empty() ? "" : ", ", quoted(label), value);
  } else if (axis.log) {
    ticks = log_ticks(range);
  }
  if (!ticks.empty())
    text += fmt::format("set {}tics ({})\n", name, ticks);
  else if (axis.step > 0)
    text += fmt::format("set {}tics {:g}\n", name, axis.step);
  return text;
}

/// The legend's place and the height that it takes: as many entries a line as the widest allows.
std::pair<std::string, double> legend(const Figure& figure) {
  constexpr double sample = 48, letter = 7.4;
  std::size_t widest = 0, entries = figure.series.size() + figure.marks.size();
  for (const Series& series : figure.series) widest = std::max(widest, series.label.size());
  for (const Mark& mark : figure.marks) widest = std::max(widest, mark.label.size());
  if (entries < 2) return {"set key off\n", 0};
  const double width = sample + letter * static_cast<double>(widest);
  const auto columns = std::max(1.0, std::floor((kWidth - 20) / width));
  const double lines = std::ceil(static_cast<double>(entries) / columns);
  return {fmt::format("set key at screen 0.5, character {:g} bottom center horizontal Left reverse "
                      "samplen 2.2 spacing 1 width 1 maxcols {:g}\n",
                      0.5, columns),
          lines * kLegendLine + 8};
}

/// What follows `plot` for one series; `bar` and `bars` place it among those that stand side by side.
std::string plot_of(const Figure& figure, std::size_t place, std::size_t bar, std::size_t bars) {
  const Series& series = figure.series[place];
  const std::string data =
      fmt::format("{} index {}", place == 0 ? quoted(figure.name + ".dat") : "''", place);
  const std::string colours = fmt::format("lc rgb '{}'", colour(figure, place));
  const std::string title = "title " + quoted(series.label);
  const std::string dash =
      fmt::format("dt {}", kDashes[(place + place / kDashes.size()) % kDashes.size()]);
  const std::string point = fmt::format("pt {} ps 0.6", kPoints[place % kPoints.size()]);
  const bool spread = !series.low.empty();
  switch (series.style) {
    case Style::line: {
      const std::string line =
          fmt::format("{} using 1:2 with lines {} {} lw 2 {}", data, colours, dash, title);
      return spread ? fmt::format(
                          "{} using 1:3:4 with filledcurves {} fs transparent solid 0.2 noborder "
                          "notitle, {}",
                          data, colours,
                          fmt::format("'' index {} using 1:2 with lines {} {} lw 2 {}", place,
                                      colours, dash, title))
                    : line;
    }
    case Style::line_points:
      return spread ? fmt::format(
                          "{} using 1:2 with linespoints {} {} lw 1.5 {} {}, '' index {} using "
                          "1:2:3:4 with "
                          "yerrorbars {} lw 1.5 pt -1 notitle",
                          data, colours, dash, point, title, place, colours)
                    : fmt::format("{} using 1:2 with linespoints {} {} lw 1.5 {} {}", data, colours,
                                  dash, point, title);
    case Style::points:
      return fmt::format("{} {} {} {} {}", data,
                         spread ? "using 1:2:3:4 with yerrorbars" : "using 1:2 with points",
                         colours, point, title);
    case Style::rings:
      return fmt::format("{} using 1:2 with points lc rgb 'black' lw 1.5 pt 6 ps 1.2 {}", data,
                         title);
    case Style::bars: {
      const double width = 0.8 / static_cast<double>(bars);
      const double shift = (static_cast<double>(bar) - static_cast<double>(bars - 1) / 2) * width;
      std::string text =
          fmt::format("{} using ($1{:+g}):2:({:g}) with boxes {} fs {} {}", data, shift,
                      0.92 * width, colours, bar % 2 == 0 ? "solid 0.85" : "pattern 4", title);
      if (spread)
        text += fmt::format(
            ", '' index {} using ($1{:+g}):2:3:4 with yerrorbars lc rgb 'black' pt -1 notitle",
            place, shift);
      return text;
    }
  }
  return {};
}

}  // namespace

std::string gnuplot_data(const Figure& figure) {
  std::string text;
  for (const Series& series : figure.series) {
    std::string label = series.label;
    std::ranges::replace(label, '\n', ' ');
    if (!text.empty()) text += "\n\n";
    text += fmt::format("# {}\n# x  y{}\n", label, series.low.empty() ? "" : "  low  high");
    bool any = false;
    const auto drawn = [&](double x, double y) {
      return std::isfinite(x) && std::isfinite(y) && !(figure.x.log && x <= 0) &&
             !(figure.y.log && y <= 0);
    };
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!drawn(series.x[i], series.y[i])) continue;
      any = true;
      text += fmt::format("{:.10g} {:.10g}", series.x[i], series.y[i]);
      if (!series.low.empty())
        text += fmt::format(" {:.10g} {:.10g}", series.low[i], series.high[i]);
      text += '\n';
    }
    if (!any)
      text += "NaN NaN NaN NaN\n";  // without a line the blocks after it would be counted wrongly
  }
  return text;
}

std::string gnuplot_commands(const Figure& figure) {
  const auto [key, key_height] = legend(figure);
  const double height = kPlotHeight + key_height;
  const Range y = y_range(figure);
  std::string text = fmt::format(
      "# {}\nset terminal svg size {:g},{:g} font 'Arial,14' noenhanced background '#ffffff'\n"
      "set encoding utf8\nset output {}\nset border 3 lc rgb '#555555'\nset tics nomirror\n"
      "set grid ytics lc rgb '#dddddd' lw 1 dt 1\nset errorbars 0\n"
      "set bmargin at screen {:g}\nset tmargin 0.8\nset rmargin 2.5\n",
      figure.name, kWidth, height, quoted(figure.name + ".svg"), (key_height + 58) / height);
  text += key + axis_commands('x', figure.x, x_range(figure)) + axis_commands('y', figure.y, y);
  const auto is_bar = [](const Series& series) { return series.style == Style::bars; };
  const auto bars = static_cast<std::size_t>(std::ranges::count_if(figure.series, is_bar));
  std::string plots;
  // Marks lie under the series: two points each, here and not in the .dat, for their ends are the axis's.
  for (std::size_t i = 0; i < figure.marks.size(); ++i) {
    const Mark& mark = figure.marks[i];
    text += fmt::format("$mark{} << E\n{:.10g} {:g}\n{:.10g} {:g}\nE\n", i, mark.x, y.low, mark.x,
                        y.high);
    plots += fmt::format("{}$mark{} using 1:2 with lines lc rgb '#777777' lw 2 dt {} title {}",
                         plots.empty() ? "" : ", \\\n     ", i, kDashes[(i + 1) % kDashes.size()],
                         quoted(mark.label));
  }
  for (std::size_t i = 0, bar = 0; i < figure.series.size(); ++i) {
    plots += (plots.empty() ? "" : ", \\\n     ") + plot_of(figure, i, bar, bars);
    if (is_bar(figure.series[i])) ++bar;
  }
  return text + "plot " + plots + "\n";
}

}  // namespace clgauss::tune::report
