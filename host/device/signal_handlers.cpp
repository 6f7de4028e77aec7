#include "device/signal_handlers.hpp"

#include <signal.h>

#include "io/mapping.hpp"

namespace clgauss {

namespace {

/// Other threads may have mapped files, whose SIGBUS handler must stay.
void restore(int signal, const struct sigaction& action) {
  if (signal == SIGBUS)
    io::restore_bus_handler(action);
  else
    sigaction(signal, &action, nullptr);
}

}  // namespace

KeptSignalHandlers::KeptSignalHandlers() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) == 0) kept_.push_back({signal, action});
  }
}

KeptSignalHandlers::~KeptSignalHandlers() {
  for (const auto& [signal, action] : kept_) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != action.sa_handler || now.sa_flags != action.sa_flags)
      restore(signal, action);
  }
}

}  // namespace clgauss
