#pragma once
/// Protects a program's signal handlers from OpenCL drivers: PoCL's compiler replaces fifteen of
/// them when the platforms are first listed.

#include <csignal>
#include <vector>

namespace clgauss {

/// Saves all signal handlers with their masks and flags. The destructor restores each one whose
/// handler or flags have changed. Changes by other threads in between are lost, except the handler
/// for mapped files (io/mapping.hpp).
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
