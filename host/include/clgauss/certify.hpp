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
#include <complex>
#include <limits>
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

/// The same for the n-by-n `x`, any approximate inverse of `a`: |A^-1 - X| <= bounds, element by
/// element. One R serves all columns. A X - I is summed up in double-double, so the bounds are
/// about as small as the errors themselves. These sums, 2 n^3 flops in double-double, take most of
/// the time: 27 times that of certify() with one column at n = 1000 on 2 cores. The device needs no
/// more memory than for one column, the host about twelve n-by-n matrices. Throws as certify().
[[nodiscard]] Certificate certify_inverse(Context& context, const Matrix& a, const Matrix& x,
                                          const LuOptions& options = {},
                                          const ProgressCallback& progress = {});
[[nodiscard]] Certificate certify_inverse(Context& context, const ComplexMatrix& a,
                                          const ComplexMatrix& x, const LuOptions& options = {},
                                          const ProgressCallback& progress = {});

/// What is proven about |det A|.
struct DeterminantEnclosure {
  bool proven = false;  // A is not singular, and what follows holds
  /// log10_low <= log10 |det A| <= log10_high; NaN unless proven.
  double log10_low = std::numeric_limits<double>::quiet_NaN();
  double log10_high = std::numeric_limits<double>::quiet_NaN();
  /// A bound of || I - R M || in the maximum norm, for M = P A, M = L U and all matrices between,
  /// where L U are computed factors of A and R is their computed inverse. Below 1 if proven.
  double norm_bound = std::numeric_limits<double>::infinity();
  std::string reason;  // why nothing is proven; empty if `proven`
};

/// The same, and what is proven about the sign, of a real A.
struct DeterminantCertificate : DeterminantEnclosure {
  int sign = 0;  // of det A, 1 or -1; 0 unless proven
};

/// The same, and what is proven about the phase, of a complex A.
struct ComplexDeterminantCertificate : DeterminantEnclosure {
  std::complex<double> phase = 0;  // of modulus 1, but for its rounding; 0 unless proven
  /// |det A / |det A| - phase| <= phase_bound < 1; infinity unless proven.
  double phase_bound = std::numeric_limits<double>::infinity();
};

/// The sign of det A of the n-by-n `a`, proven, and an enclosure of its magnitude. P A = L U + D is
/// an LU in f64; every rounding error of D and of E = I - R P A is bounded as in certify(). If the
/// norm of |E| + |R| |D| is below 1, no matrix on the straight way from P A to L U is singular, so
/// det(P A) has the sign of the product of U's pivots. The magnitude follows from
/// det(P A) / det(L U) = det(I - E) / det(I - F), where F = I - R L U has a norm below 1, too: the
/// relative width of the enclosure is at most about 4 n norm_bound.
///
/// It takes five n-by-n matrices of f64 on the device and one on the host, and the time of five to
/// ten LUs in f64. The enclosure assumes that the host's log10 and log1p are off by at most 2^-48,
/// relatively. A singular A, or one too ill-conditioned (about 1 / (n eps)), is an outcome:
/// `proven` is false. n = 0: determinant 1. Throws as certify().
[[nodiscard]] DeterminantCertificate certify_determinant(Context& context, const Matrix& a,
                                                         const LuOptions& options = {},
                                                         const ProgressCallback& progress = {});

/// The phase of det A of a complex n-by-n `a`, and an enclosure of its modulus. All bounds are as
/// above, of real matrices [[Re M, -Im M], [Im M, Re M]] of order 2 n in place of the complex M.
/// As det(P A) / det(L U) = det(I - E) / det(I - F), the phase is that of U's pivots and P but for
/// an angle of hardly more than the sum of |E_kk| + |F_kk|. A bound of the phase that is not below
/// 1 is an outcome as a singular A is. For a random matrix of n = 3000 it is 0.02.
///
/// It takes twenty n-by-n matrices of f64 on the device, about as many on the host, and the time of
/// ten to twenty LUs of complex numbers in f64. n = 0: determinant 1. Throws as certify().
[[nodiscard]] ComplexDeterminantCertificate certify_determinant(
    Context& context, const ComplexMatrix& a, const LuOptions& options = {},
    const ProgressCallback& progress = {});

}  // namespace clgauss
