#pragma once
/// The updates of a factorisation, for real or complex numbers.

#include <clgauss/gemm.hpp>

#include "kernels/gemm/gemm_backend.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// C <- C - A B, by Gemm. For complex numbers it is a product of real matrices: A as it is stored,
/// and W in place of B. In W a number x becomes
///
///     re x   im x
///    -im x   re x
class LuUpdates {
 public:
  /// `kernels` determines the type of numbers; `gemm` is of their real type.
  LuUpdates(KernelMemo& kernels, Gemm& gemm) : kernels_(kernels), gemm_(gemm) {}

  /// Enqueues the update for A m-by-k and B k-by-n.
  void update(const cl::CommandQueue& queue, Index m, Index n, Index k, const MatrixView& a,
              const MatrixView& b, const MatrixView& c);
  /// The first of two steps: makes the operand that replaces the k-by-n B. It lasts until the next
  /// call.
  void bring(const cl::CommandQueue& queue, Index n, Index k, const MatrixView& b);
  /// The second step: the product of real matrices with that operand.
  [[nodiscard]] GemmCall as_product(Index m, Index n, Index k, const MatrixView& a,
                                    const MatrixView& b, const MatrixView& c);

  /// Builds and self-tests the kernels of update(). Throws NoUsableKernel.
  void prepare(Index m, Index n, Index k, const MatrixView& a, const MatrixView& b,
               const MatrixView& c);

  /// Bytes of W for a B of at most `rows` and `columns`.
  [[nodiscard]] static std::uint64_t bytes(NumberType number, Index rows, Index columns);

 private:
  /// W for k rows and n columns of numbers; grows if needed.
  const MatrixView& space_for(Index k, Index n);
  /// Writes to W the operand that replaces the k-by-n B.
  void expand(const cl::CommandQueue& queue, const MatrixView& b, const MatrixView& w, Index k,
              Index n);
  /// Throws NoUsableKernel unless expand() passes its self-test.
  void require_expansion();

  KernelMemo& kernels_;
  Gemm& gemm_;
  MatrixView w_;
  bool expands_ = false;  // whether expand() has passed its self-test
};

}  // namespace clgauss
