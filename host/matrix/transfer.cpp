#include "matrix/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "io/memory.hpp"
#include "kernels/common/transpose.hpp"
#include "launch/staging.hpp"
#include "matrix/transposed.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

/// Writes row `i`, scaled as by scale_row(), to `out`. Returns the end of the output.
template <typename Real>
Real* scale_or_copy(std::span<const double> row, std::span<const int> rows,
                    std::span<const int> columns, Index i, Real* out) {
  if (rows.empty() && columns.empty())
    return std::ranges::transform(row, out, [](double value) { return static_cast<Real>(value); })
        .out;
  return scale_row(row, rows, columns, i, out);
}

template <typename Real>
Real* copy_row(const UploadPart& part, Index i, Real* out) {
  return scale_or_copy(part.matrix->row(i), part.rows, part.columns, i, out);
}

/// Writes rows first .. last of `parts`, side by side.
template <typename Real>
void copy_rows(std::initializer_list<UploadPart> parts, Index first, Index last, Index ld,
               Real* out) {
  for (Index i = first; i < last; ++i, out += ld) {
    Real* at = out;
    for (const UploadPart& part : parts) at = copy_row(part, i, at);
  }
}

/// Uploads `count` items of `per_item` numbers each. fill(first, last, numbers) writes items first
/// .. last.
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
Sizes upload_and_measure_as(const Context& context, const cl::Buffer& buffer, Index ld,
                            const Matrix& matrix) {
  SizesByRows sizes(matrix.values(), matrix.cols());
  upload_items<Real>(context, buffer, matrix.rows(), ld, [&](Index first, Index last, Real* out) {
    SizesByRows::Part& mine = sizes.mine(first);
    for (Index i = first; i < last; ++i, out += ld) {
      copy_row(&matrix, i, out);
      sizes.look_at_row(mine, i, matrix.row(i));
    }
  });
  return sizes.all();
}

/// A matrix A stored by columns. When `sizes` is given, each row is added to it during the upload.
struct Turned {
  const Matrix* columns;
  const Scaling* scaling;
  SizesByRows* sizes;
};

/// Transposes on the host, a few rows at a time. They stay in a cache until scaled and measured.
template <typename Real>
void upload_turned_by_host(const Context& context, const cl::Buffer& buffer, Index ld,
                           const Turned& a) {
  constexpr Index kRows = 2 * kNumbersOfLine<double>;
  const Index n = a.columns->rows();
  upload_items<Real>(context, buffer, n, ld, [&](Index first, Index last, Real* out) {
    Matrix rows(kRows, n, Values(kRows * n));
    SizesByRows::Part* const mine = a.sizes == nullptr ? nullptr : &a.sizes->mine(first);
    for (Index top = first; top < last; top += kRows) {
      const Index count = std::min(kRows, last - top);
      turn_over(a.columns->values().data() + top, n, rows.values().data(), n, 0, count, n);
      for (Index i = 0; i < count; ++i, out += ld) {
        if (mine != nullptr) a.sizes->look_at_row(*mine, top + i, rows.row(i));
        scale_or_copy(rows.row(i), a.scaling->rows, a.scaling->columns, top + i, out);
      }
    }
  });
}

/// Transposes on the device.
template <typename Real>
void upload_turned_by_device(Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                             const Turned& a, std::size_t strip_bytes) {
  const Index n = a.columns->rows();
  by_strips(context, type, n, n, strip_bytes, [&](Index column, Index count, const MatrixView& to) {
    upload_items<Real>(context, to.buffer, count, n, [&](Index first, Index last, Real* out) {
      SizesByRows::Part* const mine = a.sizes == nullptr ? nullptr : &a.sizes->mine(column + first);
      for (Index j = column + first; j < column + last; ++j, out += n) {
        scale_or_copy(a.columns->row(j), a.scaling->columns, a.scaling->rows, j, out);
        if (mine != nullptr) a.sizes->look_at_row(*mine, j, a.columns->row(j));
      }
    });
    enqueue_transpose(context, type, to, {buffer, column, ld}, count, n);
  });
}

