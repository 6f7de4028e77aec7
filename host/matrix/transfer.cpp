#include "matrix/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "io/memory.hpp"
#include "launch/staging.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

void check_f32_range(const Matrix& matrix, const char* name) {
  const Index bad = find_first(matrix.values(), [](double value) {
    return std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max();
  });
  if (bad == matrix.values().size()) return;
  throw ValueError(
      fmt::format("{}({}, {}) = {:g} does not fit f32; solve in f64 on a device with fp64, or "
                  "scale the system",
                  name, bad / matrix.cols() + 1, bad % matrix.cols() + 1, matrix.values()[bad]));
}

/// Row `i` of `part`, scaled, to `out`; returns where the next number belongs.
template <typename Real>
Real* copy_row(const UploadPart& part, Index i, Real* out) {
  const std::span<const double> row = part.matrix->row(i);
  if (part.rows.empty() && part.columns.empty())
    return std::ranges::transform(row, out, [](double value) { return static_cast<Real>(value); })
        .out;
  return scale_row(row, part.rows, part.columns, i, out);
}

/// The rows first .. last of `parts`, side by side.
template <typename Real>
void copy_rows(std::initializer_list<UploadPart> parts, Index first, Index last, Index ld,
               Real* out) {
  for (Index i = first; i < last; ++i, out += ld) {
    Real* at = out;
    for (const UploadPart& part : parts) at = copy_row(part, i, at);
  }
}

/// `count` items of `per_item` numbers each: fill(first, last, numbers) writes some of them.
template <typename Real, typename Fill>
void upload_items(const Context& context, const cl::Buffer& buffer, Index count, Index per_item,
                  const Fill& fill) {
  context.staging().write(context.queue(), buffer, count, per_item * sizeof(Real),
                          [&](Index first, Index last, std::byte* out) {
                            fill(first, last, reinterpret_cast<Real*>(out));
                          });
}

template <typename Real>
void upload_and_release_as(const Context& context, const cl::Buffer& buffer, Index ld,
                           Matrix& matrix, const Scaling& scaling) {
  const Index cols = matrix.cols();
  upload_items<Real>(context, buffer, matrix.rows(), ld, [&](Index first, Index last, Real* out) {
    copy_rows({{&matrix, scaling.rows, scaling.columns}}, first, last, ld, out);
    const auto given_up = matrix.values().subspan(first * cols, (last - first) * cols);
    io::discard_pages(given_up.data(), given_up.size_bytes());
  });
}

template <typename Real>
void upload_rows_as(const Context& context, const cl::Buffer& buffer, Index ld,
                    std::initializer_list<UploadPart> parts) {
  upload_items<Real>(
      context, buffer, parts.begin()->matrix->rows(), ld,
      [&](Index first, Index last, Real* out) { copy_rows(parts, first, last, ld, out); });
}

template <typename Real>
void upload_values_as(const Context& context, const cl::Buffer& buffer,
                      std::span<const double> values) {
  upload_items<Real>(context, buffer, values.size(), 1, [&](Index first, Index last, Real* out) {
    std::ranges::transform(values.subspan(first, last - first), out,
                           [](double value) { return static_cast<Real>(value); });
  });
}

template <typename Real>
Values download_as(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count) {
  std::vector<Real, UninitializedAllocator<Real>> values(count);
  queue.enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(Real), values.data());
  if constexpr (std::is_same_v<Real, double>)
    return values;
  else
    return {values.begin(), values.end()};
}

/// The diagonal by rows of one element each, one row and one column apart.
template <typename Real>
Values download_diagonal_as(const cl::CommandQueue& queue, const MatrixView& a, Index n) {
  std::vector<Real, UninitializedAllocator<Real>> values(n);
  // The last one by itself: NVIDIA's driver wants the whole of the last row's pitch inside the buffer.
  if (n > 1)
    queue.enqueueReadBufferRect(a.buffer, CL_TRUE, {a.offset * sizeof(Real), 0, 0}, {0, 0, 0},
                                {sizeof(Real), n - 1, 1}, (a.ld + 1) * sizeof(Real), 0,
                                sizeof(Real), 0, values.data());
  queue.enqueueReadBuffer(a.buffer, CL_TRUE, (a.offset + (n - 1) * (a.ld + 1)) * sizeof(Real),
                          sizeof(Real), &values[n - 1]);
  return {values.begin(), values.end()};
}

}  // namespace

void check_shapes(const System& system) {
  if (system.a.rows() != system.a.cols())
    throw DimensionError(fmt::format("A is {} x {}, not square", system.a.rows(), system.a.cols()));
  if (system.b.rows() != system.a.rows())
    throw DimensionError(fmt::format("b has {} rows, A has {}", system.b.rows(), system.a.rows()));
}

