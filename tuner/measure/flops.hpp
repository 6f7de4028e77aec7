#pragma once
/// Floating-point operations of what is measured: one formula for rows, tables and benchmarks.

#include <clgauss/matrix.hpp>

namespace clgauss::tune {

/// C <- A B, m-by-k times k-by-n: 2 m n k.
[[nodiscard]] constexpr double product_flops(Index m, Index n, Index k) {
  return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}
/// Of n-by-n matrices.
[[nodiscard]] constexpr double product_flops(Index n) { return product_flops(n, n, n); }

/// A = P^T L U: 2/3 n^3, without the terms of lower order.
[[nodiscard]] constexpr double lu_flops(Index n) { return product_flops(n) / 3; }

/// A = Q R of an m-by-n A, m >= n: 2 n^2 (m - n / 3).
[[nodiscard]] constexpr double qr_flops(Index m, Index n) {
  return product_flops(m, n, n) - product_flops(n) / 3;
}

/// X = A^-1 B by the factors: 2 n^2 nrhs.
[[nodiscard]] constexpr double solve_flops(Index n, Index nrhs) {
  return product_flops(n, nrhs, n);
}

}  // namespace clgauss::tune
