#pragma once
/// Helpers for getrs_host and similar functions, for real and complex numbers.

#include <complex>
#include <concepts>
#include <optional>
#include <span>
#include <utility>

#include "c/handles.hpp"
#include "c/host_transfer.hpp"
#include "c/weighted_sums.hpp"
#include "io/memory.hpp"
#include "matrix/shapes.hpp"

namespace clgauss::c {

/// The index of the first zero on the diagonal, if there is one.
template <typename Number>
std::optional<Index> zero_pivot(const HostMatrix<Number>& factors) {
  for (Index i = 0; i < factors.rows; ++i)
    if (factors.data[i * (factors.row_step + factors.column_step)] == Number{}) return i;
  return {};
}

/// The triangles of L U, or with `transposed` those of U^T L^T.
template <typename Number>
Triangles<Number> triangles_of_lu(const HostMatrix<const Number>& lu, bool transposed) {
  const HostMatrix<const Number> m = transposed ? c::transposed(lu) : lu;
  return {m, m, !transposed, transposed};
}

/// The triangles of L L^T, for complex numbers of L L^H.
template <typename Number>
Triangles<Number> triangles_of_cholesky(const HostMatrix<const Number>& l) {
  return {l, transposed(l), false, false, true};
}

/// L U as the kernels expect it: L has a unit diagonal that is not stored. If L has another
/// diagonal D, the result is (L D^-1) (D U), in the context's kept memory or in `own`.
template <typename Number>
HostMatrix<const Number> with_unit_lower(const Use& use, const Triangles<Number>& m, Values& own) {
  if (m.is_unit_lower) return m.lower;
  const Index n = m.lower.rows;
  io::require_memory("A copy of A", n, n * sizeof(Number) / sizeof(double) + 1);
  auto* const space =
      reinterpret_cast<Number*>(use.object().space(doubles_for(m.lower), own).data());
  for_lower_triangle(n, [&](Index i, Index j) {
    const auto of = [](const HostMatrix<const Number>& t, Index row, Index column) {
      return t.data[row * t.row_step + column * t.column_step];
    };
    const Number d = of(m.lower, j, j);
    if (j < i) space[i * n + j] = of(m.lower, i, j) / d;
    space[j * n + i] = j == i && m.is_unit_upper ? d : d * m.of_upper(of(m.upper, j, i));
  });
  return constant(row_major(space, n, n, n));
}

/// Uploads the result of with_unit_lower(): for real numbers, L and U share one matrix.
template <typename Real>
MatrixView uploaded_factors(const Use& use, const Triangles<Real>& m) {
  Values own;
  return uploaded(use.context(), with_unit_lower(use, m, own),
                  padded_ld(m.lower.rows, kRealType<Real>), "the factors");
}

/// Exchanges rows k and exchanges[k] of `matrix` for k = 0, 1, ...: M <- P M. With `back` it runs
/// from the last k to the first: M <- P^T M.
template <typename Number>
void exchange_rows(const HostMatrix<Number>& matrix, std::span<const Index> exchanges, bool back) {
  const Index count = exchanges.size();
  const auto row_of = [&](Index step) { return back ? count - 1 - step : step; };
  const auto exchange = [&](Index k, Index j) {
    std::swap(matrix.data[k * matrix.row_step + j * matrix.column_step],
              matrix.data[exchanges[k] * matrix.row_step + j * matrix.column_step]);
  };
  in_parallel(matrix.columns, kElementsPerThread / count + 1, [&](Index first, Index last) {
    if (matrix.column_step == 1)
      for (Index step = 0; step < count; ++step)
        for (Index j = first; j < last; ++j) exchange(row_of(step), j);
    else
      for (Index j = first; j < last; ++j)
        for (Index step = 0; step < count; ++step) exchange(row_of(step), j);
  });
}

/// M <- conj(M). Does nothing for real numbers.
template <typename Number>
void conjugate(const HostMatrix<Number>& matrix) {
  if constexpr (!std::floating_point<Number>)
    in_parallel(matrix.columns, kElementsPerThread / matrix.rows + 1, [&](Index first, Index last) {
      for (Index j = first; j < last; ++j)
        for (Index i = 0; i < matrix.rows; ++i) {
          Number& number = matrix.data[i * matrix.row_step + j * matrix.column_step];
          number = conjugated(number);
        }
    });
}

/// A copy of a matrix, with its own memory.
template <typename Number>
struct Copied {
  explicit Copied(const HostMatrix<Number>& of)
      : space(doubles_for(of)), matrix(like(of, space.data())) {
    copy(of, matrix);
  }

  Values space;
  HostMatrix<Number> matrix;
};

/// B <- (L U)^-1 B. B is written only if the answer passes is_answer().
template <typename Real>
[[nodiscard]] clgauss_status solve_by_factors(const Use& use,
                                              const Triangles<std::complex<Real>>& m,
                                              const HostMatrix<std::complex<Real>>& b);

template <std::floating_point Real>
[[nodiscard]] clgauss_status solve_by_factors(const Use& use, const Triangles<Real>& m,
                                              const HostMatrix<Real>& b);

}  // namespace clgauss::c
