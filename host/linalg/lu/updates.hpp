#pragma once
/// The updates of a factorisation, in real or in complex numbers.

#include <clgauss/gemm.hpp>

#include "kernels/gemm/gemm_backend.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// C <- C - A B, which Gemm does. Of complex numbers it is a product of real matrices: A as it
/// lies there, and W in place of B, in which a number x stands as
///
///     re x   im x
///    -im x   re x
class LuUpdates {
 public:
  /// `kernels` say of what numbers; `gemm` is of their real type.
  LuUpdates(KernelMemo& kernels, Gemm& gemm) : kernels_(kernels), gemm_(gemm) {}

  /// Enqueues it for A m-by-k and B k-by-n.
  void update(const cl::CommandQueue& queue, Index m, Index n, Index k, const MatrixView& a,
              const MatrixView& b, const MatrixView& c);
  /// In two steps: makes what stands in place of the k-by-n B, which the next one replaces,
  void bring(const cl::CommandQueue& queue, Index n, Index k, const MatrixView& b);
  /// and the product of real matrices with it.
  [[nodiscard]] GemmCall as_product(Index m, Index n, Index k, const MatrixView& a,
                                    const MatrixView& b, const MatrixView& c);

  /// Builds and checks the kernels that it takes. Throws NoUsableKernel.
  void prepare(Index m, Index n, Index k, const MatrixView& a, const MatrixView& b,
               const MatrixView& c);

  /// Bytes of W for `rows` and `columns` of B at most.
  [[nodiscard]] static std::uint64_t bytes(NumberType number, Index rows, Index columns);

 private:
  /// W of k rows and n columns of numbers, in parts.
  const MatrixView& space_for(Index k, Index n);
  /// W <- what stands in place of the k-by-n B.
  void expand(const cl::CommandQueue& queue, const MatrixView& b, const MatrixView& w, Index k,
              Index n);
  /// Throws NoUsableKernel unless expand() passes its self-test.
  void require_expansion();

  KernelMemo& kernels_;
  Gemm& gemm_;
  MatrixView w_;
  bool expands_ = false;  // and gives its known answer
};

}  // namespace clgauss
