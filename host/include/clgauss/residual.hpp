#pragma once
/// The residual of an answer, computed in f64 on the host from the original A and b.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <span>

namespace CLGAUSS_EXPORT clgauss {

/// Relative norms of r = b - A x, for the worst right-hand side.
struct Residual {
  double backward_error = 0;  // ||r|| / (||A|| ||x|| + ||b||), infinity norms; NaN if x holds a NaN
  double scaled = 0;          // backward_error / (eps n), the HPL benchmark's measure
};

/// An answer with a larger scaled residual is not accepted (the bound of HPL_pdtest in the HPL
/// benchmark).
inline constexpr double kScaledResidualBound = 16.0;

/// The residual of `x` for A x = b. `eps` is the unit roundoff of the type that the system was
/// solved in. 2 n^2 nrhs flops. The backward error of 0 = A 0 is 0. Throws DimensionError if x is
/// not n-by-nrhs.
[[nodiscard]] Residual compute_residual(const System& system, const Matrix& x, double eps);

/// The same for the row-major numbers of A (n-by-n), b and x (n-by-nrhs).
[[nodiscard]] Residual compute_residual(Index n, Index nrhs, std::span<const double> a,
                                        std::span<const double> b, std::span<const double> x,
                                        double eps);

/// The largest |u - v| of two matrices of the same shape; NaN if either holds a NaN.
[[nodiscard]] double max_difference(const Matrix& u, const Matrix& v);

}  // namespace clgauss
