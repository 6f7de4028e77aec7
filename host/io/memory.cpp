#include "io/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <limits>

namespace clgauss::io {

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

}  // namespace

Index physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) {
    return std::numeric_limits<Index>::max();  // unknown: let the allocation itself decide
  }
  return static_cast<Index>(pages) * static_cast<Index>(page_bytes);
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
      "{}: {} x {} numbers need {} as a dense matrix{}, this machine has {} of memory", what, rows,
      cols, readable(needed), copies > 1 ? fmt::format(", {} times at once", copies) : "",
      readable_bytes(physical_memory())));
}

Index most_json_bytes() {
  constexpr Index most = Index{512} << 20U;
  return std::min(most, physical_memory() / 32);
}

std::string readable_bytes(Index bytes) { return readable(static_cast<double>(bytes)); }

std::string memory_in_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return fmt::format("{} were in use at most, this machine has {}",
                     readable_bytes(static_cast<Index>(usage.ru_maxrss) * 1024),
                     readable_bytes(physical_memory()));
}

}  // namespace clgauss::io
