#pragma once
/// A program's handlers of signals, which OpenCL drivers replace: PoCL's compiler takes fifteen of
/// them when the platforms are first asked for.

#include <csignal>
#include <vector>

namespace clgauss {

/// Handlers, masks and flags are at its end as they were at its begin. What other threads change
/// meanwhile is lost, except the handler of mapped files (io/mapping.hpp).
class KeptSignalHandlers {
 public:
  KeptSignalHandlers();
  KeptSignalHandlers(const KeptSignalHandlers&) = delete;
  KeptSignalHandlers& operator=(const KeptSignalHandlers&) = delete;
  ~KeptSignalHandlers();

 private:
  struct Kept {
    int signal;
    struct sigaction action;
  };
  std::vector<Kept> kept_;
};

}  // namespace clgauss
