#include "command_line/interrupt.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <clgauss/io.hpp>
#include <csignal>
#include <string>
#include <thread>

namespace clgauss::cli {

namespace {

using namespace std::chrono_literals;

/// How long the program may take to come to throw_if_interrupted() and to unwind.
constexpr auto kPatience = 700ms;

/// All that a signal handler may touch.
volatile std::sig_atomic_t interrupted = 0;
sem_t signalled;

void remember(int /*signal*/) {
  interrupted = 1;
  sem_post(&signalled);
}

/// Ends the program where it does not end by itself: a driver that builds a kernel or runs one cannot be called back.
[[noreturn]] void end_after_signal() {
  while (sem_wait(&signalled) != 0 && errno == EINTR) {
  }
  std::this_thread::sleep_for(kPatience);
  OutputFile::remove_all_temporaries();
  const std::string text = std::string(isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "") +
                           program_invocation_short_name + ": interrupted\n";
  [[maybe_unused]] const ssize_t nobody_to_tell = write(STDERR_FILENO, text.data(), text.size());
  _exit(static_cast<int>(ExitCode::interrupted));
}

/// Starts the thread with the signals blocked, so that they go on to interrupt what the main thread waits for.
void start_watcher() {
  sem_init(&signalled, 0, 0);
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  std::thread(end_after_signal).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void remember_interrupts() {
  static const bool watched = (start_watcher(), true);
  static_cast<void>(watched);
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
