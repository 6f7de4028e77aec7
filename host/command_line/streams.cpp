#include "command_line/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <csignal>
#include <cstdio>

namespace clgauss::cli {

void prepare_streams() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(number, F_GETFD) == -1 && errno == EBADF)
      static_cast<void>(::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void print(std::string_view text) {
  OutputFile out("-");
  out.write(text);
  out.commit();
}

void tell(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void refuse_same_outputs(const std::vector<OutputOption>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = i + 1; j < outputs.size(); ++j) {
      const auto& [a, a_path] = outputs[i], &[ b, b_path ] = outputs[j];
      if (a_path && b_path && same_output(*a_path, *b_path))
        throw UsageError(fmt::format("--{} {} and --{} {} are the same file; give each its own", a,
                                     *a_path, b, *b_path));
    }
}

}  // namespace clgauss::cli
