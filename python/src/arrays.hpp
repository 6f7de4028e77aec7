#pragma once
/// NumPy arrays on their way to the library and back.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <clgauss/batched.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <cstddef>
#include <optional>
#include <span>

namespace clgauss::python {

namespace nb = nanobind;

/// Numbers of f4 or f8 in any order and strides, negative ones and those of broadcast arrays
/// included.
using Array = nb::ndarray<nb::ro, nb::device::cpu>;
using WritableArray = nb::ndarray<nb::device::cpu>;

/// f32 or f64; throws UsageError for another type.
[[nodiscard]] RealType type_of(const Array& array);

/// Rows and columns of f32 or f64, so many bytes apart, in memory that outlives it.
struct Numbers {
  const std::byte* data = nullptr;
  RealType type = RealType::f64;
  Index rows = 0, columns = 0;
  std::ptrdiff_t row_bytes = 0, column_bytes = 0;

  Numbers() = default;
  /// Of an array of two dimensions.
  explicit Numbers(const Array& array);

  /// Where they lie, if that is row by row in f64; else nowhere.
  [[nodiscard]] std::span<const double> row_major() const;
  /// Rows that are `ld` numbers apart.
  void copy_to(double* out, Index ld) const;
};

/// Numbers of an object that lends its memory, while this lives: what NumPy's arrays do sooner than
/// what Array asks of them.
class Lent {
 public:
  explicit Lent(nb::handle object, bool writable = false);
  ~Lent() {
    if (is_there_) PyBuffer_Release(&view_);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

  /// A vector is one column. Empty for what are no such numbers, in this machine's order.
  [[nodiscard]] std::optional<Numbers> numbers() const;
  [[nodiscard]] int dimensions() const { return view_.ndim; }
  [[nodiscard]] void* data() const { return view_.buf; }

 private:
  Py_buffer view_{};
  bool is_there_;
};

/// A matrix of two dimensions. Row-major numbers of f64 are borrowed, and `array` must outlive the
/// result; others are converted into a matrix of its own, by all cores.
[[nodiscard]] Matrix to_matrix(const Array& array);

/// Whether what lies together are the numbers of a column, as in Fortran's order, of a matrix of
/// more than one row and column.
[[nodiscard]] bool lies_by_columns(const Array& array);

/// The transpose of such a matrix, which lies by rows: to_matrix() of it.
[[nodiscard]] Matrix to_transposed(const Array& array);

/// The same for a stack of matrices, of three dimensions.
[[nodiscard]] Batch to_batch(const Array& array);

/// The numbers of an array of two or three dimensions, row by row, to as many `values`.
void copy_in(const Array& array, std::span<double> values);

[[nodiscard]] bool is_single(const WritableArray& array);

/// The row-major `values` of a matrix to `array`, of the same number of elements, rounded to its
/// type. `array` is row-major. Throws Error (singular, in Python LinAlgError) if a finite number is
/// too large for that type.
void copy_out(std::span<const double> values, const WritableArray& array);

}  // namespace clgauss::python
