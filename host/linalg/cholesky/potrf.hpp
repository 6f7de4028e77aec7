#pragma once
/// A = L D L^T of a symmetric positive definite A, Cholesky's factorisation without its square
/// roots. L, unit lower triangular, and U = D L^T come to stand where those of an LU without row
/// exchanges would, so that everything that solves or estimates with an LU does with these. Only
/// the lower triangle of A is read, and half the flops of an LU are spent.

#include <numeric>

#include "kernels/cholesky/known_answers.hpp"
#include "linalg/lu/lu_backend.hpp"

namespace clgauss {

/// What does not depend on the device.
class CholeskyBackend : public LuBackend {
 public:
  CholeskyBackend(Context& context, RealType type, Index n)
      : context_(context), type_(type), n_(n) {}

  void getrs_transposed(const cl::CommandQueue& queue, const MatrixView& factors,
                        const MatrixView& b, Index nrhs) override {
    (void)getrs(queue, factors, b, nrhs);  // A^T = A
  }
  std::vector<Index> pivots(const cl::CommandQueue& /*queue*/) override {
    std::vector<Index> rows(n_);
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }
  Pivoting pivoting() override { return Pivoting::none; }

  /// Throws if this factors or solves a system wrong whose answer is known.
  void require_known_answer() {
    require_positive_definite_solution(context_, type_, n_,
                                       [&](const MatrixView& a, const MatrixView& b) {
                                         getrf(context_.queue(), a, {});
                                         (void)getrs(context_.queue(), a, b, 1);
                                         return failed_column(context_.queue());
                                       });
  }

 protected:
  Context context_;
  RealType type_;
  Index n_;
};

/// For devices whose work-group is a core. `spec` is of the family and was checked, as with
/// make_lu_cpu().
[[nodiscard]] std::unique_ptr<LuBackend> make_cholesky_cpu(Context& context, RealType type, Index n,
                                                           const LuOptions& options,
                                                           const LuSpec& spec);

/// By blocks at the diagonal and products, on any device. Throws NoUsableKernel.
[[nodiscard]] std::unique_ptr<LuBackend> make_cholesky_gpu(Context& context, RealType type, Index n,
                                                           const LuOptions& options,
                                                           const LuSpec& spec);

}  // namespace clgauss
