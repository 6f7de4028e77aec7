#pragma once
/// A line on stderr that says how far long work has come and how long it will take.

#include <chrono>
#include <string>
#include <string_view>

namespace clgauss::cli {

/// Shown only on a terminal, and only for work that has taken over a second; removed when the work
/// is done.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  /// `fraction`, 0..1, of `what` is done; `detail` says what goes on at the moment.
  void update(std::string_view what, double fraction, std::string_view detail = {});
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  bool shown_ = false;
  std::string what_;
  Clock::time_point started_;
  Clock::time_point last_shown_;
};

}  // namespace clgauss::cli
