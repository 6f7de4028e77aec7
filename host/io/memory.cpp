#include "io/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <cstdint>
#include <fstream>
#include <limits>
#include <system_error>

#include "operating_system.hpp"
#include "parallel.hpp"

namespace clgauss::io {

namespace fs = std::filesystem;

namespace {

std::string readable(double bytes) {
  constexpr std::array units = {"bytes", "KB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

Index machine_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) {
    return std::numeric_limits<Index>::max();  // unknown, so let the allocation itself decide
  }
  return static_cast<Index>(pages) * static_cast<Index>(page_bytes);
}

/// The lowest number in the files `name` of `group` and of its parent groups, below `mount`. The
/// value "max" is no number and is ignored. Inside a container, the paths in /proc may be the
/// host's; then only the file in `mount` itself exists.
std::optional<Index> lowest_limit(const fs::path& mount, fs::path group, const char* name) {
  std::optional<Index> lowest;
  for (bool more = true; more; group = group.parent_path()) {
    more = group.has_relative_path();
    Index limit = 0;
    if (std::ifstream(mount / group.relative_path() / name) >> limit)
      lowest = std::min(limit, lowest.value_or(limit));
  }
  return lowest;
}

bool names_memory(const std::string& controllers) {
  return ("," + controllers + ",").find(",memory,") != std::string::npos;
}

}  // namespace

std::optional<Index> control_group_limit(const fs::path& root) {
  const fs::path mounts = root / "sys/fs/cgroup";
  std::optional<Index> lowest;
  std::ifstream groups(root / "proc/self/cgroup");
  // "0::/a/b" of version 2, "4:memory:/a/b" of version 1
  for (std::string number, controllers, group; std::getline(groups, number, ':') &&
                                               std::getline(groups, controllers, ':') &&
                                               std::getline(groups, group);) {
    std::optional<Index> limit;
    if (controllers.empty())
      limit = lowest_limit(mounts, group, "memory.max");
    else if (names_memory(controllers))
      limit = lowest_limit(mounts / "memory", group, "memory.limit_in_bytes");
    if (limit) lowest = std::min(*limit, lowest.value_or(*limit));
  }
  return lowest;
}

Index physical_memory() {
  static const Index bytes =
      std::min(machine_memory(), control_group_limit().value_or(std::numeric_limits<Index>::max()));
  return bytes;
}

std::optional<Index> dense_bytes(Index rows, Index cols) {
  constexpr Index most = std::numeric_limits<Index>::max() / sizeof(double);
  if (cols != 0 && rows > most / cols) {
    return std::nullopt;
  }
  return rows * cols * sizeof(double);
}

bool fits_memory(Index rows, Index cols) {
  const std::optional<Index> bytes = dense_bytes(rows, cols);
  return bytes && *bytes <= physical_memory();
}

void require_memory(const std::string& what, Index rows, Index cols, Index copies) {
  const std::optional<Index> bytes = dense_bytes(rows, cols);
  if (bytes && *bytes <= physical_memory() / copies) {
    return;
  }
  const double needed =
      static_cast<double>(rows) * static_cast<double>(cols) * double{sizeof(double)};
  throw OutOfMemory(fmt::format(
      "{}: {} x {} numbers need {} as a dense matrix{}, this machine or container has {} of memory",
      what, rows, cols, readable(needed),
      copies > 1 ? fmt::format(", {} times at once", copies) : "",
      readable_bytes(physical_memory())));
}

Index most_json_bytes() {
  constexpr Index most = Index{512} << 20U;
  return std::min(most, physical_memory() / 32);
}

std::string readable_bytes(Index bytes) { return readable(static_cast<double>(bytes)); }

std::string memory_in_use() {
  return fmt::format("{} were in use at most, this machine or container has {}",
                     readable_bytes(operating_system::most_resident_bytes()),
                     readable_bytes(physical_memory()));
}

void discard_pages(void* begin, std::size_t bytes) noexcept {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t from = (address + page - 1) / page, to = (address + bytes) / page;
  if (from >= to) return;
  const auto discard = [&](Index first, Index last) {
    (void)madvise(reinterpret_cast<void*>((from + first) * page), (last - first) * page,
                  MADV_DONTNEED);
  };
  try {
    in_parallel(to - from, kBytesToDiscard / page, discard);
  } catch (const std::system_error&) {  // no thread could be started
  }
}

}  // namespace clgauss::io
