#pragma once
/// NumPy arrays on their way to the library and back.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <clgauss/batched.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <span>

namespace clgauss::python {

namespace nb = nanobind;

/// Numbers of f4 or f8 in any order and strides, negative ones and those of broadcast arrays
/// included.
using Array = nb::ndarray<nb::ro, nb::device::cpu>;
using WritableArray = nb::ndarray<nb::device::cpu>;

/// f32 or f64; throws UsageError for another type.
[[nodiscard]] RealType type_of(const Array& array);

/// A matrix of two dimensions. Row-major numbers of f64 are borrowed, and `array` must outlive the
/// result; others are converted into a matrix of its own, by all cores.
[[nodiscard]] Matrix to_matrix(const Array& array);

/// The same for a stack of matrices, of three dimensions.
[[nodiscard]] Batch to_batch(const Array& array);

/// The numbers of an array of two or three dimensions, row by row, to as many `values`.
void copy_in(const Array& array, std::span<double> values);

/// The row-major `values` of a matrix to `array`, of the same number of elements, rounded to its
/// type. `array` is row-major.
void copy_out(std::span<const double> values, const WritableArray& array);

}  // namespace clgauss::python
