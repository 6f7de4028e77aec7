#pragma once
/// A program at a terminal of its own, as a person sits at it.

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>

#include "support/paths.hpp"

namespace clgauss::test {

class Terminal {
 public:
  /// Runs a shell's `command` in `folder`; $CLGAUSS, $CLGAUSS_TUNE and $CLGAUSS_BENCH are the
  /// programs, whose folder is in PATH.
  Terminal(const TemporaryFolder& folder, const std::string& command) {
    const winsize size{40, 200, 0, 0};
    process_ = forkpty(&master_, nullptr, nullptr, &size);
    if (process_ != 0) return;
    const std::string script =
        "cd '" + folder.path().string() + "'; CLGAUSS='" + program().string() +
        "'; CLGAUSS_TUNE='" + tune_program().string() + "'; CLGAUSS_BENCH='" +
        bench_program().string() + "'; export PATH='" + program().parent_path().string() +
        "':\"$PATH\" TERM=${TERM_FOR_TEST:-xterm}; unset NO_COLOR\n" + command;
    execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    _exit(127);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (process_ > 0 && !ended_) {
      kill(-process_, SIGKILL);  // a session of its own
      waitpid(process_, nullptr, 0);
    }
    close(master_);
  }

  void type(const std::string& text) {
    if (write(master_, text.data(), text.size()) < 0) screen_ += "(cannot type)";
  }

  /// Whether `text` comes to stand on the screen within `seconds`.
  bool shows(const std::string& text, double seconds = 30) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (screen_.find(text) == std::string::npos && std::chrono::steady_clock::now() < end)
      if (!read_some()) break;
    return screen_.find(text) != std::string::npos;
  }

  /// The exit code, when the program has ended; 128 and the signal that ended it.
  int wait() {
    while (read_some()) {
    }
    int status = 0;
    waitpid(process_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  /// All that was written so far, control sequences included.
  [[nodiscard]] const std::string& screen() const { return screen_; }
  void forget() { screen_.clear(); }

 private:
  /// False at the end of what the program writes.
  bool read_some() {
    pollfd waiting{master_, POLLIN, 0};
    if (poll(&waiting, 1, 100) == 0) return true;
    char bytes[4096];
    const ssize_t count = read(master_, bytes, sizeof bytes);
    if (count <= 0) return false;
    screen_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  int master_ = -1;
  pid_t process_ = -1;
  bool ended_ = false;
  std::string screen_;
};

}  // namespace clgauss::test
