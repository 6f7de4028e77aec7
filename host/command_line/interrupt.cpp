#include "command_line/interrupt.hpp"

#include <csignal>

namespace clgauss::cli {

namespace {

/// The one thing that a signal handler may touch.
volatile std::sig_atomic_t interrupted = 0;

void remember(int /*signal*/) { interrupted = 1; }

}  // namespace

void remember_interrupts() {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void throw_if_interrupted() {
  if (interrupted != 0) throw Interrupted();
}

}  // namespace clgauss::cli
