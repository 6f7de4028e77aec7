#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/matrix.hpp>
#include <new>
#include <numeric>

#include "io/memory.hpp"

namespace clgauss {

namespace {

Index checked_count(Index rows, Index cols) {
  io::require_memory("a matrix", rows, cols);
  return rows * cols;
}

}  // namespace

void* allocate_host_memory(std::size_t count, std::size_t element_bytes) {
  std::size_t bytes = 0;
  void* const memory = __builtin_mul_overflow(count, element_bytes, &bytes)
                           ? nullptr
                           : ::operator new(bytes, std::nothrow);
  if (memory == nullptr)
    throw OutOfMemory(fmt::format("the host has no {} ({} times {} bytes) left: {}",
                                  io::readable_bytes(bytes), count, element_bytes,
                                  io::memory_in_use()));
  return memory;
}

void free_host_memory(void* memory, std::size_t bytes) noexcept {
  if (bytes > io::kBytesToDiscard) io::discard_pages(memory, bytes);
  ::operator delete(memory);
}

Matrix::Matrix(Index rows, Index cols)
    : rows_(rows), cols_(cols), values_(checked_count(rows, cols), 0.0) {}

Matrix::Matrix(Index rows, Index cols, Values values)
    : rows_(rows), cols_(cols), values_(std::move(values)) {
  if (!io::dense_bytes(rows, cols) || values_.size() != rows_ * cols_)
    throw DimensionError(
        fmt::format("{} values cannot fill a {} x {} matrix", values_.size(), rows_, cols_));
}

Matrix row_sums(const Matrix& a) {
  Matrix sums(a.rows(), 1);
  for (Index i = 0; i < a.rows(); ++i) {
    const auto row = a.row(i);
    sums(i, 0) = std::accumulate(row.begin(), row.end(), 0.0);
  }
  return sums;
}

}  // namespace clgauss

template std::vector<double, clgauss::UninitializedAllocator<double>>::vector(
    std::size_t, const clgauss::UninitializedAllocator<double>&);
