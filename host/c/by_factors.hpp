#pragma once
/// What getrs_host and its like ask of the device, whatever the numbers are.

#include <complex>

#include "c/handles.hpp"
#include "c/host_transfer.hpp"
#include "c/weighted_sums.hpp"
#include "io/memory.hpp"

namespace clgauss::c {

/// L U as the kernels have it, with a unit diagonal of L that is not stored: where L has another
/// diagonal D, (L D^-1) (D U), in memory of the context's or `own`.
template <typename Number>
HostMatrix<const Number> with_unit_lower(const Use& use, const Triangles<Number>& m, Values& own) {
  const auto& [lower, upper, is_unit_lower, is_unit_upper] = m;
  if (is_unit_lower) return lower;
  const Index n = lower.rows;
  io::require_memory("A copy of A", n, n * sizeof(Number) / sizeof(double) + 1);
  auto* const space = reinterpret_cast<Number*>(use.object().space(doubles_for(lower), own).data());
  for_lower_triangle(n, [&, unit = is_unit_upper](Index i, Index j) {
    const auto of = [](const HostMatrix<const Number>& t, Index row, Index column) {
      return t.data[row * t.row_step + column * t.column_step];
    };
    const Number d = of(lower, j, j);
    if (j < i) space[i * n + j] = of(lower, i, j) / d;
    space[j * n + i] = j == i && unit ? d : d * of(upper, j, i);
  });
  return constant(row_major(space, n, n, n));
}

/// B <- (L U)^-1 B, if it is seen to be that.
template <typename Real>
[[nodiscard]] clgauss_status solve_by_factors(const Use& use,
                                              const Triangles<std::complex<Real>>& m,
                                              const HostMatrix<std::complex<Real>>& b);

}  // namespace clgauss::c
