// Batches of systems in three-dimensional .npy files.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>
#include <numeric>

#include "io/formats.hpp"
#include "io/input.hpp"

namespace clgauss {

namespace {

using io::Array;
using io::name_of;

std::string shape_of(const Array& array) {
  return fmt::format("{}", fmt::join(array.shape, " x "));
}

Array read_array(const std::string& path, const ReadOptions& options) {
  const io::Input input(path);
  return input.parsed([&] {
    if (!io::is_npy(input.bytes()))
      throw FormatError(input.name(), 0, 0, "is not .npy, the only format of batches");
    return io::read_npy_array(input, options);
  });
}

/// Throws unless `array` is a batch of systems whose n the batched kernels support.
void check_matrices(const Array& array, const std::string& path, bool augmented) {
  const std::string shape = name_of(path) + ": " + shape_of(array);
  if (array.shape.size() != 3)
    throw DimensionError(shape + " is not a batch of matrices, which has the shape batch x n x n");
  const Index n = array.shape[1], cols = array.shape[2];
  if (n == 0) throw DimensionError(shape + " holds empty systems (n = 0)");
  if (n > kLargestBatchedSystem)
    throw DimensionError(
        fmt::format("{}: n = {} is above {}, the largest of a batch; give one large system to "
                    "`clgauss solve`",
                    shape, n, kLargestBatchedSystem));
  if (!augmented && cols != n)
    throw DimensionError(shape + " is not square: batch x n x n is needed");
  if (augmented && cols <= n)
    throw DimensionError(shape +
                         " holds no right-hand sides: give them with --rhs, as a file, ones, "
                         "row-sums or identity, or in the file, batch x n x (n + m)");
}

/// Columns [first, first + cols) of every matrix.
Batch columns_of(const Array& array, Index first, Index cols) {
  const Index rows = array.shape[0] * array.shape[1], width = array.shape[2];
  Batch part{array.shape[0], array.shape[1], cols, {}};
  part.values.reserve(rows * cols);
  for (Index row = 0; row < rows; ++row) {
    const auto begin = array.values.begin() + static_cast<std::ptrdiff_t>(row * width + first);
    part.values.insert(part.values.end(), begin, begin + static_cast<std::ptrdiff_t>(cols));
  }
  return part;
}

Batch row_sums(const Batch& a) {
  Batch sums{a.count, a.rows, 1, Values(a.count * a.rows, 0.0)};
  for (Index row = 0; row < sums.values.size(); ++row) {
    const auto begin = a.values.begin() + static_cast<std::ptrdiff_t>(row * a.cols);
    sums.values[row] = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(a.cols), 0.0);
  }
  return sums;
}

Batch identities(Index count, Index n) {
  Batch ones{count, n, n, Values(count * n * n, 0.0)};
  for (Index s = 0; s < count; ++s)
    for (Index i = 0; i < n; ++i) ones.matrix(s)[i * n + i] = 1;
  return ones;
}

BatchedSystem with_right_hand_sides(Batch a, const std::string& rhs, const std::string& a_path,
                                    const ReadOptions& options) {
  const Index batch = a.count, n = a.rows;
  if (rhs == "ones") {
    Batch b{batch, n, 1, Values(batch * n, 1.0)};
    return {std::move(a), std::move(b), true};
  }
  if (rhs == "identity") {
    Batch b = identities(batch, n);
    return {std::move(a), std::move(b), false};
  }
  if (rhs == "row-sums") {
    Batch b = row_sums(a);
    return {std::move(a), std::move(b), true};
  }
  Array b = read_array(rhs, options);
  const bool vectors = b.shape.size() == 2;
  if (b.shape.size() < 2 || b.shape[0] != batch || b.shape[1] != n)
    throw DimensionError(fmt::format(
        "{}: right-hand sides of {} do not belong to the {} x {} x {} of {}: {} x {} or {} x {} x "
        "nrhs are needed",
        name_of(rhs), shape_of(b), batch, n, n, name_of(a_path), batch, n, batch, n));
  return {std::move(a), {batch, n, vectors ? 1 : b.shape[2], std::move(b.values)}, vectors};
}

}  // namespace

BatchedSystem read_batched_system(const std::string& path, const std::string& rhs,
                                  const ReadOptions& options) {
  if (path == "-" && rhs == "-")
    throw UsageError("the matrices and the right-hand sides cannot both come from standard input");
  Array array = read_array(path, options);
  check_matrices(array, path, io::is_augmented(rhs));
  const Index n = array.shape[1];
  if (io::is_augmented(rhs)) {
    const Index nrhs = array.shape[2] - n;
    return {columns_of(array, 0, n), columns_of(array, n, nrhs), nrhs == 1};
  }
  return with_right_hand_sides({array.shape[0], n, n, std::move(array.values)}, rhs, path, options);
}

void write_batch(OutputFile& file, const Batch& batch, bool vectors) {
  const std::array shape{batch.count, batch.rows, batch.cols};
  io::write_npy_array(file, std::span(shape).first(vectors ? 2 : 3), batch.values);
}

}  // namespace clgauss