template <typename Real>
void upload_turned_as(Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                      const Turned& a, std::size_t strip_bytes) {
  if (context.transfers() == Transfers::mapped)
    upload_turned_by_host<Real>(context, buffer, ld, a);
  else
    upload_turned_by_device<Real>(context, buffer, ld, type, a, strip_bytes);
}

void upload_turned_of_type(Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                           const Turned& a, std::size_t strip_bytes) {
  if (a.columns->empty()) return;
  type == RealType::f32 ? upload_turned_as<float>(context, buffer, ld, type, a, strip_bytes)
                        : upload_turned_as<double>(context, buffer, ld, type, a, strip_bytes);
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
void upload_by_rows_as(const Context& context, const cl::Buffer& buffer, Index rows, Index columns,
                       const std::function<void(Index i, std::span<double> out)>& write_row) {
  upload_items<Real>(context, buffer, rows, columns, [&](Index first, Index last, Real* out) {
    if constexpr (std::is_same_v<Real, double>) {
      for (Index i = first; i < last; ++i, out += columns) write_row(i, {out, columns});
    } else {
      Values row(columns);
      for (Index i = first; i < last; ++i) {
        write_row(i, row);
        out = scale_or_copy(row, {}, {}, 0, out);
      }
    }
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

}  // namespace

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

Sizes upload_and_measure(const Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                         const Matrix& matrix) {
  if (matrix.empty()) return sizes_of(matrix.values(), matrix.cols());
  return type == RealType::f32 ? upload_and_measure_as<float>(context, buffer, ld, matrix)
                               : upload_and_measure_as<double>(context, buffer, ld, matrix);
}

void by_strips(const Context& context, RealType type, Index rows, Index columns,
               std::size_t strip_bytes,
               const std::function<void(Index first, Index count, const MatrixView& strip)>& move) {
  const std::size_t column_bytes = rows * bytes_of(type);
  const Index width = std::clamp<Index>(strip_bytes / column_bytes, 1, columns);
  const MatrixView strip{context.staging().strip(context, width * column_bytes), 0, rows};
  for (Index first = 0; first < columns; first += width)
    move(first, std::min(width, columns - first), strip);
}

void upload_turned(Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                   const Matrix& transposed, const Scaling& scaling, std::size_t strip_bytes) {
  upload_turned_of_type(context, buffer, ld, type, {&transposed, &scaling, nullptr}, strip_bytes);
}

Sizes upload_turned_and_measure(Context& context, const cl::Buffer& buffer, Index ld, RealType type,
                                const Matrix& transposed, std::size_t strip_bytes) {
  const bool by_columns = context.transfers() != Transfers::mapped;
  SizesByRows sizes(transposed.values(), transposed.cols(), by_columns);
  const Scaling none;
  upload_turned_of_type(context, buffer, ld, type, {&transposed, &none, &sizes}, strip_bytes);
  return sizes.all();
}

Sizes upload_and_measure(Context& context, const MatrixView& to, RealType type,
                         const System& system, bool transposed) {
  return transposed ? upload_turned_and_measure(context, to.buffer, to.ld, type, system.a)
                    : upload_and_measure(context, to.buffer, to.ld, type, system.a);
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

void upload_by_rows(const Context& context, const cl::Buffer& buffer, RealType type, Index rows,
                    Index columns,
                    const std::function<void(Index i, std::span<double> out)>& write_row) {
  if (rows == 0 || columns == 0) return;
  type == RealType::f32 ? upload_by_rows_as<float>(context, buffer, rows, columns, write_row)
                        : upload_by_rows_as<double>(context, buffer, rows, columns, write_row);
}

Values download(const cl::CommandQueue& queue, const cl::Buffer& buffer, RealType type,
                Index count) {
  if (count == 0) return {};
  return type == RealType::f32 ? download_as<float>(queue, buffer, count)
                               : download_as<double>(queue, buffer, count);
}

namespace {

/// An f64 view and contiguous host rows, as arguments of the rectangle calls. `region` omits the
/// last row, because NVIDIA's driver requires the whole pitch of the last row to lie inside the
/// buffer.
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

}  // namespace clgauss
