#include "operating_system.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

// CLGAUSS_PLAIN_POSIX lets a test on Linux use the code for other systems.
#if defined(__linux__) && !defined(CLGAUSS_PLAIN_POSIX)
#define CLGAUSS_LINUX
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <string_view>
#include <vector>
#endif

#include <cstdlib>

namespace clgauss::operating_system {

#if defined(CLGAUSS_LINUX)

bool has_first_cores() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  for (int core = 0, count = CPU_COUNT(&allowed); core < count; ++core)
    if (!CPU_ISSET(core, &allowed)) return false;
  return true;
}

int open_memory_file() { return ::memfd_create("clgauss", MFD_CLOEXEC); }

bool lock_byte(int descriptor, std::uint32_t at) {
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = at;
  byte.l_len = 1;
  return ::fcntl(descriptor, F_OFD_SETLK, &byte) == 0 || (errno != EAGAIN && errno != EACCES);
}

std::string name_of_open_file(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

bool open_pipe(std::array<int, 2>& ends) { return ::pipe2(ends.data(), O_CLOEXEC) == 0; }

namespace {

bool has_more_rights() { return ::getauxval(AT_SECURE) != 0; }

/// Whether the program itself, not a shared library, is loaded at `base`.
bool is_program(const void* base) {
  Dl_info program{};
  return dladdr(reinterpret_cast<const void*>(::getauxval(AT_PHDR)), &program) != 0 &&
         program.dli_fbase == base;
}

}  // namespace

std::filesystem::path program_file() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/exe", unknown);
}

std::string thread_name() {
  std::array<char, 16> name{};
  ::prctl(PR_GET_NAME, name.data());
  return name.data();
}

void end_with_parent() { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }

void outlive_parent() { ::prctl(PR_SET_PDEATHSIG, 0); }

std::optional<std::uint64_t> address_space_bytes() {
  std::uint64_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return {};
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
}

std::optional<double> busy_core_seconds() {
  std::ifstream file("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0;
  if (!(file >> name >> user >> nice >> system) || name != "cpu") return {};
  return (user + nice + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

namespace {

/// The values of the /proc/cpuinfo lines that begin with `key`, one per core.
std::vector<std::string> cores_say(std::string_view key) {
  std::vector<std::string> values;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos)
      values.push_back(line.substr(colon + 2));
  }
  return values;
}

}  // namespace

std::string processor_name() {
  const std::vector<std::string> names = cores_say("model name");
  return names.empty() ? std::string() : names.front();
}

double processor_mhz() {
  const std::vector<std::string> clocks = cores_say("cpu MHz");
  double mean = 0;
  for (const std::string& clock : clocks)
    mean += std::strtod(clock.c_str(), nullptr) / static_cast<double>(clocks.size());
  return mean;
}

double processor_celsius() {
  double millidegrees = 0;
  return std::ifstream("/sys/class/thermal/thermal_zone0/temp") >> millidegrees
             ? millidegrees / 1000
             : 0;
}

#else

bool has_first_cores() { return false; }

int open_memory_file() {
  std::error_code none;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(none);
  std::string name = ((none ? "/tmp" : folder) / "clgauss-XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) return -1;
  ::unlink(name.c_str());
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

std::string name_of_open_file(int descriptor) { return "/dev/fd/" + std::to_string(descriptor); }

bool lock_byte(int /*descriptor*/, std::uint32_t /*at*/) { return true; }

bool open_pipe(std::array<int, 2>& ends) {
  if (::pipe(ends.data()) != 0) return false;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
}

namespace {

bool has_more_rights() { return ::geteuid() != ::getuid() || ::getegid() != ::getgid(); }
bool is_program(const void* /*base*/) { return false; }

}  // namespace

std::filesystem::path program_file() { return {}; }

std::string thread_name() { return {}; }

void end_with_parent() {}

void outlive_parent() {}

std::optional<std::uint64_t> address_space_bytes() { return {}; }

std::optional<double> busy_core_seconds() { return {}; }

std::string processor_name() { return {}; }

double processor_mhz() { return 0; }

double processor_celsius() { return 0; }

#endif

std::filesystem::path own_folder() {
  Dl_info here{};
  if (has_more_rights() || dladdr(reinterpret_cast<const void*>(&own_folder), &here) == 0)
    return {};
  const std::filesystem::path file = here.dli_fname;
  // Of a program, the name is as its caller gave it.
  return (is_program(here.dli_fbase) || !file.is_absolute() ? program_file() : file).parent_path();
}

std::uint64_t most_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
#if defined(__APPLE__)
  constexpr std::uint64_t kUnit = 1;
#else
  constexpr std::uint64_t kUnit = 1024;
#endif
  return static_cast<std::uint64_t>(usage.ru_maxrss) * kUnit;
}

}  // namespace clgauss::operating_system
