#include "io/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <clgauss/error.hpp>
#include <limits>

namespace clgauss::io {

namespace {

std::string readable_bytes(double bytes) {
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

void require_memory(const std::string& file, Index rows, Index cols) {
  if (fits_memory(rows, cols)) {
    return;
  }
  const double needed =
      static_cast<double>(rows) * static_cast<double>(cols) * double{sizeof(double)};
  throw OutOfMemory(fmt::format(
      "{}: {} x {} numbers need {} as a dense matrix, this machine has {} of memory", file, rows,
      cols, readable_bytes(needed), readable_bytes(static_cast<double>(physical_memory()))));
}

}  // namespace clgauss::io
