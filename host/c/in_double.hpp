#pragma once
/// Converts a caller's matrices to the types that the library takes.

#include <clgauss/complex.hpp>
#include <complex>
#include <type_traits>

#include "c/handles.hpp"
#include "c/host_matrix.hpp"
#include "io/memory.hpp"

namespace clgauss::c {

/// The matrix at `numbers`, without a copy. Nothing may write to it.
inline Matrix borrowed(const double* numbers, Index rows, Index columns) {
  return {rows, columns,
          Values(rows * columns, UninitializedAllocator<double>(const_cast<double*>(numbers)))};
}

/// Whether in_double() uses the numbers where they lie.
template <typename Real>
bool lies_in_double(const HostMatrix<const Real>& from) {
  return std::is_same_v<Real, double> && from.column_step == 1 && from.row_step == from.columns;
}

/// `from` in double. If the caller's numbers are already row-major doubles without gaps, they are
/// used in place; otherwise this is a copy, in the memory of `object` if given.
template <typename Real>
Matrix in_double(const HostMatrix<const Real>& from, const char* name,
                 ContextObject* object = nullptr) {
  io::require_memory(name, from.rows, from.columns);  // checks the size before reading
  if constexpr (std::is_same_v<Real, double>)
    if (lies_in_double(from)) return borrowed(from.data, from.rows, from.columns);
  const Index count = from.rows * from.columns;
  Values own;
  Values& values = object != nullptr ? object->space(count, own) : own = Values(count);
  copy(from, row_major(values.data(), from.rows, from.columns, from.columns));
  if (&values != &own) return borrowed(values.data(), from.rows, from.columns);
  return {from.rows, from.columns, std::move(own)};
}

template <typename Real>
ComplexMatrix in_double(const HostMatrix<const std::complex<Real>>& from, const char* name) {
  io::require_memory(name, from.rows, 2 * from.columns);  // checks the size before reading
  ComplexMatrix own(from.rows, from.columns);
  auto* const numbers = reinterpret_cast<std::complex<double>*>(own.parts().values().data());
  copy(from, row_major(numbers, from.rows, from.columns, from.columns));
  return own;
}

}  // namespace clgauss::c
