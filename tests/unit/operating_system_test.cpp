// What is Linux's own stands in one file, and what other systems take instead works on any POSIX
// system, this one included.
#include <doctest/doctest.h>

// The other branch of the same file, under another name.
#define CLGAUSS_PLAIN_POSIX
#define operating_system plain_posix
#include "operating_system.cpp"
#undef operating_system

#include <filesystem>
#include <regex>

#include "support/paths.hpp"
#include "support/process.hpp"

using namespace clgauss;
namespace fs = std::filesystem;

TEST_CASE("operating system: Linux's own calls and files are in one source file") {
  const std::regex linux_only(
      R"(<sys/(prctl|epoll|eventfd|signalfd|inotify|sendfile|sysinfo)\.h>|<linux/|<sched\.h>|memfd_create|sched_getaffinity|pipe2|__rlimit_resource|O_TMPFILE|mremap|gettid|"/proc/|__linux__)");
  std::size_t files = 0;
  for (const char* part : {"host", "tuner"})
    for (const auto& entry :
         fs::recursive_directory_iterator(test::data_folder().parent_path() / part)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      ++files;
      const bool found = std::regex_search(test::content_of(entry.path()), linux_only);
      CAPTURE(entry.path().string());
      CHECK(found == (entry.path().filename() == "operating_system.cpp"));
    }
  CHECK(files > 200);
}

TEST_CASE("operating system: what other POSIX systems take for a file in memory and a pipe") {
  namespace other = clgauss::plain_posix;
  const int file = other::open_memory_file();
  REQUIRE(file >= 0);
  CHECK(::write(file, "clgauss", 7) == 7);
  const int again = ::open(other::name_of_open_file(file).c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, 7> read{};
  CHECK(::pread(again, read.data(), read.size(), 0) == 7);
  CHECK(std::string(read.data(), 7) == "clgauss");
  ::close(again);
  ::close(file);

  std::array<int, 2> ends{};
  REQUIRE(other::open_pipe(ends));
  CHECK(::write(ends[1], "x", 1) == 1);
  CHECK(::read(ends[0], read.data(), 7) == 1);
  CHECK((::fcntl(ends[0], F_GETFD) & FD_CLOEXEC) != 0);
  ::close(ends[0]);
  ::close(ends[1]);

  CHECK_FALSE(other::has_first_cores());
  CHECK_FALSE(other::address_space_bytes());
  CHECK(other::most_resident_bytes() > 1'000'000);
}
