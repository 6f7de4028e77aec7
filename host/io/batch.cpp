// Batches of systems in three-dimensional .npy files.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>

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
  const Index largest = array.complex ? kLargestComplexBatchedSystem : kLargestBatchedSystem;
  if (n > largest)
    throw DimensionError(
        fmt::format("{}: n = {} is above {}, the largest of a batch{}; give one large system to "
                    "`clgauss solve`",
                    shape, n, largest, array.complex ? " of complex systems" : ""));
  if (!augmented && cols != n)
    throw DimensionError(shape + " is not square: batch x n x n is needed");
  if (augmented && cols <= n)
    throw DimensionError(shape +
                         " holds no right-hand sides: give them with --rhs, as a file, ones, "
                         "row-sums or identity, or in the file, batch x n x (n + m)");
}

Index parts_in_number(const Array& array) { return array.complex ? 2 : 1; }

/// Columns [first, first + cols) of every matrix, in doubles.
Batch columns_of(const Array& array, Index first, Index cols) {
  const Index rows = array.shape[0] * array.shape[1],
              width = array.shape[2] * parts_in_number(array);
  Batch part{array.shape[0], array.shape[1], cols, {}};
  part.values.reserve(rows * cols);
  for (Index row = 0; row < rows; ++row) {
    const auto begin = array.values.begin() + static_cast<std::ptrdiff_t>(row * width + first);
    part.values.insert(part.values.end(), begin, begin + static_cast<std::ptrdiff_t>(cols));
  }
  return part;
}

/// Of numbers of `parts` doubles.
Batch row_sums(const Batch& a, Index parts) {
  Batch sums{a.count, a.rows, parts, Values(a.count * a.rows * parts, 0.0)};
  for (Index row = 0; row < a.count * a.rows; ++row)
    for (Index j = 0; j < a.cols; ++j)
      sums.values[row * parts + j % parts] += a.values[row * a.cols + j];
  return sums;
}

/// Real numbers as complex ones.
Batch in_parts(const Batch& real) {
  Batch batch{real.count, real.rows, 2 * real.cols, Values(2 * real.values.size(), 0.0)};
  for (Index e = 0; e < real.values.size(); ++e) batch.values[2 * e] = real.values[e];
  return batch;
}

Batch identities(Index count, Index n) {
  Batch ones{count, n, n, Values(count * n * n, 0.0)};
  for (Index s = 0; s < count; ++s)
    for (Index i = 0; i < n; ++i) ones.matrix(s)[i * n + i] = 1;
  return ones;
}

/// `complex`: whether A is.
BatchedSystem with_right_hand_sides(Batch a, bool complex, const std::string& rhs,
                                    const std::string& a_path, const ReadOptions& options) {
  const Index batch = a.count, n = a.rows;
  const auto with_real = [&](Batch b, bool vectors) {
    return BatchedSystem{std::move(a), complex ? in_parts(b) : std::move(b), vectors, complex};
  };
  if (rhs == "ones") return with_real({batch, n, 1, Values(batch * n, 1.0)}, true);
  if (rhs == "identity") return with_real(identities(batch, n), false);
  if (rhs == "row-sums") {
    Batch b = row_sums(a, complex ? 2 : 1);
    return {std::move(a), std::move(b), true, complex};
  }
  Array b = read_array(rhs, options);
  const bool vectors = b.shape.size() == 2;
  if (b.shape.size() < 2 || b.shape[0] != batch || b.shape[1] != n)
    throw DimensionError(fmt::format(
        "{}: right-hand sides of {} do not belong to the {} x {} x {} of {}: {} x {} or {} x {} x "
        "nrhs are needed",
        name_of(rhs), shape_of(b), batch, n, n, name_of(a_path), batch, n, batch, n));
  Batch sides{batch, n, (vectors ? 1 : b.shape[2]) * parts_in_number(b), std::move(b.values)};
  if (!b.complex) return with_real(std::move(sides), vectors);
  return {complex ? std::move(a) : in_parts(a), std::move(sides), vectors, true};
}

}  // namespace

BatchedSystem read_batched_system(const std::string& path, const std::string& rhs,
                                  const ReadOptions& options) {
  if (path == "-" && rhs == "-")
    throw UsageError("the matrices and the right-hand sides cannot both come from standard input");
  Array array = read_array(path, options);
  check_matrices(array, path, io::is_augmented(rhs));
  const Index n = array.shape[1], parts = parts_in_number(array);
  if (io::is_augmented(rhs)) {
    const Index nrhs = array.shape[2] - n;
    return {columns_of(array, 0, n * parts), columns_of(array, n * parts, nrhs * parts), nrhs == 1,
            array.complex};
  }
  return with_right_hand_sides({array.shape[0], n, n * parts, std::move(array.values)},
                               array.complex, rhs, path, options);
}

void write_batch(OutputFile& file, const Batch& batch, bool vectors, bool complex) {
  const std::array shape{batch.count, batch.rows, complex ? batch.cols / 2 : batch.cols};
  io::write_npy_array(file, std::span(shape).first(vectors ? 2 : 3), batch.values, complex);
}

}  // namespace clgauss
