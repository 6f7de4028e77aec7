#include "command_line/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
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

namespace {

bool are_one_file(const std::string& read, const std::string& written) {
  struct stat a {
  }, b{};
  const bool there = (read == "-" ? fstat(STDIN_FILENO, &a) : stat(read.c_str(), &a)) == 0 &&
                     (written == "-" ? fstat(STDOUT_FILENO, &b) : stat(written.c_str(), &b)) == 0;
  return there && S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

std::string shown(const NamedFile& file, const char* stream) {
  return file.path == "-" ? stream : file.option + " " + file.path;
}

}  // namespace

void keep_files_apart(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    const NamedFile& a = written[i];
    for (std::size_t j = i + 1; j < written.size(); ++j) {
      const NamedFile& b = written[j];
      // keep_report_apart() handles x and the report on standard output with a better message.
      const bool x_and_report =
          a.path == "-" && b.path == "-" && a.option == "--output" && b.option == "--json";
      if (!x_and_report && same_output(a.path, b.path))
        throw UsageError(fmt::format("{} {} and {} {} are the same file; give each its own",
                                     a.option, a.path, b.option, b.path));
    }
    for (const NamedFile& source : read)
      if (are_one_file(source.path, a.path))
        throw UsageError(fmt::format("{} would overwrite {}; give it a file of its own",
                                     shown(a, "standard output"), shown(source, "standard input")));
  }
}

}  // namespace clgauss::cli
