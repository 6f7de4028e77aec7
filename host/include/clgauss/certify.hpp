#pragma once
/// Proven bounds of the error of an answer. They account for every rounding error; they are not
/// estimates.

#include <clgauss/complex.hpp>
#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>
#include <string>

namespace CLGAUSS_EXPORT clgauss {

/// What is proven about an answer x of A x = b.
struct Certificate {
  bool proven = false;  // A is not singular, and the bounds hold
  /// A bound of || I - R A || in a weighted maximum norm, where R is a computed inverse of A. If it
  /// is below 1, A is not singular. Infinity if there is no R.
  double norm_bound = 0;
  Matrix bounds;  // |x_true - x| <= bounds, n-by-nrhs, element by element; empty unless proven
  /// Decimal digits of x that the bounds guarantee, for the worst element that is not 0.
  double digits = 0;
  /// The same for the largest element of the worst right-hand side: -log10(max bounds / max |x|).
  double norm_digits = 0;
  std::string reason;  // why nothing is proven; empty if `proven`
};

/// Rigorous bounds of the error of the n-by-nrhs `x`, any approximate answer of the system.
///
/// R ~ A^-1 comes from an LU on the device, in f32 where that is good enough, else in f64: any R
/// gives valid bounds. I - R A comes from a product in f64 of which every operation is one of IEEE,
/// in whatever order; its rounding errors are bounded a priori, as are those of b - A x, summed up
/// in double-double. With E = I - R A, y = R (b - A x) and weights w > 0 such that |E| w <= alpha
/// w, alpha < 1:
///   |x_true - x| <= |y| + |E| w max(|y| / w) / (1 - alpha)
/// Oishi and Rump, Numer. Math. 90 (2002); Ogita and Oishi (2005); Rump, Acta Numerica 19 (2010).
/// What device and kernels compute is checked by self-tests and against the host on the way; the
/// proof assumes that the hardware does IEEE arithmetic.
///
/// It takes three n-by-n matrices of f64 on the device, and the time of about five LUs in f64, or
/// six where A is too ill-conditioned for an inverse in f32, and half of one more to find that out.
/// `options` are those of the LU. An A that is too ill-conditioned (about 1 / (n eps)), or holds a
/// NaN, is an outcome: `proven` is false. Throws DimensionError, DeviceLimit (a device without
/// fp64), NoUsableKernel, DeviceFault, OutOfMemory, OpenClError.
[[nodiscard]] Certificate certify(Context& context, const System& system, const Matrix& x,
                                  const LuOptions& options = {},
                                  const ProgressCallback& progress = {});

/// The same for the x of a solution. If it has an rcond (SolveOptions::trust), that decides at once
/// which type the inverse is computed in.
[[nodiscard]] Certificate certify(Context& context, const System& system, const Solution& solution,
                                  const LuOptions& options = {},
                                  const ProgressCallback& progress = {});

/// The same for complex numbers: |x_true - x| <= bounds, moduli, element by element; `bounds` is a
/// real n-by-nrhs matrix. A bounded modulus also bounds real and imaginary part. The proof is that
/// of the real system [[Re A, -Im A], [Im A, Re A]] of order 2 n, which has the same answer, so
/// norm_bound is that system's. It takes four times the memory of a real proof of order n, eight
/// times its time, and about as much time as ten LUs of complex numbers. Throws as certify().
[[nodiscard]] Certificate certify(Context& context, const ComplexSystem& system,
                                  const ComplexMatrix& x, const LuOptions& options = {},
                                  const ProgressCallback& progress = {});
[[nodiscard]] Certificate certify(Context& context, const ComplexSystem& system,
                                  const ComplexSolution& solution, const LuOptions& options = {},
                                  const ProgressCallback& progress = {});

}  // namespace clgauss
