#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "tuner/measure/estimate.hpp"
#include "tuner/report/figure.hpp"
#include "tuner/report/html.hpp"
#include "tuner/report/value_text.hpp"

namespace clgauss::tune::report {

const std::string_view kDrawingStyle = R"css(
.drawing { --ink: #1f2328; --soft: #59636e; --faint: #d8dee4; --paper: #fff; font: 13px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
.drawing .paper { fill: var(--paper); } .drawing text { fill: var(--ink); } .drawing .tick { fill: var(--soft); }
.drawing .grid { stroke: var(--faint); fill: none; } .drawing .axis { stroke: var(--soft); fill: none; }
.drawing .mark { stroke: var(--soft); stroke-width: 1.5; fill: none; }
.drawing .s { color: var(--light); } .drawing .s path { stroke: currentColor; stroke-width: 1.8; fill: none; }
.drawing .s .full { fill: currentColor; stroke: none; } .drawing .s .band { fill: currentColor; fill-opacity: .18; stroke: none; }
.drawing .s .ring { stroke: var(--ink); stroke-width: 1.5; } .drawing .hit { fill: transparent; stroke: none; }
@media (prefers-color-scheme: dark) {
  .drawing { --ink: #e6edf3; --soft: #9da7b1; --faint: #343b44; --paper: #14171c; } .drawing .s { color: var(--dark); }
}
@media print { .drawing { --ink: #000; --soft: #444; --faint: #ddd; --paper: #fff; } .drawing .s { color: var(--light); } }
)css";

namespace {

// Small enough that its letters, set at 13, are still legible where a phone shows it 360 pixels
// wide.
constexpr double kWidth = 440, kPlotHeight = 250, kEllipsis = 13, kLine = 20, kRight = 22;
constexpr double kMostNames = 0.45 * kWidth;  // for the names of rows
constexpr double kDodge = 9;                  // between the series of one row

/// On white and on nearly black, both with a contrast of 3 and more.
using Colour = std::pair<std::array<int, 3>, std::array<int, 3>>;
constexpr std::array<Colour, 7> kDistinct{{{{0, 98, 163}, {92, 180, 240}},
                                           {{190, 75, 10}, {255, 150, 85}},
                                           {{0, 125, 85}, {70, 205, 155}},
                                           {{160, 50, 135}, {240, 145, 215}},
                                           {{125, 95, 0}, {225, 190, 60}},
                                           {{75, 80, 95}, {190, 196, 206}},
                                           {{100, 80, 205}, {175, 165, 255}}}};
constexpr std::array<Colour, 3> kOrdered{{{{40, 75, 190}, {110, 150, 255}},
                                          {{170, 50, 140}, {235, 125, 205}},
                                          {{195, 95, 0}, {255, 180, 70}}}};
constexpr std::array<const char*, 5> kShapes{"M-3.8,0a3.8,3.8 0 1 0 7.6,0a3.8,3.8 0 1 0 -7.6,0z",
                                             "M-3.4,-3.4h6.8v6.8h-6.8z", "M0,-5L5,0L0,5L-5,0z",
                                             "M0,-4.6L4.6,3.4H-4.6z", "M0,4.6L4.6,-3.4H-4.6z"};
constexpr const char* kRing = "M-6.5,0a6.5,6.5 0 1 0 13,0a6.5,6.5 0 1 0 -13,0z";
constexpr std::array<const char*, 4> kDashes{"none", "9 4", "3 3", "9 3 2 3"};

Colour colour(const Figure& figure, std::size_t place) {
  if (!figure.ordered) return kDistinct[place % kDistinct.size()];
  const double at = figure.series.size() < 2 ? 0
                                             : static_cast<double>(place) * (kOrdered.size() - 1) /
                                                   static_cast<double>(figure.series.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), kOrdered.size() - 2);
  const auto mixed = [&](const std::array<int, 3>& a, const std::array<int, 3>& b) {
    std::array<int, 3> result{};
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] =
          static_cast<int>(std::lround(std::lerp(a[i], b[i], at - static_cast<double>(below))));
    return result;
  };
  return {mixed(kOrdered[below].first, kOrdered[below + 1].first),
          mixed(kOrdered[below].second, kOrdered[below + 1].second)};
}

std::string style_of(const Colour& colour) {
  const auto hex = [](const std::array<int, 3>& rgb) {
    return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
  };
  return fmt::format("--light:{};--dark:{}", hex(colour.first), hex(colour.second));
}

/// What a text takes at 13 pixels in the widest of the usual fonts.
double width_of(std::string_view text) {
  double width = 0;
  for (const char c : text) {
    /// of a letter of several bytes
    const bool inside = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    if (std::string_view("fijlrt.,:;'|()[] -").find(c) != std::string_view::npos)
      width += 5.4;
    else if (std::string_view("mwMW=+%<>").find(c) != std::string_view::npos)
      width += 12;
    else if (!inside)
      width += c >= 'A' && c <= 'Z' ? 9.4 : 8.3;
  }
  return width;
}

/// At most so wide; the rest of a longer text is in its tips and its table.
std::string cut(const std::string& text, double width) {
  if (width_of(text) <= width) return text;
  std::string kept = text;
  while (width_of(kept) > width - kEllipsis) kept.pop_back();
  // Not within a letter of several bytes.
  while (!kept.empty() && (static_cast<unsigned char>(text[kept.size()]) & 0xC0U) == 0x80U)
    kept.pop_back();
  return kept + "…";
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

/// Of all y, with some air; a linear axis begins at 0.
Range y_range(const Figure& figure) {
  Range range;
  for (const Series& series : figure.series)
    for (const auto* values : {&series.y, &series.low, &series.high})
      for (const double value : *values) range.take(value, figure.y.log);
  if (!figure.rows.empty())
    for (const Mark& mark : figure.marks) range.take(mark.x, figure.y.log);
  if (range.empty()) return {1, 10};
  if (figure.y.log) return {range.low / 1.25, range.high * 1.25};
  if (range.low >= 0 && range.high <= 0) return {0, 1};
  const double air = 0.06 * (range.high - std::min(range.low, 0.0));
  return {range.low < 0 ? range.low - air : 0, range.high > 0 ? range.high + air : 0};
}

Range x_range(const Figure& figure) {
  Range range;
  for (const Series& series : figure.series)
    for (const double x : series.x) range.take(x, figure.x.log);
  for (const Mark& mark : figure.marks) range.take(mark.x, figure.x.log);
  if (range.empty()) return {1, 10};
  if (figure.x.log) return {range.low / 1.15, range.high * 1.15};
  const double air = range.high > range.low ? 0.03 * (range.high - range.low)
                                            : std::max(1.0, 0.01 * std::abs(range.high));
  return {range.low - air, range.high + air};
}

/// Where the values of an axis lie in the drawing.
struct Scale {
  Axis axis;
  Range range;
  double from = 0, to = 0;

  [[nodiscard]] double at(double value) const {
    const auto of = [&](double v) { return axis.log ? std::log(v) : v; };
    const double inside = std::clamp(value, range.low, range.high);
    return from + (to - from) * (of(inside) - of(range.low)) / (of(range.high) - of(range.low));
  }
  [[nodiscard]] bool has(double value) const {
    return std::isfinite(value) && !(axis.log && value <= 0);
  }
};

std::string tick_text(double value) { return significant(value + 0.0, 9); }  // never -0

/// The multiples of `step` within the range.
std::vector<double> multiples(const Range& range, double step) {
  std::vector<double> values;
  for (double i = std::ceil(range.low / step - 1e-9); i * step <= range.high * (1 + 1e-9); ++i)
    values.push_back(i * step);
  return values;
}

/// `digits` times the powers of `base` within the range.
std::vector<double> powers(const Range& range, double base, const std::vector<double>& digits) {
  std::vector<double> values;
  for (double power = std::floor(std::log(range.low) / std::log(base));
       std::pow(base, power) <= range.high; ++power)
    for (const double digit : digits)
      if (const double value = digit * std::pow(base, power);
          value >= range.low && value <= range.high)
        values.push_back(value);
  return values;
}

/// As many ticks as stand side by side, or upon each other, with air between them.
std::vector<double> ticks_of(const Scale& scale, bool horizontal) {
  const auto fit = [&](const std::vector<double>& values) {
    for (std::size_t i = 1; i < values.size(); ++i) {
      const double need =
          horizontal ? (width_of(tick_text(values[i - 1])) + width_of(tick_text(values[i]))) / 2 + 9
                     : 24;
      if (std::abs(scale.at(values[i]) - scale.at(values[i - 1])) < need) return false;
    }
    return true;
  };
  std::vector<double> found;
  if (scale.axis.log) {
    const double base = scale.axis.step > 1 ? scale.axis.step : 10;
    std::vector<std::vector<double>> choices;
    if (base == 10) choices = {{1, 2, 3, 4, 5, 6, 8}, {1, 2, 3, 5}, {1, 2, 5}, {1, 3}};
    choices.push_back({1});
    for (const auto& digits : choices)
      if (found = powers(scale.range, base, digits); fit(found) && found.size() > 1) return found;
    for (double wider = base * base; wider < 1e30; wider *= base)
      if (found = powers(scale.range, wider, {1}); fit(found)) break;
    if (found.size() > 1) return found;
  }
  if (scale.axis.step > 0 && !scale.axis.log)
    for (double step = scale.axis.step;; step *= 2)
      if (found = multiples(scale.range, step); fit(found)) return found;
  const double first = std::floor(std::log10(scale.range.high - scale.range.low)) - 2;
  for (double decade = std::pow(10, first);; decade *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (found = multiples(scale.range, digit * decade); fit(found)) return found;
}

std::string titled(const Axis& axis) {
  return axis.unit.empty() ? axis.label : axis.label + ", " + axis.unit;
}

std::string text_at(double x, double y, const char* attributes, std::string_view text) {
  return fmt::format("<text x=\"{:.4g}\" y=\"{:.4g}\"{}>{}</text>\n", x, y, attributes,
                     escape(text));
}

/// One drawing while it grows from top to bottom.
class Drawing {
 public:
  explicit Drawing(const Figure& figure) : figure_(figure), rows_(!figure.rows.empty()) {}

  std::string text() {
    lay_out();
    axes();
    for (std::size_t i = 0; i < figure_.marks.size(); ++i) mark(i);
    for (std::size_t i = 0; i < figure_.series.size(); ++i) series(i);
    const double height = legend();
    return fmt::format(
        "<svg class=\"drawing\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" "
        "role=\"img\" aria-label=\"{2}\">\n<rect class=\"paper\" width=\"{0:g}\" "
        "height=\"{1:g}\"/>\n"
        "{3}</svg>\n",
        kWidth, height, escape(figure_.title), body_);
  }

 private:
  /// Room for the names at the left, and where the axes lie.
  void lay_out() {
    const Axis& along = rows_ ? figure_.y : figure_.x;
    top_ = rows_ ? 6 : 28;
    row_height_ =
        10 + kDodge * static_cast<double>(std::max<std::size_t>(figure_.series.size(), 1));
    bottom_ = top_ + (rows_ ? row_height_ * static_cast<double>(figure_.rows.size()) : kPlotHeight);
    double widest = 0;
    if (rows_) {
      for (const std::string& name : figure_.rows) widest = std::max(widest, width_of(name));
    } else {
      up_ = {figure_.y, y_range(figure_), bottom_, top_};
      up_ticks_ = ticks_of(up_, false);
      for (const double tick : up_ticks_) widest = std::max(widest, width_of(tick_text(tick)));
    }
    left_ = std::min(widest, kMostNames) + 12;
    along_ = {along, rows_ ? y_range(figure_) : x_range(figure_), left_, kWidth - kRight};
  }

  void axes() {
    for (const double tick : up_ticks_) {
      body_ += fmt::format("<path class=\"grid\" d=\"M{:.4g},{:.4g}H{:.4g}\"/>\n", left_,
                           up_.at(tick), kWidth - kRight);
      body_ += text_at(left_ - 6, up_.at(tick) + 4.5, " class=\"tick\" text-anchor=\"end\"",
                       tick_text(tick));
    }
    for (std::size_t i = 0; i < figure_.rows.size(); ++i) {
      const double y = row_middle(static_cast<double>(i));
      // Through a row's dots, or between the rows where several stand upon each other.
      if (figure_.series.size() < 2 || i > 0)
        body_ += fmt::format("<path class=\"grid\" d=\"M{:.4g},{:.4g}H{:.4g}\"/>\n", left_,
                             figure_.series.size() < 2 ? y : y - row_height_ / 2, kWidth - kRight);
      body_ +=
          text_at(left_ - 6, y + 4.5, " text-anchor=\"end\"", cut(figure_.rows[i], kMostNames));
    }
    if (!rows_) body_ += text_at(2, 16, "", titled(figure_.y));
    for (const double tick : ticks_of(along_, true)) {
      const double x = along_.at(tick);
      if (rows_)
        body_ +=
            fmt::format("<path class=\"grid\" d=\"M{:.4g},{:.4g}V{:.4g}\"/>\n", x, top_, bottom_);
      body_ += fmt::format("<path class=\"axis\" d=\"M{:.4g},{:.4g}v4\"/>\n", x, bottom_);
      body_ += text_at(x, bottom_ + 20, " class=\"tick\" text-anchor=\"middle\"", tick_text(tick));
    }
    body_ += fmt::format("<path class=\"axis\" d=\"M{:.4g},{:.4g}H{:.4g}\"/>\n", left_, bottom_,
                         kWidth - kRight);
    body_ += text_at((left_ + kWidth - kRight) / 2, bottom_ + 39, " text-anchor=\"middle\"",
                     titled(along_.axis));
    end_ = bottom_ + 46;
  }

  void mark(std::size_t i) {
    body_ += fmt::format(
        "<g data-s=\"m{}\"><path class=\"mark\" stroke-dasharray=\"{}\" "
        "d=\"M{:.4g},{:.4g}V{:.4g}\"/></g>\n",
        i, kDashes[1 + i % (kDashes.size() - 1)], along_.at(figure_.marks[i].x), top_, bottom_);
  }

  [[nodiscard]] double row_middle(double row) const { return top_ + row_height_ * (row + 0.5); }

  /// A point of series s in the drawing, and the ends of its spread; none where it has no place.
  struct Spot {
    double x, y, low, high;
    std::size_t i;
  };
  [[nodiscard]] std::optional<Spot> spot(std::size_t s, std::size_t i) const {
    const Series& series = figure_.series[s];
    const Scale& of_value = rows_ ? along_ : up_;
    if (!of_value.has(series.y[i]) || (!rows_ && !along_.has(series.x[i]))) return std::nullopt;
    const double value = of_value.at(series.y[i]);
    const double low = series.low.empty() ? value : of_value.at(series.low[i]);
    const double high = series.low.empty() ? value : of_value.at(series.high[i]);
    if (!rows_) return Spot{along_.at(series.x[i]), value, low, high, i};
    const double middle = static_cast<double>(figure_.series.size() - 1) / 2;
    return Spot{value, row_middle(series.x[i]) + kDodge * (static_cast<double>(s) - middle), low,
                high, i};
  }

  void series(std::size_t s) {
    const Series& series = figure_.series[s];
    std::vector<Spot> spots;
    for (std::size_t i = 0; i < series.x.size(); ++i)
      if (const auto found = spot(s, i)) spots.push_back(*found);
    body_ += fmt::format("<g class=\"s\" data-s=\"{}\" style=\"{}\">\n", s,
                         style_of(colour(figure_, s)));
    if (!series.low.empty() && series.style == Style::line) body_ += band(spots);
    if (series.style == Style::line || series.style == Style::line_points) body_ += line(s, spots);
    for (const Spot& one : spots) {
      if (!series.low.empty() && series.style != Style::line)
        body_ += rows_
                     ? fmt::format("<path d=\"M{:.5g},{:.5g}H{:.5g}\"/>", one.low, one.y, one.high)
                     : fmt::format("<path d=\"M{:.5g},{:.5g}V{:.5g}\"/>", one.x, one.low, one.high);
      body_ += fmt::format(
          "<g class=\"v\" transform=\"translate({:.5g} {:.5g})\">{}<title>{}\n{}: "
          "{}{}</title></g>\n",
          one.x, one.y, sign(s), escape(heading(series, one.i)), escape(series.label),
          value_text(figure_, series, one.i),
          figure_.y.unit.empty() ? "" : " " + escape(figure_.y.unit));
    }
    body_ += "</g>\n";
  }

  /// "n = 1012", "work-group size 64": of which point the values are.
  [[nodiscard]] std::string heading(const Series& series, std::size_t i) const {
    const std::string name = name_text(figure_, series, i);
    if (rows_ || !series.names.empty()) return name;
    return fmt::format("{} {}{}", figure_.x.label, figure_.x.label == "n" ? "= " : "", name);
  }

  static std::string band(const std::vector<Spot>& spots) {
    if (spots.empty()) return {};
    std::string points;
    for (const Spot& one : spots)
      points += fmt::format("{}{:.5g},{:.5g}", points.empty() ? "M" : "L", one.x, one.high);
    for (auto one = spots.rbegin(); one != spots.rend(); ++one)
      points += fmt::format("L{:.5g},{:.5g}", one->x, one->low);
    return fmt::format("<path class=\"band\" d=\"{}z\"/>\n", points);
  }

  [[nodiscard]] std::string line(std::size_t s, const std::vector<Spot>& spots) const {
    if (rows_ || spots.empty()) return {};
    std::string points;
    for (const Spot& one : spots)
      points += fmt::format("{}{:.5g},{:.5g}", points.empty() ? "M" : "L", one.x, one.y);
    return fmt::format("<path stroke-dasharray=\"{}\" d=\"{}\"/>\n",
                       kDashes[figure_.ordered ? 0 : s % kDashes.size()], points);
  }

  /// What stands at a point of series s, and in the legend.
  [[nodiscard]] std::string sign(std::size_t s) const {
    switch (figure_.series[s].style) {
      case Style::line:
        return "<circle class=\"hit\" r=\"3\"/>";
      case Style::rings:
        return fmt::format("<path class=\"ring\" d=\"{}\"/>", kRing);
      case Style::line_points:
      case Style::points:
        break;
    }
    return fmt::format("<path class=\"full\" d=\"{}\"/>", kShapes[s % kShapes.size()]);
  }

  /// The names of series and marks, as many side by side as have room; the height of the whole
  /// drawing.
  double legend() {
    if (figure_.series.size() + figure_.marks.size() < 2) return end_;
    constexpr double sample = 30, gap = 14;
    double x = 4;
    const auto entry = [&](const std::string& key, const std::string& style,
                           const std::string& drawn, const std::string& whole_label) {
      const std::string label = cut(whole_label, kWidth - sample - 12);
      const double width = sample + width_of(label);
      if (x > 4 && x + width > kWidth - 4) {
        x = 4;
        end_ += kLine;
      }
      body_ += fmt::format(
          "<g class=\"{8}key\" data-key=\"{0}\" style=\"{1}\" transform=\"translate({2:.4g} "
          "{3:.4g})\"><rect "
          "class=\"hit\" x=\"-4\" y=\"-10\" width=\"{4:.4g}\" height=\"20\"/>{5}<text x=\"{6:g}\" "
          "y=\"4.5\">{7}</text></g>\n",
          key, style, x, end_ + kLine / 2, width + 8, drawn, sample, escape(label),
          style.empty() ? "" : "s ");
      x += width + gap;
    };
    for (std::size_t s = 0; s < figure_.series.size(); ++s) {
      const Series& series = figure_.series[s];
      const bool lined =
          !rows_ && (series.style == Style::line || series.style == Style::line_points);
      const std::string stroke =
          lined ? fmt::format("<path stroke-dasharray=\"{}\" d=\"M0,0H24\"/>",
                              kDashes[figure_.ordered ? 0 : s % kDashes.size()])
                : "";
      entry(std::to_string(s), style_of(colour(figure_, s)),
            stroke + "<g transform=\"translate(12 0)\">" + sign(s) + "</g>", series.label);
    }
    for (std::size_t i = 0; i < figure_.marks.size(); ++i)
      entry(fmt::format("m{}", i), "",
            fmt::format("<path class=\"mark\" stroke-dasharray=\"{}\" d=\"M0,0H24\"/>",
                        kDashes[1 + i % (kDashes.size() - 1)]),
            figure_.marks[i].label);
    return end_ + kLine + 4;
  }

  const Figure& figure_;
  bool rows_;
  std::string body_;
  double left_ = 0, top_ = 0, bottom_ = 0, row_height_ = 0, end_ = 0;
  Scale along_, up_;
  std::vector<double> up_ticks_;
};

}  // namespace

std::string name_text(const Figure& figure, const Series& series, std::size_t i) {
  if (!series.names.empty()) return series.names[i];
  return figure.rows.empty() ? significant(series.x[i], 10)
                             : figure.rows.at(static_cast<std::size_t>(series.x[i]));
}

std::string value_text(const Figure& figure, const Series& series, std::size_t i) {
  const auto text = [&](double value) { return significant(value, figure.y.digits); };
  if (series.low.empty() || series.low[i] == series.high[i]) return text(series.y[i]);
  return fmt::format("{} [{}, {}]", text(series.y[i]), text(series.low[i]), text(series.high[i]));
}

std::string svg(const Figure& figure) { return Drawing(figure).text(); }

}  // namespace clgauss::tune::report
