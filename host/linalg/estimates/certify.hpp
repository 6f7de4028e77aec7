#pragma once
/// The implementation of certify() and certify_determinant(). It is reusable for many systems of
/// one size, and tests can inject faults.

#include <array>
#include <clgauss/certify.hpp>
#include <clgauss/gemm.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/refinement/residual.hpp"
#include "kernels/substitution/triangle_inverse.hpp"
#include "linalg/estimates/exact_scaling.hpp"

namespace clgauss {

/// Callbacks on what a step left on the device, before the next step reads it.
struct CertifySeams {
  std::function<void(const MatrixView& r)> inverse = {};
  std::function<void(const MatrixView& g)> product = {};          // I - R A
  std::function<void(const MatrixView& d)> difference = {};       // P A - L U
  std::function<void(const cl::Buffer& residual)> residual = {};  // b - A x, transposed
};

class Certifier {
 public:
  /// Throws as certify().
  Certifier(Context& context, Index n, const LuOptions& options = {});
  ~Certifier();

  /// `rcond` is an estimate for A, if there is one; no bound depends on it.
  [[nodiscard]] Certificate certify(const System& system, const Matrix& x,
                                    const ProgressCallback& progress = {},
                                    const CertifySeams& seams = {}, double rcond = 1);
  [[nodiscard]] DeterminantCertificate certify_determinant(const Matrix& a,
                                                           const ProgressCallback& progress = {},
                                                           const CertifySeams& seams = {});
  /// For a complex `a` of half this order.
  [[nodiscard]] ComplexDeterminantCertificate certify_determinant(
      const ComplexMatrix& a, const ProgressCallback& progress = {},
      const CertifySeams& seams = {});

 private:
  struct DeterminantErrors;
  struct Factors;
  struct Inverter;
  struct Products;
  struct Signs;
  struct Weighted;

  [[nodiscard]] MatrixView space_for(Index n) const;
  [[nodiscard]] MatrixView half_of_g(bool second) const;
  Inverter& inverter(RealType type);
  void copy(const char* kernel, const MatrixView& from, const MatrixView& to,
            const cl::Buffer* rows = nullptr);
  [[nodiscard]] bool are_near(Lu& lu, const Signs& signs) const;
  bool invert(RealType type, const Signs& signs, std::vector<Index>& rows,
              const ProgressCallback& progress);
  void multiply();
  [[nodiscard]] Products residuals(ResidualKernel& kernel, const MatrixView& m, const Matrix& x,
                                   const Matrix& b,
                                   const std::function<void(const cl::Buffer&)>& seam);
  [[nodiscard]] Products products(const MatrixView& m, const Matrix& vectors);
  [[nodiscard]] Matrix apply_error(const Matrix& weights);
  [[nodiscard]] Weighted weighted_by(const Matrix& x);
  [[nodiscard]] Matrix checked_row_sums(const Signs& signs, const std::vector<Index>& rows);
  [[nodiscard]] Factors split_factors();
  [[nodiscard]] Matrix off_factors(const Factors& factors, const Signs& signs,
                                   const std::vector<Index>& rows, const CertifySeams& seams);
  void upload_operator(const ComplexMatrix& m, const MatrixView& to);
  [[nodiscard]] DeterminantErrors determinant_errors(const Factors& factors, const Signs& signs,
                                                     const std::vector<Index>& rows,
                                                     const ProgressCallback& progress,
                                                     const CertifySeams& seams);
  void check_residual(const ExactScaling& scaled, const std::vector<Index>& rows,
                      const Matrix& residual, const Matrix& off) const;
  [[nodiscard]] Matrix correction(const ExactScaling& scaled, const std::vector<Index>& rows,
                                  const CertifySeams& seams);

  Context context_;
  Index n_;
  LuOptions options_;
  std::array<std::unique_ptr<Inverter>, 2> inverters_;  // in f32 and f64, made on first use
  Gemm gemm_;
  ResidualKernel ordinary_, accurate_;
  MatrixView a_, r_, g_;  // P A; R; the factors, then I - R P A
};

}  // namespace clgauss
