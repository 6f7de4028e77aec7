#pragma once
/// What stands behind certify(): kept for many systems of one size, and open to faults that tests plant.

#include <clgauss/certify.hpp>
#include <clgauss/gemm.hpp>
#include <functional>
#include <optional>

#include "kernels/residual_kernel.hpp"
#include "kernels/triangle_inverse.hpp"
#include "linalg/exact_scaling.hpp"

namespace clgauss {

/// Called with what a step left on the device, before the next takes it.
struct CertifySeams {
  std::function<void(const MatrixView& r)> inverse = {};
  std::function<void(const MatrixView& g)> product = {};          // I - R A
  std::function<void(const cl::Buffer& residual)> residual = {};  // b - A x, transposed
};

class Certifier {
 public:
  /// Throws as certify().
  Certifier(Context& context, Index n, const LuOptions& options = {});

  [[nodiscard]] Certificate certify(const System& system, const Matrix& x,
                                    const ProgressCallback& progress = {},
                                    const CertifySeams& seams = {});

 private:
  struct Products;

  std::optional<std::vector<Index>> factor(const ExactScaling& scaled);
  void invert();
  void multiply();
  [[nodiscard]] Products products(const MatrixView& m, const Matrix& vectors);
  [[nodiscard]] Matrix apply_error(const Matrix& weights);
  [[nodiscard]] Matrix checked_row_sums(const ExactScaling& scaled, const std::vector<Index>& rows);
  void check_residual(const ExactScaling& scaled, const std::vector<Index>& rows,
                      const Matrix& residual, const Matrix& off) const;
  [[nodiscard]] Matrix correction(const ExactScaling& scaled, const std::vector<Index>& rows,
                                  const CertifySeams& seams);

  Context context_;
  Index n_;
  Lu lu_;
  Gemm gemm_;
  FactorInverse inverse_;
  ResidualKernel ordinary_, accurate_;
  MatrixView a_, r_, g_;  // P A; R; the factors, then I - R P A
};

}  // namespace clgauss
