#pragma once
/// Factors of a complex matrix, and bounds of how far they are off, for proofs on the host.

#include <clgauss/complex.hpp>
#include <clgauss/context.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/progress.hpp>
#include <complex>
#include <optional>
#include <vector>

namespace clgauss {

/// P A = L U, and an inverse R of P A, all computed in f64.
struct InvertedFactors {
  ComplexMatrix a, l, u, inverse;            // P A, L, U, R
  std::vector<Index> rows;                   // of A, in the order of P A
  std::vector<std::complex<double>> pivots;  // the diagonal of U
};

/// Empty if a pivot is 0 or not finite. Throws NoUsableKernel, OutOfMemory, CoResidencyLost.
[[nodiscard]] std::optional<InvertedFactors> inverted_factors(Context& context,
                                                              const ComplexMatrix& a,
                                                              const LuOptions& options,
                                                              const ProgressCallback& progress);

/// Upper bounds of the moduli on the diagonals of E = I - R P A and F = I - R L U.
struct DiagonalBounds {
  std::vector<double> of_e, of_f;
};
/// From the upper halves, n-by-2n, of E and of P A - L U, computed in f64 as real_operator()s, in
/// sums of any order. 8 n^2 numbers are read.
[[nodiscard]] DiagonalBounds diagonal_bounds(const InvertedFactors& factors, const Matrix& of_e,
                                             const Matrix& difference);

}  // namespace clgauss
