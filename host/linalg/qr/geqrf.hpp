#pragma once
/// A = Q R of a tall A by Householder reflections, on the device. For each panel of columns,
/// Q = I - V T V^T, with V and T in separate memory.

#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/view.hpp>
#include <memory>

#include "kernels/qr/qr.hpp"
#include "linalg/lu/getrs.hpp"

namespace clgauss {

class Geqrf {
 public:
  /// For m-by-n matrices, m >= n > 0, with up to `nrhs` columns of C. Throws NoUsableKernel,
  /// OutOfMemory.
  Geqrf(Context& context, RealType type, Index m, Index n, Index nrhs);

  /// Bytes of all buffers besides A.
  [[nodiscard]] static std::uint64_t bytes(const DeviceProfile& device, RealType type, Index m,
                                           Index n, Index nrhs);

  /// A <- R, with zeros below, and C <- Q^T C. C is the `columns` <= nrhs columns right of A in
  /// `a`. The largest number of each column of A must be near 1. 2 n^2 (m - n / 3) flops. solve()
  /// reads `a` later.
  void factor(const cl::CommandQueue& queue, const MatrixView& a, Index columns,
              const ProgressCallback& progress = {});

  /// Keeps the largest buffer for the context's next factorization; see MatrixMemory. No function
  /// may be called after it.
  void keep_memory();

  /// C <- Q C or Q^T C, for an m-by-columns C, columns <= nrhs.
  void apply(const cl::CommandQueue& queue, const MatrixView& c, Index columns, bool transposed);

  /// Builds the kernels of factor() for the same arguments. Of `a` only offset and leading
  /// dimension matter. Throws NoUsableKernel.
  void prepare(const MatrixView& a, Index columns);
  /// Builds the kernels of solve() for `columns`, plain and transposed. Throws NoUsableKernel.
  void prepare_solves(Index columns);

  /// B <- R^-1 B or R^-T B, for an n-by-columns B with any number of columns.
  void solve(const cl::CommandQueue& queue, const MatrixView& b, Index columns, bool transposed);

 private:
  /// Reflections that are applied together; v is rows x columns.
  struct Reflections {
    MatrixView v, t;
    cl_uint rows, columns;
  };
  [[nodiscard]] Reflections reflections(Index k) const;
  // With a null queue, these functions only build the kernels.
  void apply(const cl::CommandQueue* queue, const Reflections& q, const MatrixView& c,
             Index columns, bool transposed);
  void factor_block(const cl::CommandQueue* queue, const MatrixView& a, Index k);
  void factor_step(const cl::CommandQueue* queue, const MatrixView& a, Index k, Index columns);
  ManySolves& many();

  Context context_;
  RealType type_;
  Index m_, n_;
  std::uint64_t bytes_of_v_;
  KernelMemo memo_;
  QrKernels kernels_;
  Gemm gemm_;
  FewSolves few_;
  std::unique_ptr<ManySolves> many_;  // made when first needed
  MatrixView r_;
  MatrixView v_, t_, panel_t_, gram_;  // v_: the panels one after another
  MatrixView w_, w2_;                  // V^T C, T V^T C
  cl::Buffer taus_, identity_;         // identity_: row exchanges that change nothing
};

}  // namespace clgauss
