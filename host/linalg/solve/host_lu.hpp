#pragma once
/// LU of a small matrix on the host, where building kernels would take longer than the LU.

#include <clgauss/matrix.hpp>
#include <vector>

#include "linalg/solve/factored.hpp"

namespace clgauss {

/// P A' = L U in f64 with partial pivoting: n^3 / 3 multiplications on one core, for n up to some
/// hundreds. Solves are not finite if a pivot is zero.
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

  Matrix lu_;                  // its rows are laid out for host_getrf.hpp
  std::vector<Index> pivots_;  // the row exchanged with row k
};

}  // namespace clgauss
