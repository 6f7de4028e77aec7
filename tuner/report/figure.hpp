#pragma once
/// Figures of the report: series of numbers, drawn as SVG, and repeated by a table.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clgauss::tune::report {

enum class Style {
  line,         // with `low` and `high`: a band behind it; for many points
  line_points,  // with `low` and `high`: error bars
  points,       // likewise
  rings         // hollow and larger, to mark points of other series
};

struct Series {
  std::string label;  // in the legend
  Style style = Style::line_points;
  std::vector<double> x = {},
                      y = {};  // as many of both; in the order in which a line connects them
  std::vector<double> low = {}, high = {};  // spread of each y; empty: none
  std::vector<std::string> names = {};      // of its points; empty: their x names them
};

/// Largest ratio of a figure's values; from there on a linear axis hides the small ones.
inline constexpr double kLogFrom = 8;

struct Axis {
  std::string label;
  std::string unit = {};  // of its values
  bool log = false;       // values of 0 and less are then left out
  double step = 0;  // distance of the ticks, on a logarithmic axis their ratio; 0: found by itself
  int digits = 4;   // significant ones, where a value is told
};

/// A straight line at a value of the horizontal axis.
struct Mark {
  std::string label;  // in the legend
  double x = 0;
};

struct Figure {
  std::string name;     // its id in the page: lower-case letters, digits, '-' and '_'
  std::string title;    // the caption's first, bold words
  std::string caption;  // what is seen, and what to see in it
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  std::vector<Mark> marks = {};
  bool ordered = false;  // the series' colours run from one to another, in place of distinct ones
  // Names of categories, which are then the rows of the figure from top to bottom: an x is a place
  // among them, and y runs along the horizontal axis.
  std::vector<std::string> rows = {};
};

/// The drawing as <svg class="drawing">, which kDrawingStyle paints: legible from 360 pixels on,
/// light or dark as the reader's system is. Every value is a <title>; whatever belongs to series i
/// has data-s="i".
[[nodiscard]] std::string svg(const Figure& figure);

/// How svg() looks, for a <style> of the page or of the drawing itself.
extern const std::string_view kDrawingStyle;

/// Makes figures of one page.
class Illustrator {
 public:
  /// `draws` false: draw() gives nothing, for a report without figures.
  explicit Illustrator(bool draws = true) : draws_(draws) {}

  /// <figure> with the drawing, its caption and its numbers as a table. A name that was drawn
  /// before gets a number. Throws UsageError for a figure whose series are not as long as they
  /// should be.
  [[nodiscard]] std::string draw(Figure figure);

 private:
  bool draws_;
  std::map<std::string, std::size_t> drawn_;
};

}  // namespace clgauss::tune::report
