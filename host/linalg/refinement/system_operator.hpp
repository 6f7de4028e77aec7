#pragma once
/// A and B of a system in f64, wherever they lie, for what refinement asks of them.

#include <clgauss/matrix.hpp>

namespace clgauss {

class SystemOperator {
 public:
  SystemOperator() = default;
  virtual ~SystemOperator() = default;
  SystemOperator(const SystemOperator&) = delete;
  SystemOperator& operator=(const SystemOperator&) = delete;

  /// r <- B - A x and d <- |B| + |A| |x|, all n-by-nrhs; r is rounded as n operations of f64 on
  /// numbers of d's size. Waits.
  virtual void residual(const Matrix& x, Matrix& r, Matrix& d) = 0;
  /// A v for n-by-1. Waits.
  [[nodiscard]] virtual Matrix product(const Matrix& v) = 0;
  /// Whether it is the device that computes.
  [[nodiscard]] virtual bool on_device() const { return false; }
};

/// By the cores of the host, from the host's copy, which must outlive it: as devices without fp64
/// ask for where integers (linalg/refinement/integer_operator.hpp) are no faster.
class HostOperator : public SystemOperator {
 public:
  /// `transposed`: system.a holds A^T, a column-major A.
  explicit HostOperator(const System& system, bool transposed = false)
      : system_(system), transposed_(transposed) {}

  void residual(const Matrix& x, Matrix& r, Matrix& d) override;
  [[nodiscard]] Matrix product(const Matrix& v) override;

 private:
  /// note(i, c, sums) for every row and every column of x, n-by-nrhs, by all cores.
  template <typename Note>
  void for_sums(const Matrix& x, const Note& note) const;

  const System& system_;
  bool transposed_;
};

}  // namespace clgauss
