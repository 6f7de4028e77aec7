#include "command_line/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "command_line/streams.hpp"

namespace clgauss::cli {

using namespace std::chrono_literals;

ProgressLine::ProgressLine(bool enabled) : enabled_(enabled && isatty(STDERR_FILENO) == 1) {}

namespace {

/// "12 s" or "3 min", by the pace so far; empty while nothing is known.
std::string time_left(double elapsed_s, double fraction) {
  if (!(fraction > 0)) return {};
  const double left_s = elapsed_s * (1 - fraction) / fraction;
  return left_s < 100 ? fmt::format(", {:.0f} s left", left_s)
                      : fmt::format(", {:.0f} min left", left_s / 60);
}

}  // namespace

void ProgressLine::update(std::string_view what, double fraction, std::string_view detail) {
  if (!enabled_) return;
  const auto now = Clock::now();
  if (what != what_) {
    what_ = what;
    started_ = now;
  }
  if (now - started_ < 1s || now - last_shown_ < 100ms) return;
  last_shown_ = now;
  shown_ = true;
  const double elapsed_s = std::chrono::duration<double>(now - started_).count();
  tell(fmt::format("\r\033[K{} {:.0f} %{}{}{}", what_, 100 * fraction,
                   time_left(elapsed_s, fraction), detail.empty() ? "" : ": ", detail));
}

void ProgressLine::clear() {
  if (shown_) tell("\r\033[K");
  shown_ = false;
}

}  // namespace clgauss::cli
