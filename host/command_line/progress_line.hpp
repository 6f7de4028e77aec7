#pragma once
/// A line on stderr that says how far long work has come and how long it will take.

#include <chrono>
#include <clgauss/progress.hpp>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace clgauss::cli {

/// Shown only on a terminal, and only for work that has taken over a second; removed when the work
/// is done. A thread of its own keeps it up to date, also while a driver builds kernels and nobody
/// calls update().
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  /// `fraction`, 0..1, of `what` is done, 0 where that is not known; `detail` says what goes on at
  /// the moment.
  void update(std::string_view what, double fraction, std::string_view detail = {});
  void clear();
  /// The work ends within `seconds` from now on, however far it has come: never more are left.
  void end_within(double seconds);

 private:
  using Clock = std::chrono::steady_clock;

  void show();

  std::mutex mutex_;  // of all that follows
  bool shown_ = false;
  std::string what_, detail_;
  double fraction_ = 0;
  Clock::time_point started_;
  std::optional<Clock::time_point> end_;
  std::condition_variable_any never_;
  std::jthread painter_;  // the last member: it ends before the others
};

/// "12 s" or "3 min".
[[nodiscard]] std::string duration_text(double seconds);

/// Shows the progress of the library on `line`, which must outlive it, and ends the work at Ctrl-C.
[[nodiscard]] ProgressCallback shown_on(ProgressLine& line);

}  // namespace clgauss::cli
