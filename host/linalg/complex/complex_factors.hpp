#pragma once
/// A complex system on the device, and its factors for refinement and estimates.

#include <clgauss/complex.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linalg/complex/complex_lu.hpp"
#include "linalg/solve/factored.hpp"

namespace clgauss {

/// Vectors are in pairs (linalg/complex/complex_residual.hpp), and "transposed" means A^-H. Both
/// parts of a number are scaled by the same power of two, and scaling() has an exponent for each
/// part. With LuOptions::positive_definite, these are Cholesky's factors, with LuOptions::symmetric
/// those of L D L^H.
class ComplexFactors : public Factored {
 public:
  /// Allocates the memory, and builds and self-tests the kernels. With `estimates`, also those of
  /// A^-H, if they work. n > 0. Throws OutOfMemory, also if the device cannot hold `more_bytes`
  /// besides, which the caller is going to allocate, and NoUsableKernel.
  ComplexFactors(Context& context, const ComplexSystem& system, RealType type,
                 const LuOptions& options, bool estimates, std::uint64_t more_bytes = 0);

  /// Equilibration affects only the factors of an LU.
  void upload(const ComplexSystem& system, Equilibration equilibration);
  /// R A C for A, or for a matrix with as many parts.
  [[nodiscard]] Matrix scaled_parts(const Matrix& a) const {
    return scaled(a, of_numbers_.rows, scaling_.columns);
  }
  /// As scaling(), with one exponent for both parts of a number.
  [[nodiscard]] const Scaling& scaling_of_numbers() const { return of_numbers_; }
  /// det A = 2^exponent_of_determinant() det A'.
  [[nodiscard]] std::int64_t exponent_of_determinant() const;
  /// A' = P^T L U. Waits, as all functions below.
  void factor(const ProgressCallback& progress);

  struct Pivots {
    std::vector<Index> rows;                   // row k was exchanged with row rows[k]
    std::optional<Index> failed_column;        // the first whose pivot is 0 or not finite
    std::optional<SymmetricPivots> symmetric;  // of L D L^H
    Matrix diagonal;                           // of U, n-by-2: real and imaginary parts
    bool positive_definite = false;            // whether the factors are Cholesky's

    /// |re| + |im| of the failed column's pivot; for Cholesky, the pivot itself, which is real.
    [[nodiscard]] double failed_pivot() const;
  };
  /// Reads the pivots twice. Throws DeviceFault if the results differ, and CoResidencyLost.
  [[nodiscard]] Pivots pivots();
  /// The status that the failed pivot implies.
  [[nodiscard]] SolveStatus failure(const Pivots& pivots) const;

  /// X' = A'^-1 B'. Call it once, after factor().
  [[nodiscard]] Matrix first_answer();

  /// L (unit diagonal not stored) and U of P A = L U, n-by-2n parts. Waits.
  [[nodiscard]] Matrix packed() const;

  /// max |A'| / max |U| over real and imaginary parts; `a` holds the parts of A.
  [[nodiscard]] double reciprocal_growth(const Matrix& a) override;

 protected:
  void apply_inverse(bool transposed, const Scaling& by, Matrix& x) override;

 private:
  [[nodiscard]] const cl::CommandQueue& queue() const { return context_.queue(); }
  /// read_b() returns the first `columns` numbers of each row of B, as n-by-(2 columns) parts;
  /// write_b() writes them.
  [[nodiscard]] Matrix read_b(Index columns);
  void write_b(const Matrix& parts);

  Context& context_;
  RealType type_;
  Index n_, nrhs_;
  bool positive_definite_, symmetric_;
  std::string what_;
  Scaling of_numbers_;
  std::optional<ComplexLu> lu_;
  MatrixView a_;  // in parts, with B to the right
  cl::Buffer vectors_, diagonal_;
  std::optional<Kernel> diagonal_kernel_;
};

}  // namespace clgauss
