#pragma once
/// Figures of the report: series of numbers that gnuplot draws and a table repeats.

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace clgauss::tune::report {

enum class Style {
  line,         // with `low` and `high`: a band behind it; for many points
  line_points,  // with `low` and `high`: error bars
  points,       // likewise
  rings,        // hollow and larger, to mark points of other series
  bars          // several series with bars stand side by side; give their x a distance of 1
};

struct Series {
  std::string label;  // in the legend
  Style style = Style::line_points;
  std::vector<double> x, y;       // as many of both; in the order in which a line connects them
  std::vector<double> low, high;  // spread of each y; empty: none
};

struct Axis {
  std::string label;  // with its unit
  bool log = false;   // values of 0 and less are then left out
  double step = 0;    // distance of the ticks of a linear axis; 0: found by itself
  std::vector<std::pair<double, std::string>> ticks;  // instead, with their names: categories
};

/// A straight line at a value of the x axis.
struct Mark {
  std::string label;  // in the legend
  double x = 0;
};

struct Figure {
  std::string name;     // of its files: lower-case letters, digits, '-' and '_'
  std::string title;    // the caption's first, bold words
  std::string caption;  // what is seen, and what to see in it
  Axis x, y;
  std::vector<Series> series;
  std::vector<Mark> marks;
  bool ordered = false;  // the series' colours run from dark to light, in place of distinct ones
};

/// Draws figures with gnuplot. NAME.dat (numbers) and NAME.gp (commands, `gnuplot NAME.gp` in that folder draws it again) stay
/// beside NAME.svg.
class Illustrator {
 public:
  /// `folder` is made when the first figure is drawn; `link` is its path as seen from the page.
  Illustrator(std::filesystem::path folder, std::string link, std::string gnuplot = "gnuplot");

  /// Draws nothing.
  [[nodiscard]] static Illustrator none();

  /// <figure> with the drawing, its caption and its numbers as a table. Where gnuplot is missing or fails the table stands alone,
  /// and problems() says why. A name that was drawn before gets a number. Throws FileError if the files cannot be written,
  /// UsageError for a figure whose series are not as long as they should be.
  [[nodiscard]] std::string draw(Figure figure);

  /// Why figures are missing, for the user; empty if none is.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  [[nodiscard]] std::string svg_of(const Figure& figure);

  std::filesystem::path folder_;
  std::string link_, gnuplot_;
  bool found_ = true, draws_ = true;
  std::map<std::string, std::size_t> drawn_;
  std::vector<std::string> problems_;
};

/// What Illustrator writes: the numbers, one block a series, and the commands.
[[nodiscard]] std::string gnuplot_data(const Figure& figure);
[[nodiscard]] std::string gnuplot_commands(const Figure& figure);

}  // namespace clgauss::tune::report
