#pragma once
/// Whether answers, which are computed in double, fit into a caller's type.

#include <algorithm>
#include <clgauss/batched.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>

namespace clgauss {

/// Whether finite numbers stay finite as Real. Infinities and NaNs do not count.
template <typename Real>
bool fit_in(std::span<const double> numbers) {
  if constexpr (std::is_same_v<Real, double>) return true;
  return std::ranges::all_of(numbers, [](double number) {
    return !std::isfinite(number) || std::abs(number) <= std::numeric_limits<Real>::max();
  });
}

/// The systems whose x does not fit into Real count as overflowed, and that x is NaN.
template <typename Real>
void refuse_unfit(BatchedSolution& solution) {
  for (Index s = 0; s < solution.x.count; ++s) {
    const std::span<double> x = solution.x.matrix(s);
    if (fit_in<Real>(x)) continue;
    std::ranges::fill(x, std::numeric_limits<double>::quiet_NaN());
    solution.overflowed.push_back(s);
    if (solution.singular.empty()) solution.status = SolveStatus::overflow;
  }
}

}  // namespace clgauss
