#include "arrays.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "io/memory.hpp"
#include "matrix/fit.hpp"
#include "parallel.hpp"

namespace clgauss::python {

namespace {

/// Rows and columns of one type, so many elements apart.
template <typename Real>
struct Strided {
  const Real* data;
  Index rows, columns;
  std::ptrdiff_t row_stride, column_stride;
};

/// The numbers of `from` to `out`, row by row. Where columns are what lies together, squares that
/// stay in the cache are turned over.
template <typename Real>
void convert(const Strided<Real>& from, double* out) {
  constexpr Index kSquare = 64;
  const Index width = from.column_stride == 1 ? from.columns : kSquare;
  const Index grain = kElementsPerThread / (std::max<Index>(from.columns, 1) * kSquare) + 1;
  in_parallel((from.rows + kSquare - 1) / kSquare, grain, [&](Index first, Index last) {
    const Index end = std::min(from.rows, last * kSquare);
    for (Index top = first * kSquare; top < end; top += kSquare)
      for (Index left = 0; left < from.columns; left += width)
        for (Index i = top; i < std::min(end, top + kSquare); ++i) {
          const Real* row = from.data + static_cast<std::ptrdiff_t>(i) * from.row_stride;
          for (Index j = left; j < std::min(from.columns, left + width); ++j)
            out[i * from.columns + j] =
                static_cast<double>(row[static_cast<std::ptrdiff_t>(j) * from.column_stride]);
        }
  });
}

/// Matrix s of a stack, or the only one, or its transpose.
template <typename Real>
Strided<Real> matrix_of(const Array& array, Index s, bool transposed = false) {
  std::size_t row = array.ndim() - 2, column = array.ndim() - 1;
  if (transposed) std::swap(row, column);
  const auto* data = static_cast<const Real*>(array.data());
  if (array.ndim() == 3) data += static_cast<std::ptrdiff_t>(s) * array.stride(0);
  return {data, array.shape(row), array.shape(column), array.stride(row), array.stride(column)};
}

bool is_row_major(const Array& array) {
  std::int64_t apart = 1;
  for (std::size_t d = array.ndim(); d-- > 0;) {
    if (array.shape(d) != 1 && array.stride(d) != apart) return false;
    apart *= static_cast<std::int64_t>(array.shape(d));
  }
  return true;
}

/// Of an array without gaps; they are never written to.
Values borrowed(const Array& array) {
  return Values(array.size(), UninitializedAllocator<double>(
                                  const_cast<double*>(static_cast<const double*>(array.data()))));
}

Values to_values(const Array& array) {
  if (type_of(array) == RealType::f64 && is_row_major(array)) return borrowed(array);
  if (array.size() > kElementsPerThread)  // to ask takes longer than to copy a few numbers
    io::require_memory("a copy of the array in f64", array.size(), 1);
  Values values(array.size());
  copy_in(array, values);
  return values;
}

}  // namespace

namespace {

template <typename Real>
void copy_rows(const Numbers& numbers, double* out, Index ld) {
  for (Index i = 0; i < numbers.rows; ++i) {
    const std::byte* from = numbers.data + static_cast<std::ptrdiff_t>(i) * numbers.row_bytes;
    for (Index j = 0; j < numbers.columns; ++j, from += numbers.column_bytes) {
      Real value;
      std::memcpy(&value, from, sizeof value);
      out[i * ld + j] = static_cast<double>(value);
    }
  }
}

}  // namespace

Numbers::Numbers(const Array& array)
    : data(static_cast<const std::byte*>(array.data())),
      type(type_of(array)),
      rows(array.shape(0)),
      columns(array.shape(1)) {
  const auto bytes = static_cast<std::ptrdiff_t>(bytes_of(type));
  row_bytes = array.stride(0) * bytes;
  column_bytes = array.stride(1) * bytes;
}

std::span<const double> Numbers::row_major() const {
  const auto row = static_cast<std::ptrdiff_t>(columns * sizeof(double));
  const bool lies =
      type == RealType::f64 && reinterpret_cast<std::uintptr_t>(data) % alignof(double) == 0 &&
      (rows == 1 || row_bytes == row) && (columns == 1 || column_bytes == sizeof(double));
  if (!lies) return {};
  return {reinterpret_cast<const double*>(data), rows * columns};
}

void Numbers::copy_to(double* out, Index ld) const {
  if (type == RealType::f64)
    copy_rows<double>(*this, out, ld);
  else
    copy_rows<float>(*this, out, ld);
}

Lent::Lent(nb::handle object, bool writable)
    : is_there_(PyObject_GetBuffer(object.ptr(), &view_,
                                   PyBUF_RECORDS_RO | (writable ? PyBUF_WRITABLE : 0)) == 0) {
  if (!is_there_) PyErr_Clear();
}

std::optional<Numbers> Lent::numbers() const {
  if (!is_there_ || (view_.ndim != 1 && view_.ndim != 2) || view_.format == nullptr) return {};
  const std::string_view format = view_.format;
  if (format != "d" && format != "f") return {};
  Numbers numbers;
  numbers.data = static_cast<const std::byte*>(view_.buf);
  numbers.type = format == "d" ? RealType::f64 : RealType::f32;
  numbers.rows = static_cast<Index>(view_.shape[0]);
  numbers.row_bytes = view_.strides[0];
  numbers.columns = view_.ndim == 2 ? static_cast<Index>(view_.shape[1]) : 1;
  numbers.column_bytes = view_.ndim == 2 ? view_.strides[1] : 0;
  return numbers;
}

RealType type_of(const Array& array) {
  if (array.dtype() == nb::dtype<double>()) return RealType::f64;
  if (array.dtype() == nb::dtype<float>()) return RealType::f32;
  throw UsageError("an array of another type than float32 or float64");
}

void copy_in(const Array& array, std::span<double> values) {
  const RealType type = type_of(array);
  const Index count = array.ndim() == 3 ? array.shape(0) : 1;
  for (Index s = 0; s < count; ++s) {
    double* const out = values.data() + s * (values.size() / count);
    if (type == RealType::f64)
      convert(matrix_of<double>(array, s), out);
    else
      convert(matrix_of<float>(array, s), out);
  }
}

bool lies_by_columns(const Array& array) {
  const auto rows = static_cast<std::int64_t>(array.shape(0));
  return array.shape(1) > 1 && array.stride(0) == 1 && array.stride(1) >= rows && rows > 1;
}

Matrix to_transposed(const Array& array) {
  const Index rows = array.shape(1), columns = array.shape(0);
  if (type_of(array) == RealType::f32) {
    Matrix matrix(rows, columns);
    convert(matrix_of<float>(array, 0, true), matrix.values().data());
    return matrix;
  }
  const auto from = matrix_of<double>(array, 0, true);
  if (from.row_stride == static_cast<std::ptrdiff_t>(columns))
    return {rows, columns, borrowed(array)};
  Matrix matrix(rows, columns);
  convert(from, matrix.values().data());
  return matrix;
}

Matrix to_matrix(const Array& array) { return {array.shape(0), array.shape(1), to_values(array)}; }

Batch to_batch(const Array& array) {
  return {array.shape(0), array.shape(1), array.shape(2), to_values(array)};
}

bool is_single(const WritableArray& array) { return array.dtype() == nb::dtype<float>(); }

void copy_out(std::span<const double> values, const WritableArray& array) {
  if (!is_single(array)) {
    std::ranges::copy(values, static_cast<double*>(array.data()));
    return;
  }
  if (!fit_in<float>(values))
    throw Error(ErrorCode::singular, "the numbers leave the range of the type");
  std::ranges::transform(values, static_cast<float*>(array.data()),
                         [](double value) { return static_cast<float>(value); });
}

}  // namespace clgauss::python
