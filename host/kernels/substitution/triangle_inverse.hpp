#pragma once
/// The inverse of a factored matrix: cl/substitution/triangle_inverse.cl and matrix products.

#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/lab/variant.hpp>
#include <clgauss/view.hpp>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

[[nodiscard]] const KernelVariant& triangle_inverse_variant();

/// (L U)^-1 from the factors of an LU. A solve with all columns of the identity would give the
/// same, but its blocks would not be matrix products, and it would not skip the zeros of L^-1.
class FactorInverse {
 public:
  /// Throws NoUsableKernel.
  FactorInverse(Context& context, RealType type, Index n);

  /// Rows of the blocks that are inverted by substitution.
  static constexpr cl_uint kBlock = 64;

  /// `inverse` <- U^-1 L^-1, n-by-n; it must hold the identity before. 3/2 n^3 multiplications and
  /// as many additions: 3 n^3 flops.
  void enqueue(const cl::CommandQueue& queue, Gemm& gemm, const MatrixView& lu,
               const MatrixView& inverse);
  /// Builds the kernels that enqueue() needs for the same arguments.
  void prepare(Gemm& gemm, const MatrixView& lu, const MatrixView& inverse);

 private:
  /// The arguments of one enqueue(), or of one prepare() if `queue` is null. Y and X are stored in
  /// `inverse`.
  struct Call {
    const cl::CommandQueue* queue;
    Gemm& gemm;
    const MatrixView &lu, &inverse;
  };
  void invert_blocks(const Call& call, bool upper);
  void solve_lower(const Call& call, Index row, Index rows);
  void solve_upper(const Call& call, Index row, Index rows);
  void multiply_block(const Call& call, Index row, Index rows, Index columns);

  Context context_;
  RealType type_;
  Index n_;
  cl_uint width_ = 1;  // columns per work-item
  Kernel kernel_;
  cl::Buffer inverses_;  // of the diagonal blocks of one triangle
  MatrixView before_;    // copy of a block's rows before a product
};

}  // namespace clgauss
