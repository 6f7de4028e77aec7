#pragma once
/// How good an answer is, computed in f64 on the host from the original A and b.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <span>

namespace CLGAUSS_EXPORT clgauss {

/// Norms of r = b - A x, and what they are measured against, for the worst right-hand side.
struct Residual {
  double backward_error = 0;  // ||r|| / (||A|| ||x|| + ||b||), infinity norms; NaN if x holds one
  double scaled = 0;          // backward_error / (eps n), the HPL benchmark's measure
};

/// Above this scaled residual an answer is not accepted (HPL benchmark, HPL_pdtest).
inline constexpr double kScaledResidualBound = 16.0;

/// Residual of `x` for A x = b; `eps` is the unit roundoff of the type that the system was solved
/// in. 2 n^2 nrhs flops. The backward error of 0 = A 0 is 0. Throws DimensionError if x is not
/// n-by-nrhs.
[[nodiscard]] Residual compute_residual(const System& system, const Matrix& x, double eps);

/// The same for the row-major numbers of A (n-by-n), b and x (n-by-nrhs).
[[nodiscard]] Residual compute_residual(Index n, Index nrhs, std::span<const double> a,
                                        std::span<const double> b, std::span<const double> x,
                                        double eps);

/// Largest |u - v| of two matrices of one shape; NaN if either holds one.
[[nodiscard]] double max_difference(const Matrix& u, const Matrix& v);

}  // namespace clgauss
