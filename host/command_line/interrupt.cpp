#include "command_line/interrupt.hpp"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "command_line/exit_code.hpp"
#include "io/temporary.hpp"

namespace clgauss::cli {

namespace {

constexpr suseconds_t kPatienceUs = 600'000;  // for unwinding; a user waits up to a second

/// Everything that the signal handlers access.
volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t told = 0;
std::array<char, 80> message;
std::size_t message_length = 0;

/// Ends the program from a signal handler.
void end_at_once() {
  io::remove_temporaries();
  if (told == 0 && ::write(STDERR_FILENO, message.data(), message_length) < 0) {
    // stderr cannot be written; nothing else can be done.
  }
  ::_exit(static_cast<int>(ExitCode::interrupted));
}

void on_interrupt(int /*signal*/) {
  if (interrupted != 0) end_at_once();
  interrupted = 1;
  const itimerval patience{{0, 0}, {0, kPatienceUs}};
  ::setitimer(ITIMER_REAL, &patience, nullptr);
}

void on_patience_lost(int /*signal*/) { end_at_once(); }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // an interrupted read must not look like a bad file
  sigaction(signal, &action, nullptr);
}

}  // namespace

void handle_interrupts(std::string_view program) {
  const char* const clear_line = isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";
  const std::string text = fmt::format("{}{}: {}\n", clear_line, program, Interrupted().what());
  message_length = text.copy(message.data(), message.size());
  handle(SIGALRM, on_patience_lost);
  handle(SIGINT, on_interrupt);
  handle(SIGTERM, on_interrupt);
}

void interrupt_is_told() { told = 1; }

bool is_interrupted() { return interrupted != 0; }

void throw_if_interrupted() {
  if (is_interrupted()) throw Interrupted();
}

}  // namespace clgauss::cli
