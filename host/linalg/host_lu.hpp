#pragma once
/// LU of a small matrix on the host, where kernels would take longer to be built than it takes.

#include <clgauss/condition.hpp>
#include <clgauss/matrix.hpp>
#include <vector>

namespace clgauss {

/// P A = L U in f64 with partial pivoting, n^3 / 3 multiplications by one core: for n up to some hundreds.
class HostLu {
 public:
  explicit HostLu(const Matrix& a);

  [[nodiscard]] double largest_of_u() const;
  /// A^-1 X and A^-T X; not finite where a pivot is zero. The HostLu must outlive it.
  [[nodiscard]] InverseProducts inverse() const;

 private:
  [[nodiscard]] Matrix solve(Matrix x) const;
  [[nodiscard]] Matrix solve_transposed(Matrix x) const;

  Matrix lu_;
  std::vector<Index> pivots_;  // the row that was exchanged with row k
};

}  // namespace clgauss
