#pragma once
/// Linear systems of complex numbers.

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/inverse.hpp>
#include <clgauss/io.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <complex>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// Dense row-major matrix of complex doubles. It is kept as the real matrix of twice as many
/// columns in which each number's imaginary part follows its real part: as std::complex<double>, C
/// and LAPACK keep it.
class ComplexMatrix {
 public:
  ComplexMatrix() = default;
  /// All zeros. Throws OutOfMemory.
  ComplexMatrix(Index rows, Index cols) : parts_(rows, 2 * cols) {}
  /// rows x cols numbers, row by row. Throws DimensionError if there are more or less.
  ComplexMatrix(Index rows, Index cols, std::span<const std::complex<double>> values);
  /// Of the real and imaginary parts, as they are kept. Throws DimensionError if the columns are
  /// odd.
  explicit ComplexMatrix(Matrix parts);
  /// The complex numbers that are these real ones.
  [[nodiscard]] static ComplexMatrix of_real(const Matrix& real);

  [[nodiscard]] Index rows() const noexcept { return parts_.rows(); }
  [[nodiscard]] Index cols() const noexcept { return parts_.cols() / 2; }
  [[nodiscard]] bool empty() const noexcept { return parts_.empty(); }

  [[nodiscard]] std::complex<double> operator()(Index row, Index col) const noexcept {
    return {parts_(row, 2 * col), parts_(row, 2 * col + 1)};
  }
  void set(Index row, Index col, std::complex<double> value) noexcept {
    parts_(row, 2 * col) = value.real();
    parts_(row, 2 * col + 1) = value.imag();
  }

  /// rows x 2 cols.
  [[nodiscard]] const Matrix& parts() const noexcept { return parts_; }
  [[nodiscard]] Matrix& parts() noexcept { return parts_; }

 private:
  Matrix parts_;
};

/// A x = b: `a` is n-by-n, `b` is n-by-nrhs.
struct ComplexSystem {
  ComplexMatrix a, b;
};

/// det A = phase * 10^log10_abs, |phase| = 1. A zero determinant has phase 0; one that is not
/// known, after an overflow, phase 0 and a logarithm of NaN.
struct ComplexDeterminant {
  std::complex<double> phase = 0;
  double log10_abs = 0;
  /// of the number: an estimate, as Determinant's; from 1 on, not even the phase is known
  double relative_error = std::numeric_limits<double>::quiet_NaN();
};

/// failed_pivot is |re| + |im|. rcond is that of moduli in the 1-norm, as LAPACK's zgecon computes
/// it, and errors are bounded as by zgerfs, in the infinity norm of moduli. Componentwise backward
/// errors are those of real and imaginary parts. reciprocal_growth is that of the parts.
struct ComplexSolution : SolveOutcome {
  ComplexMatrix x;  // n-by-nrhs; empty if singular or overflow
  ComplexDeterminant determinant;
};

/// "c64": a number has a real and an imaginary part of f64; "c32".
[[nodiscard]] std::string_view complex_type_name(RealType type);

/// Solves `system` by LU with partial pivoting on the context's device, 8/3 n^3 flops: the pivot
/// has the largest |re| + |im| of its column, as in LAPACK's zgesv. The columns of A and b are
/// scaled into the range of the type by powers of two, without rounding. Method::cholesky takes
/// half the flops for a Hermitian positive definite A, whose rows are then scaled as its columns: A
/// = L D L^H. Double accuracy from factors in f32 (mixed; on a device without fp64 always), the
/// digits of Accuracy::maximum, and a scaled residual above 1 of factors in f64 are the work of
/// refinement with residuals in f64, or twice that, by the host's cores: a pass over A and a solve
/// for each correction. If factors in f32 are not accurate enough, the solve is repeated in f64 if
/// the device has it; passed_over says so. An n = 0 system has the empty answer and determinant 1;
/// with nrhs = 0 A is factored if the options request an error estimate or the determinant.
///
/// Of the options it takes the methods automatic, lu, mixed and cholesky, type, accuracy,
/// determinant, trust and the bound of the residual. Throws DimensionError, UsageError (for the
/// other options, and for a type that method and accuracy exclude), ValueError (cholesky, and A is
/// not Hermitian), DeviceLimit, NoUsableKernel, OutOfMemory, DeviceFault, OpenClError.
[[nodiscard]] ComplexSolution solve_complex(Context& context, const ComplexSystem& system,
                                            const SolveOptions& options = {},
                                            const ProgressCallback& progress = {});

struct ComplexInverseOptions {
  std::optional<RealType> type = {};  // empty: f64 where the device has it
  double max_scaled_residual = kScaledResidualBound;
};

struct ComplexInverse : InverseOutcome {
  ComplexMatrix x;  // A^-1; empty if there is none
};

/// A^-1 of a square A by its LU with partial pivoting on the device, with the identity as
/// right-hand sides, 32/3 n^3 flops, and 8 n^3 for A X, all in one type. A zero pivot is an
/// outcome, and so is a residual that is too large: then X is present. It takes three n-by-n
/// matrices on the device, and four on the host. Throws DimensionError, DeviceLimit,
/// NoUsableKernel, OutOfMemory, DeviceFault, OpenClError.
[[nodiscard]] ComplexInverse invert_complex(Context& context, const ComplexMatrix& a,
                                            const ComplexInverseOptions& options = {},
                                            const ProgressCallback& progress = {});

/// Residual of `x`, from moduli; `eps` is the unit roundoff of the type that the system was solved
/// in. 8 n^2 nrhs flops. Throws DimensionError if x is not n-by-nrhs.
[[nodiscard]] Residual compute_residual(const ComplexSystem& system, const ComplexMatrix& x,
                                        double eps);

/// As read_matrix(), of a file of complex or of real numbers. Those of complex ones are Matrix
/// Market (complex; general, symmetric, skew-symmetric or hermitian), .npy (c8, c16) and .mat.
[[nodiscard]] ComplexMatrix read_complex_matrix(const std::string& path,
                                                const ReadOptions& options = {});

/// The same as a real matrix where the file holds real numbers.
[[nodiscard]] std::variant<Matrix, ComplexMatrix> read_any_matrix(const std::string& path,
                                                                  const ReadOptions& options = {});

/// As read_system(), of files of complex or of real numbers: a complex system if one of them holds
/// complex ones.
[[nodiscard]] std::variant<System, ComplexSystem> read_any_system(const std::string& path,
                                                                  const std::string& rhs,
                                                                  const ReadOptions& options = {});

/// Whether complex numbers are written in that format: as Matrix Market, .npy of c16, and in text,
/// CSV and TSV as two columns each, the real and the imaginary parts.
[[nodiscard]] bool writes_complex(FileFormat format);
/// Throws FileError where they are not.
void write_matrix(OutputFile& file, const ComplexMatrix& matrix, FileFormat format,
                  const WriteOptions& options = {});

}  // namespace clgauss
