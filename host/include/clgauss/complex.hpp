#pragma once
/// Linear systems of complex numbers.

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/io.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <complex>
#include <optional>
#include <span>
#include <string>
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

struct ComplexOptions {
  /// of real and imaginary parts; empty: f64 where the device has it, else f32
  std::optional<RealType> type = {};
  double max_scaled_residual = kScaledResidualBound;
};

struct ComplexSolution {
  SolveStatus status = SolveStatus::ok;
  ComplexMatrix x;  // n-by-nrhs; empty if singular or overflow
  RealType type = RealType::f64;
  std::optional<Index> failed_column;  // 0-based
  double failed_pivot = 0;             // |re| + |im| of it: 0, Inf or NaN
  std::vector<Index> pivot_rows;       // row k was exchanged with row pivot_rows[k]
  /// Of moduli, as compute_residual() of a real system; eps is that of `type`, to which x is as
  /// accurate as its backward error says.
  Residual residual;
  SolveTimes times;
};

/// Solves `system` by LU with partial pivoting on the context's device, 8/3 n^3 flops: the pivot
/// has the largest |re| + |im| of its column, as in LAPACK's zgesv. The columns of A and b are
/// brought into the range of the type by powers of two, without rounding. An n = 0 system has the
/// empty answer. Throws DimensionError, DeviceLimit, NoUsableKernel, OutOfMemory, DeviceFault,
/// OpenClError.
[[nodiscard]] ComplexSolution solve_complex(Context& context, const ComplexSystem& system,
                                            const ComplexOptions& options = {},
                                            const ProgressCallback& progress = {});

/// Residual of `x`, from moduli; `eps` is the unit roundoff of the type that the system was solved
/// in. 8 n^2 nrhs flops. Throws DimensionError if x is not n-by-nrhs.
[[nodiscard]] Residual compute_residual(const ComplexSystem& system, const ComplexMatrix& x,
                                        double eps);

/// As read_matrix(), of a file of complex or of real numbers. Those of complex ones are Matrix
/// Market (complex; general, symmetric, skew-symmetric or hermitian) and .npy (c8, c16).
[[nodiscard]] ComplexMatrix read_complex_matrix(const std::string& path,
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
