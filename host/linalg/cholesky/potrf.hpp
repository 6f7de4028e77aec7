#pragma once
/// A = L D L^T of a symmetric positive definite A: Cholesky's factorisation without square roots.
/// The unit lower triangular L and U = D L^T are stored as those of an LU without row exchanges.
/// Everything that solves or estimates with an LU therefore works with them. Only the lower
/// triangle of A is read, and the factorisation takes half the flops of an LU.

#include <numeric>

#include "kernels/cholesky/known_answers.hpp"
#include "linalg/lu/lu_backend.hpp"

namespace clgauss {

/// The part of Cholesky that is the same on all devices.
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

  /// Self-test: throws if it factors or solves a known system wrong.
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

/// For devices whose work-group runs on one core. `spec` must be of this family and checked, as in
/// make_lu_cpu().
[[nodiscard]] std::unique_ptr<LuBackend> make_cholesky_cpu(Context& context, RealType type, Index n,
                                                           const LuOptions& options,
                                                           const LuSpec& spec);

/// For any device, by diagonal blocks and products. Throws NoUsableKernel.
[[nodiscard]] std::unique_ptr<LuBackend> make_cholesky_gpu(Context& context, RealType type, Index n,
                                                           const LuOptions& options,
                                                           const LuSpec& spec);

}  // namespace clgauss
