#pragma once
/// Times the parts of a piece of work.

#include <chrono>
#include <utility>

namespace clgauss {

/// Seconds since the last call, or since construction.
class LapTimer {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace clgauss
