#pragma once
/// LU of a small matrix on the host, where kernels would take longer to be built than it takes.

#include <clgauss/matrix.hpp>
#include <vector>

#include "linalg/solve/factored.hpp"

namespace clgauss {

/// P A' = L U in f64 with partial pivoting, n^3 / 3 multiplications by one core: for n up to some
/// hundreds. Solves are not finite where a pivot is zero.
class HostLu : public Factored {
 public:
  explicit HostLu(const Matrix& a, const Scaling& scaling = {});

  [[nodiscard]] double reciprocal_growth(const Matrix& a) override;
  [[nodiscard]] bool on_device() const override { return false; }

 protected:
  void apply_inverse(bool transposed, const Scaling& by, Matrix& x) override;

 private:
  void substitute(Matrix& x) const;
  void substitute_transposed(Matrix& x) const;

  Matrix lu_;                  // its rows as host_getrf.hpp wants them
  std::vector<Index> pivots_;  // the row that was exchanged with row k
};

}  // namespace clgauss
