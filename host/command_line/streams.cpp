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
      const OutputOption &a = outputs[i], &b = outputs[j];
      if (a.path && b.path && same_output(*a.path, *b.path))
        throw UsageError(fmt::format("--{} {} and --{} {} are the same file; give each its own",
                                     a.name, *a.path, b.name, *b.path));
    }
}

}  // namespace clgauss::cli
