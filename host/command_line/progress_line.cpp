#include "command_line/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace clgauss::cli {

using namespace std::chrono_literals;

ProgressLine::ProgressLine(bool enabled) : enabled_(enabled && isatty(STDERR_FILENO) == 1) {}

void ProgressLine::update(std::string_view what, double fraction) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (what != what_) {
    what_ = what;
    started_ = now;
  }
  if (now - started_ < 1s || now - last_shown_ < 100ms) return;
  last_shown_ = now;
  shown_ = true;
  fmt::print(stderr, "\r\033[K{} {:.0f} %", what_, 100 * fraction);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace clgauss::cli
