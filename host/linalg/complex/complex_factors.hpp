#pragma once
/// A complex system on the device, and its factors as refinement and estimates ask for them.

#include <clgauss/complex.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linalg/complex/complex_lu.hpp"
#include "linalg/solve/factored.hpp"

namespace clgauss {

/// Vectors are in pairs (linalg/complex/complex_residual.hpp), and "transposed" is A^-H. A' = A C
/// and B' = B S: the columns brought near 1 by powers of two, each number's parts by the same. With
/// LuOptions::positive_definite they are Cholesky's factors, and A' = C A C.
class ComplexFactors : public Factored {
 public:
  /// Makes room, and builds and asks the kernels; with `estimates` those of A^-H, too, if they
  /// work. n > 0. Throws OutOfMemory, NoUsableKernel.
  ComplexFactors(Context& context, const ComplexSystem& system, RealType type,
                 const LuOptions& options, bool estimates);

  void upload(const ComplexSystem& system);
  /// R A C of A, or of one with as many parts.
  [[nodiscard]] Matrix scaled_parts(const Matrix& a) const {
    return scaled(a, rows_, scaling_.columns);
  }
  /// A' = P^T L U. Waits, as all that follows.
  void factor(const ProgressCallback& progress);

  struct Pivots {
    std::vector<Index> rows;             // exchanged with each
    std::optional<Index> failed_column;  // whose pivot is 0 or not finite
    Matrix diagonal;                     // of U, n-by-2: the parts
    bool positive_definite = false;      // they are Cholesky's

    /// |re| + |im| of the failed column's; of Cholesky's the number itself, which is real.
    [[nodiscard]] double failed_pivot() const;
    /// What that says of `a`, which was factored.
    [[nodiscard]] SolveStatus failure(const ComplexMatrix& a) const;
  };
  /// Read twice: throws DeviceFault where that differs; CoResidencyLost.
  [[nodiscard]] Pivots pivots();

  /// X' = A'^-1 B', once after factor().
  [[nodiscard]] Matrix first_answer();

  /// L (unit diagonal not stored) and U of P A = L U, n-by-2n parts. Waits.
  [[nodiscard]] Matrix packed() const;

  /// Of the largest parts; `a` are those of A.
  [[nodiscard]] double reciprocal_growth(const Matrix& a) override;

 protected:
  void apply_inverse(bool transposed, const Scaling& by, Matrix& x) override;

 private:
  [[nodiscard]] const cl::CommandQueue& queue() const { return context_.queue(); }
  /// The first `columns` numbers of B's rows, n-by-2 columns; and back.
  [[nodiscard]] Matrix read_b(Index columns);
  void write_b(const Matrix& parts);

  Context& context_;
  RealType type_;
  Index n_, nrhs_;
  bool positive_definite_;
  std::string what_;
  std::vector<int> rows_;  // exponents of R, one a row; empty: all 0
  std::optional<ComplexLu> lu_;
  MatrixView a_;  // in parts, with B beside it
  cl::Buffer vectors_, diagonal_;
  std::optional<Kernel> diagonal_kernel_;
};

}  // namespace clgauss
