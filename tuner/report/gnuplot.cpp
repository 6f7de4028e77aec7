#include "tuner/report/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clgauss/error.hpp>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

namespace clgauss::tune::report {

namespace {

using Clock = std::chrono::steady_clock;

/// What a child does between fork and exec; throws nothing, so that only spawn() has to look for errors.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

/// The first lines of what the child wrote.
std::string words_of(std::FILE* file) {
  std::array<char, 600> buffer{};
  std::rewind(file);
  std::string text(buffer.data(), std::fread(buffer.data(), 1, buffer.size(), file));
  std::ranges::replace(text, '\n', ' ');
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? std::string()
                                    : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// The child's wait status; empty if it had to be ended.
std::optional<int> wait_for(pid_t child, std::chrono::milliseconds timeout) {
  const auto end = Clock::now() + timeout;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() >= end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return status;
}

}  // namespace

GnuplotResult run_gnuplot(const std::string& program, const std::filesystem::path& folder,
                          const std::string& script, std::chrono::milliseconds timeout) {
  const TemporaryFile output(std::tmpfile());
  if (output == nullptr)
    throw FileError("a temporary file", std::generic_category().message(errno));
  FileActions actions;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), fileno(output.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), fileno(output.get()), STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(actions.get(), folder.c_str());

  std::string name = program, defaults = "-d", file = script;
  const std::array<char*, 4> arguments{name.data(), defaults.data(), file.data(), nullptr};
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, program.c_str(), actions.get(), nullptr, arguments.data(), environ);
  if (error != 0) return {error != ENOENT, std::generic_category().message(error)};

  const auto status = wait_for(child, timeout);
  if (!status) return {true, fmt::format("not done after {} s", timeout.count() / 1000)};
  if (WIFEXITED(*status) && WEXITSTATUS(*status) == 0) return {};
  return {true, fmt::format("{} failed: {}", program, words_of(output.get()))};
}

}  // namespace clgauss::tune::report
