#pragma once
/// The operands of f32 products, split into halves for cl/gemm_mma_f16x3.cl by cl/halves.cl.

#include <clgauss/context.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/view.hpp>

namespace clgauss {

/// One operand, in whole blocks.
struct SplitOperand {
  cl::Buffer halves, exponents;
};

/// Splits A, m x k, and B, k x n, row-major views of f32, for one product after another: what was split before is overwritten. Keep it
/// as long as the products run.
class Halves {
 public:
  /// Builds the kernels. Throws BuildError, OpenClError.
  explicit Halves(Context& context);

  /// Enqueues both, padded to multiples of the tile's `tile_m`, `tile_n` and `tile_k` numbers.
  void split(const cl::CommandQueue& queue, Index m, Index n, Index k, const MatrixView& a,
             const MatrixView& b, Index tile_m, Index tile_n, Index tile_k);

  [[nodiscard]] const SplitOperand& a() const { return a_; }
  [[nodiscard]] const SplitOperand& b() const { return b_; }
  /// unfit()[0] is epoch() if the last operands reach too far in size.
  [[nodiscard]] const cl::Buffer& unfit() const { return unfit_; }
  [[nodiscard]] cl_uint epoch() const { return epoch_; }

 private:
  void make_room(SplitOperand& operand, Index rows, Index k);

  Context context_;
  cl_uint epoch_ = 0;
  cl::Buffer unfit_;
  Kernel split_rows_, split_columns_;
  SplitOperand a_, b_;
};

}  // namespace clgauss
