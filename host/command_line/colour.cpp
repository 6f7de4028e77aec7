#include "command_line/colour.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace clgauss::cli {

namespace {

/// As https://no-color.org says, a variable that is set to an empty value does not count.
bool is_coloured() {
  const auto variable = [](const char* name) -> std::string_view {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  return isatty(STDERR_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

constexpr std::array<std::pair<std::string_view, Colour>, 7> kMarks{{{"SINGULAR", Colour::red},
                                                                     {"OVERFLOW", Colour::red},
                                                                     {"MISSED", Colour::red},
                                                                     {"PROVEN", Colour::red},
                                                                     {"WARNING", Colour::yellow},
                                                                     {"ok:", Colour::green},
                                                                     {"proven", Colour::green}}};

}  // namespace

std::string painted(std::string_view text, Colour colour) {
  if (!is_coloured()) return std::string(text);
  const char* const code = colour == Colour::red      ? "\033[31m"
                           : colour == Colour::yellow ? "\033[33m"
                                                      : "\033[32m";
  return code + std::string(text) + "\033[0m";
}

std::string painted_summary(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    for (const auto& [mark, colour] : kMarks)
      if (const std::size_t at = line.find(mark); at != std::string::npos) {
        line.replace(at, mark.size(), painted(mark, colour));
        break;
      }
    result += line + (end < text.size() ? "\n" : "");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace clgauss::cli
