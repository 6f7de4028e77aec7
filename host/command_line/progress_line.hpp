#pragma once
/// A line on stderr that shows the progress of long work and the time left.

#include <chrono>
#include <clgauss/progress.hpp>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace clgauss::cli {

/// Shown only on a terminal, and only once the work has taken more than a second; removed when the
/// work is done. A thread keeps it current even while nobody calls update(), for example while a
/// driver builds kernels.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  /// `fraction` (0..1) of `what` is done; 0 if unknown. `detail` names the current activity.
  void update(std::string_view what, double fraction, std::string_view detail = {});
  void clear();
  /// The work ends within `seconds` from now, whatever `fraction` is: the line never shows more
  /// time left.
  void end_within(double seconds);

 private:
  using Clock = std::chrono::steady_clock;

  void show();

  std::mutex mutex_;  // protects all members below
  bool shown_ = false;
  std::string what_, detail_;
  double fraction_ = 0;
  Clock::time_point started_;
  std::optional<Clock::time_point> end_;
  std::condition_variable_any never_;
  std::jthread painter_;  // the last member, so that it ends before the others
};

/// "12 s" or "3 min".
[[nodiscard]] std::string duration_text(double seconds);

/// Shows the library's progress on `line`, which must outlive the callback, and stops the work on
/// Ctrl-C.
[[nodiscard]] ProgressCallback shown_on(ProgressLine& line);

}  // namespace clgauss::cli
