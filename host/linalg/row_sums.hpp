#pragma once
/// Sums over a row of A, as residuals and their bounds need them.

#include <array>
#include <clgauss/matrix.hpp>
#include <cmath>
#include <span>

namespace clgauss {

struct RowSums {
  double product = 0;    // of a[j] x[j]
  double magnitude = 0;  // of |a[j]| |x[j]|
  double row = 0;        // of |a[j]|
};

/// In lanes for the compiler's vectors; x has as many numbers as `a`.
inline RowSums sums_of_row(std::span<const double> a, const double* x) {
  constexpr Index kLanes = 8;
  std::array<double, kLanes> product{}, magnitude{}, row{};
  const auto add = [&](Index j, Index lane) {
    const double term = a[j] * x[j];
    product[lane] += term;
    magnitude[lane] += std::abs(term);
    row[lane] += std::abs(a[j]);
  };
  Index j = 0;
  for (; j + kLanes <= a.size(); j += kLanes)
    for (Index lane = 0; lane < kLanes; ++lane) add(j + lane, lane);
  for (; j < a.size(); ++j) add(j, 0);
  RowSums sums;
  for (Index lane = 0; lane < kLanes; ++lane) {
    sums.product += product[lane];
    sums.magnitude += magnitude[lane];
    sums.row += row[lane];
  }
  return sums;
}

}  // namespace clgauss