void check_system(const System& system, RealType type) {
  check_shapes(system);
  if (type == RealType::f64) return;
  check_f32_range(system.a, "A");
  check_f32_range(system.b, "b");
}

UploadPart scaled_matrix(const System& system, const Scaling& scaling) {
  return {&system.a, scaling.rows, scaling.columns};
}

UploadPart scaled_right_hand_sides(const System& system, const Scaling& scaling) {
  return {&system.b, scaling.rows, scaling.right_hand_sides};
}

void upload_rows(const Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                 std::initializer_list<UploadPart> parts) {
  if (ld == 0 || parts.begin()->matrix->rows() == 0) return;
  type == RealType::f32 ? upload_rows_as<float>(context, buffer, ld, parts)
                        : upload_rows_as<double>(context, buffer, ld, parts);
}

void upload_and_release(const Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                        Matrix& matrix, const Scaling& scaling) {
  if (!matrix.empty())
    type == RealType::f32 ? upload_and_release_as<float>(context, buffer, ld, matrix, scaling)
                          : upload_and_release_as<double>(context, buffer, ld, matrix, scaling);
  matrix = Matrix();
}

void upload_values(const Context& context, const cl::Buffer& buffer, RealType type,
                   std::span<const double> values) {
  if (values.empty()) return;
  type == RealType::f32 ? upload_values_as<float>(context, buffer, values)
                        : upload_values_as<double>(context, buffer, values);
}

Values download(const cl::CommandQueue& queue, const cl::Buffer& buffer, RealType type,
                Index count) {
  if (count == 0) return {};
  return type == RealType::f32 ? download_as<float>(queue, buffer, count)
                               : download_as<double>(queue, buffer, count);
}

namespace {

/// A view of f64 and host rows without gaps, as the calls for rectangles want them; `rows` without the last one, because NVIDIA's
/// driver wants the whole of the last row's pitch inside the buffer.
struct Rectangle {
  std::size_t row_bytes, pitch, begin, last;
  cl::array<cl::size_type, 3> origin, region;

  Rectangle(const MatrixView& view, Index rows, Index cols)
      : row_bytes(cols * sizeof(double)),
        pitch(view.ld * sizeof(double)),
        begin(view.offset * sizeof(double)),
        last(begin + (rows - 1) * pitch),
        origin{begin, 0, 0},
        region{row_bytes, rows - 1, 1} {}
};

}  // namespace

void enqueue_copy_rows(const cl::CommandQueue& queue, const ByteRows& from, const ByteRows& to,
                       std::size_t bytes, Index rows) {
  if (rows == 0 || bytes == 0) return;
  const Index last = rows - 1;
  if (last > 0)
    queue.enqueueCopyBufferRect(from.buffer, to.buffer, {from.begin, 0, 0}, {to.begin, 0, 0},
                                {bytes, last, 1}, from.pitch, 0, to.pitch, 0);
  queue.enqueueCopyBuffer(from.buffer, to.buffer, from.begin + last * from.pitch,
                          to.begin + last * to.pitch, bytes);
}

Matrix read_matrix(const cl::CommandQueue& queue, const MatrixView& view, Index rows, Index cols) {
  Matrix matrix(rows, cols);
  if (matrix.empty()) return matrix;
  const Rectangle part(view, rows, cols);
  double* values = matrix.values().data();
  if (rows > 1)
    queue.enqueueReadBufferRect(view.buffer, CL_TRUE, part.origin, {0, 0, 0}, part.region,
                                part.pitch, 0, part.row_bytes, 0, values);
  queue.enqueueReadBuffer(view.buffer, CL_TRUE, part.last, part.row_bytes,
                          values + (rows - 1) * cols);
  return matrix;
}

void write_matrix(const cl::CommandQueue& queue, const MatrixView& view, const Matrix& matrix) {
  if (matrix.empty()) return;
  const Rectangle part(view, matrix.rows(), matrix.cols());
  const double* values = matrix.values().data();
  if (matrix.rows() > 1)
    queue.enqueueWriteBufferRect(view.buffer, CL_TRUE, part.origin, {0, 0, 0}, part.region,
                                 part.pitch, 0, part.row_bytes, 0, values);
  queue.enqueueWriteBuffer(view.buffer, CL_TRUE, part.last, part.row_bytes,
                           values + (matrix.rows() - 1) * matrix.cols());
}

