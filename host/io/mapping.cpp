#include "io/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>

#include "io/memory.hpp"

namespace clgauss::io {

namespace {

/// What the signal handler reads, without locks. A place is free while `end` is null.
struct Range {
  std::atomic<char*> begin = nullptr, end = nullptr;
  std::atomic<bool> lost = false;
};

std::array<Range, 16> ranges;  // global, because a signal handler gets no argument
std::mutex changing;  // protects `ranges`, `mappings` and the handler; the handler never locks it
std::size_t mappings = 0;
struct sigaction handler_before {};

/// Replaces the rest of the mapping that contains `info->si_addr`, from that page on, by zeros. For
/// any other address, it reinstalls the previous handler; on return the signal is raised again.
void fill_with_zeros(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const int errno_before = errno;
  auto* const address = static_cast<char*>(info->si_addr);
  for (Range& range : ranges) {
    char* const begin = range.begin;
    char* const end = range.end;
    if (end == nullptr || address < begin || address >= end) continue;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
    char* const first = begin + static_cast<std::size_t>(address - begin) / page * page;
    if (mmap(first, static_cast<std::size_t>(end - first), PROT_READ,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) == MAP_FAILED)
      break;
    range.lost = true;
    errno = errno_before;
    return;
  }
  sigaction(SIGBUS, &handler_before, nullptr);
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == fill_with_zeros;
}

struct sigaction ours() {
  struct sigaction action {};
  action.sa_sigaction = fill_with_zeros;
  action.sa_flags = SA_SIGINFO;
  return action;
}

}  // namespace

void restore_bus_handler(const struct sigaction& before) {
  const std::scoped_lock lock(changing);
  if (!is_ours(before)) handler_before = before;
  const struct sigaction action = mappings > 0 ? ours() : handler_before;
  sigaction(SIGBUS, &action, nullptr);
}

Mapping::Mapping(int descriptor, std::size_t size) : size_(size) {
  const std::scoped_lock lock(changing);
  while (place_ < ranges.size() && ranges[place_].end != nullptr) ++place_;
  if (place_ == ranges.size()) {
    errno = ENFILE;
    return;
  }
  void* const place = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (place == MAP_FAILED) return;
  begin_ = static_cast<char*>(place);
  Range& range = ranges[place_];
  range.lost = false;
  range.begin = begin_;
  range.end = begin_ + size_;
  if (mappings++ > 0) return;
  const struct sigaction action = ours();
  sigaction(SIGBUS, &action, &handler_before);
}

Mapping::~Mapping() {
  if (!mapped()) return;
  const std::scoped_lock lock(changing);
  if (--mappings == 0) sigaction(SIGBUS, &handler_before, nullptr);
  ranges[place_].end = nullptr;
  discard_pages(begin_, size_);
  munmap(begin_, size_);
}

bool Mapping::intact() const noexcept { return !ranges[place_].lost; }

}  // namespace clgauss::io
