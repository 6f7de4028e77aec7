#include "command_line/progress_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "command_line/interrupt.hpp"
#include "command_line/streams.hpp"

namespace clgauss::cli {

using namespace std::chrono_literals;

ProgressLine::ProgressLine(bool enabled) {
  if (!enabled || isatty(STDERR_FILENO) != 1) return;
  painter_ = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
      never_.wait_for(lock, stop, 200ms, [] { return false; });
      if (is_interrupted()) return;  // what a signal's handler says is to stay
      show();
    }
  });
}

std::string duration_text(double seconds) {
  return seconds < 100 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

namespace {

/// The percentage done and the time left, estimated from the pace so far and at most `most_s`. If
/// neither is known, the elapsed time.
std::string pace_text(double elapsed_s, double fraction, double most_s) {
  if (!(fraction > 0) && !std::isfinite(most_s)) return duration_text(elapsed_s);
  return fmt::format("{:.0f} %, {} left", 100 * fraction,
                     duration_text(std::min(elapsed_s * (1 - fraction) / fraction, most_s)));
}

}  // namespace

void ProgressLine::update(std::string_view what, double fraction, std::string_view detail) {
  if (!painter_.joinable()) return;
  const std::scoped_lock lock(mutex_);
  if (what != what_) started_ = Clock::now();
  what_ = what;
  fraction_ = fraction;
  detail_ = detail;
}

void ProgressLine::show() {
  using Seconds = std::chrono::duration<double>;
  const auto now = Clock::now();
  const double elapsed_s = Seconds(now - started_).count();
  const double most_s =
      end_ ? std::max(Seconds(*end_ - now).count(), 0.0) : std::numeric_limits<double>::infinity();
  if (what_.empty() || elapsed_s < 1) return;
  shown_ = true;
  tell(fmt::format("\r\033[K{} {}{}{}", what_, pace_text(elapsed_s, fraction_, most_s),
                   detail_.empty() ? "" : ": ", detail_));
}

void ProgressLine::end_within(double seconds) {
  const std::scoped_lock lock(mutex_);
  end_ = Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

void ProgressLine::clear() {
  const std::scoped_lock lock(mutex_);
  what_.clear();
  if (shown_) tell("\r\033[K");
  shown_ = false;
}

ProgressCallback shown_on(ProgressLine& line) {
  return [&line](std::string_view what, double fraction) {
    throw_if_interrupted();
    const std::size_t colon = std::min(what.find(": "), what.size());
    line.update(what.substr(0, colon), fraction, what.substr(std::min(colon + 2, what.size())));
  };
}

}  // namespace clgauss::cli