Index padded_ld(Index n, RealType type) {
  const Index line = 128 / bytes_of(type);
  const Index ld = (n + line - 1) / line * line;
  return ld * bytes_of(type) % 4096 == 0 ? ld + line : ld;
}

std::string system_text(const System& system, RealType type) {
  const Index nrhs = system.b.cols();
  return fmt::format("the {} system of n = {} with {} right-hand side{}", real_type_name(type),
                     system.a.rows(), nrhs, nrhs == 1 ? "" : "s");
}

MatrixView to_device(const Context& context, RealType type, const Matrix& matrix, Index ld,
                     const std::string& what) {
  MatrixView view{context.allocate(matrix.rows() * ld * bytes_of(type), what), 0, ld};
  upload_rows(context, view.buffer, ld, type, {&matrix});
  return view;
}

void enqueue_identity(Context& context, RealType type, const MatrixView& view, Index n) {
  const cl::CommandQueue& queue = context.queue();
  const std::size_t element = bytes_of(type);
  const cl::Buffer ones = context.allocate(n * element, "the diagonal of an identity");
  const auto fill = [&]<typename Real>(Real zero, Real one) {
    queue.enqueueFillBuffer(view.buffer, zero, view.offset * element, n * view.ld * element);
    queue.enqueueFillBuffer(ones, one, 0, n * element);
  };
  type == RealType::f32 ? fill(0.0F, 1.0F) : fill(0.0, 1.0);
  enqueue_copy_rows(queue, {ones, 0, element},
                    {view.buffer, view.offset * element, (view.ld + 1) * element}, element, n);
}

void enqueue_diagonal(const cl::CommandQueue& queue, Kernel kernel, const MatrixView& a, Index n,
                      const cl::Buffer& diagonal) {
  // One size for every n: PoCL compiles a kernel anew for every work-group size.
  const std::size_t local = std::min<std::size_t>(64, kernel.work_group_limit);
  kernel.set_arguments(a.buffer, cl_ulong{a.ld}, cl_ulong{n}, diagonal);
  enqueue_kernel(queue, kernel, cl::NDRange((n + local - 1) / local * local), cl::NDRange(local));
}

Values download_diagonal(const cl::CommandQueue& queue, const MatrixView& a,
                         const cl::Buffer& gathered, RealType type, Index n) {
  Values values = download(queue, gathered, type, n);
  const Values in_place = type == RealType::f32 ? download_diagonal_as<float>(queue, a, n)
                                                : download_diagonal_as<double>(queue, a, n);
  if (std::memcmp(values.data(), in_place.data(), n * sizeof(double)) != 0)
    throw DeviceFault("the pivots read from the device differ from the diagonal of its factors");
  return values;
}

std::vector<Index> read_twice(const std::function<std::vector<Index>()>& read) {
  std::vector<Index> first = read();
  if (first != read()) throw DeviceFault("the row exchanges read twice from the device differ");
  return first;
}

Index checked_pivot_row(Index row, Index k, Index count) {
  if (row >= k && row < count) return row;
  throw DeviceFault(
      fmt::format("the device returned row {} as pivot of column {}, not one of {} to {}",
                  static_cast<std::int64_t>(row), k, k, count - 1));
}

Index checked_failed_column(Index column, Index count) {
  if (column < count) return column;
  throw DeviceFault(fmt::format("the device reports a failed pivot in column {} of a matrix of {}",
                                static_cast<std::int64_t>(column), count));
}

void judge_pivots(EliminationResult& result, std::vector<Index> rows, std::optional<double> least) {
  result.positive_definite = least.has_value();
  const auto bad = std::ranges::find_if(
      result.pivots, [&](double p) { return !std::isfinite(p) || (least ? p < *least : p == 0); });
  if (result.failed_column &&
      !(bad <= result.pivots.begin() + static_cast<std::ptrdiff_t>(*result.failed_column)))
    throw DeviceFault(
        fmt::format("the device reports a failed pivot in column {}, where there is {:g}",
                    *result.failed_column + 1, result.pivots[*result.failed_column]));
  if (bad != result.pivots.end())
    result.failed_column = static_cast<Index>(bad - result.pivots.begin());
  for (Index k = rows.size(); k < result.pivots.size(); ++k) rows.push_back(k);
  for (Index k = 0; k < rows.size(); ++k) result.row_exchanges += rows[k] != k ? 1 : 0;
  result.pivot_rows = std::move(rows);
}

EliminationResult empty_result(const System& system, Pivoting pivoting) {
  EliminationResult result;
  result.x = Matrix(0, system.b.cols());
  result.pivoting = pivoting;
  return result;
}

}  // namespace clgauss
