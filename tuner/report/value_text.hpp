#pragma once
/// A point of a figure in words, as the drawing and the table say them alike.

#include <string>

#include "tuner/report/figure.hpp"

namespace clgauss::tune::report {

/// "1012", or the name of its row, or its own.
[[nodiscard]] std::string name_text(const Figure& figure, const Series& series, std::size_t i);

/// "12.3 [11.9, 12.8]": with its spread where it has one, without its unit.
[[nodiscard]] std::string value_text(const Figure& figure, const Series& series, std::size_t i);

}  // namespace clgauss::tune::report
