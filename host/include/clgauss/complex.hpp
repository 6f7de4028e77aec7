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

/// Dense row-major matrix of complex doubles. It is stored as a real matrix with twice as many
/// columns, in which each number's imaginary part follows its real part. std::complex<double>, C
/// and LAPACK use the same layout.
class ComplexMatrix {
 public:
  ComplexMatrix() = default;
  /// All zeros. Throws OutOfMemory.
  ComplexMatrix(Index rows, Index cols) : parts_(rows, 2 * cols) {}
  /// rows x cols numbers, row by row. Throws DimensionError for any other count.
  ComplexMatrix(Index rows, Index cols, std::span<const std::complex<double>> values);
  /// From the real and imaginary parts in the stored layout. Throws DimensionError if the number of
  /// columns is odd.
  explicit ComplexMatrix(Matrix parts);
  /// The complex matrix with these real numbers.
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

  /// The real and imaginary parts, rows x 2 cols.
  [[nodiscard]] const Matrix& parts() const noexcept { return parts_; }
  [[nodiscard]] Matrix& parts() noexcept { return parts_; }

 private:
  Matrix parts_;
};

/// A x = b: `a` is n-by-n, `b` is n-by-nrhs.
struct ComplexSystem {
  ComplexMatrix a, b;
};

/// det A = phase * 10^log10_abs, |phase| = 1. A zero determinant has phase 0. If it is unknown
/// after an overflow, the phase is 0 and the logarithm NaN.
struct ComplexDeterminant {
  std::complex<double> phase = 0;
  double log10_abs = 0;
  /// An estimate, relative to the determinant, as in Determinant. From 1 on, not even the phase is
  /// known.
  double relative_error = std::numeric_limits<double>::quiet_NaN();
};

/// failed_pivot is |re| + |im|. rcond is that of the moduli in the 1-norm, as LAPACK's zgecon
/// computes it. Errors are bounded as by zgerfs, in the infinity norm of the moduli. Componentwise
/// backward errors and reciprocal_growth refer to the real and imaginary parts.
struct ComplexSolution : SolveOutcome {
  ComplexMatrix x;  // n-by-nrhs; empty if singular or overflow
  ComplexDeterminant determinant;
};

/// The name of complex numbers in `type`: "c64" for two parts in f64, or "c32".
[[nodiscard]] std::string_view complex_type_name(RealType type);

/// Solves `system` by LU with partial pivoting on the context's device, 8/3 n^3 flops. As in
/// LAPACK's zgesv, the pivot has the largest |re| + |im| of its column. Rows, columns and b are
/// scaled as in solve(), by the larger part of each number. Method::cholesky takes half the flops
/// for a Hermitian positive definite A, A = L D L^H; its rows are scaled like its columns.
/// Method::ldlt takes as many for a Hermitian A that may be indefinite, P A P^T = L D L^H with
/// 2 x 2 pivots, and gives its inertia. If its pivots grew so far that the residual is too large,
/// or the determinant's sign not sure, Pivoting::rook follows, then LU, and passed_over says so.
///
/// Refinement is used in three cases: for double accuracy from factors in f32 (mixed; always on a
/// device without fp64), for Accuracy::maximum, and if factors in f64 give a scaled residual above
/// 1. The host's cores compute the residuals in f64 or twice its precision; with Judge::device the
/// device computes those in f64. Each correction takes a pass over A and a solve. If factors in f32
/// are not accurate enough, the solve is repeated in f64 if the device has it; passed_over says so.
/// A system with n = 0 has an empty answer and determinant 1. With nrhs = 0, A is factored if the
/// options request an error estimate or the determinant.
///
/// It supports these options: the methods automatic, lu, mixed, cholesky and ldlt, Pivoting::rook
/// for ldlt, the type, the accuracy, equilibration, the judge, the determinant, trust and the bound
/// of the residual. Throws DimensionError, UsageError (other options, or a type that contradicts
/// method and accuracy), ValueError (cholesky or ldlt, but A is not Hermitian), DeviceLimit (also
/// for Judge::device without fp64), NoUsableKernel, OutOfMemory, DeviceFault, OpenClError.
[[nodiscard]] ComplexSolution solve_complex(Context& context, const ComplexSystem& system,
                                            const SolveOptions& options = {},
                                            const ProgressCallback& progress = {});

struct ComplexInverseOptions {
  std::optional<RealType> type = {};  // empty: f64 if the device has it
  double max_scaled_residual = kScaledResidualBound;
  Equilibration equilibration = Equilibration::automatic;
};

struct ComplexInverse : InverseOutcome {
  ComplexMatrix x;  // A^-1; empty if there is none
};

/// A^-1 of a square A by LU with partial pivoting on the device, with the identity as right-hand
/// sides: 32/3 n^3 flops, and 8 n^3 for A X, all in one type. A zero pivot is an outcome, not an
/// error; so is a residual that is too large, in which case X is present. Needs memory for three
/// n-by-n matrices on the device and four on the host. Throws DimensionError, DeviceLimit,
/// NoUsableKernel, OutOfMemory, DeviceFault, OpenClError.
[[nodiscard]] ComplexInverse invert_complex(Context& context, const ComplexMatrix& a,
                                            const ComplexInverseOptions& options = {},
                                            const ProgressCallback& progress = {});

/// The residual of `x`, from moduli. `eps` is the unit roundoff of the type that the system was
/// solved in. 8 n^2 nrhs flops. Throws DimensionError if x is not n-by-nrhs.
[[nodiscard]] Residual compute_residual(const ComplexSystem& system, const ComplexMatrix& x,
                                        double eps);

/// As read_matrix(), for a file of complex or real numbers. The formats with complex numbers are
/// Matrix Market (complex; general, symmetric, skew-symmetric or hermitian), .npy (c8, c16) and
/// .mat.
[[nodiscard]] ComplexMatrix read_complex_matrix(const std::string& path,
                                                const ReadOptions& options = {});

/// The same, but a file of real numbers gives a real matrix.
[[nodiscard]] std::variant<Matrix, ComplexMatrix> read_any_matrix(const std::string& path,
                                                                  const ReadOptions& options = {});

/// As read_system(), for files of complex or real numbers. The system is complex if one of the
/// files is.
[[nodiscard]] std::variant<System, ComplexSystem> read_any_system(const std::string& path,
                                                                  const std::string& rhs,
                                                                  const ReadOptions& options = {});

/// Whether complex numbers can be written in that format: Matrix Market, .npy (c16), and text, CSV
/// and TSV, with two columns each for the real and imaginary parts.
[[nodiscard]] bool writes_complex(FileFormat format);
/// Throws FileError if complex_matrix cannot be written in that format.
void write_matrix(OutputFile& file, const ComplexMatrix& matrix, FileFormat format,
                  const WriteOptions& options = {});

}  // namespace clgauss
