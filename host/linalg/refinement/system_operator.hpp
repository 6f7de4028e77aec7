#pragma once
/// A and B of a system in f64, on the device or the host, with the operations that refinement
/// needs.

#include <clgauss/matrix.hpp>

namespace clgauss {

class SystemOperator {
 public:
  SystemOperator() = default;
  virtual ~SystemOperator() = default;
  SystemOperator(const SystemOperator&) = delete;
  SystemOperator& operator=(const SystemOperator&) = delete;

  /// r <- B - A x and d <- |B| + |A| |x|, all n-by-nrhs. The rounding error of r is that of n
  /// operations in f64 on numbers of d's size. Waits.
  virtual void residual(const Matrix& x, Matrix& r, Matrix& d) = 0;
  /// A v for an n-by-1 v. Waits.
  [[nodiscard]] virtual Matrix product(const Matrix& v) = 0;
  /// Whether the device computes.
  [[nodiscard]] virtual bool on_device() const { return false; }
};

/// Computes on the host's cores from the host's copy, which must outlive it. Devices without fp64
/// use it if integers (linalg/refinement/integer_operator.hpp) are no faster.
class HostOperator : public SystemOperator {
 public:
  /// `transposed`: system.a holds A^T, a column-major A.
  explicit HostOperator(const System& system, bool transposed = false)
      : system_(system), transposed_(transposed) {}

  void residual(const Matrix& x, Matrix& r, Matrix& d) override;
  [[nodiscard]] Matrix product(const Matrix& v) override;

 private:
  /// Calls note(i, c, sums) for every row and every column of the n-by-nrhs x, on all cores.
  template <typename Note>
  void for_sums(const Matrix& x, const Note& note) const;
  /// residual() by products of matrices.
  void residual_of_many(const Matrix& x, Matrix& r, Matrix& d) const;

  const System& system_;
  bool transposed_;
};

}  // namespace clgauss
