#pragma once
/// A = Q R of a tall A by Householder's reflections, on the device: Q = I - V T V^T for each panel
/// of columns, V and T in memory of its own.

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
  /// Of m-by-n matrices, m >= n > 0, and up to `nrhs` columns that are taken along. Throws
  /// NoUsableKernel, OutOfMemory.
  Geqrf(Context& context, RealType type, Index m, Index n, Index nrhs);

  /// Bytes of all that it holds beside A.
  [[nodiscard]] static std::uint64_t bytes(const DeviceProfile& device, RealType type, Index m,
                                           Index n, Index nrhs);

  /// A <- R, zeros below, and C <- Q^T C, for the `columns` <= nrhs columns of C right of A in `a`.
  /// The largest number of each column of A is to be near 1. 2 n^2 (m - n / 3) flops. `a` stays in
  /// use.
  void factor(const cl::CommandQueue& queue, const MatrixView& a, Index columns,
              const ProgressCallback& progress = {});

  /// C <- Q C, or Q^T C; m-by-columns, columns <= nrhs.
  void apply(const cl::CommandQueue& queue, const MatrixView& c, Index columns, bool transposed);

  /// Builds the kernels of factor() with the same arguments, of which only the place of `a` is
  /// looked at. Throws NoUsableKernel.
  void prepare(const MatrixView& a, Index columns);
  /// Builds the kernels of solve() for `columns`, either way. Throws NoUsableKernel.
  void prepare_solves(Index columns);

  /// B <- R^-1 B, or R^-T B; n-by-columns, any number.
  void solve(const cl::CommandQueue& queue, const MatrixView& b, Index columns, bool transposed);

 private:
  /// Reflections that are applied together: v is rows x columns.
  struct Reflections {
    MatrixView v, t;
    cl_uint rows, columns;
  };
  [[nodiscard]] Reflections reflections(Index k) const;
  // Without a queue these build the kernels, and nothing else.
  void apply(const cl::CommandQueue* queue, const Reflections& q, const MatrixView& c,
             Index columns, bool transposed);
  void factor_block(const cl::CommandQueue* queue, const MatrixView& a, Index k);
  void factor_step(const cl::CommandQueue* queue, const MatrixView& a, Index k, Index columns);
  ManySolves& many();

  Context context_;
  RealType type_;
  Index m_, n_;
  KernelMemo memo_;
  QrKernels kernels_;
  Gemm gemm_;
  FewSolves few_;
  std::unique_ptr<ManySolves> many_;  // made when first needed
  MatrixView r_;
  MatrixView v_, t_, panel_t_, gram_;  // v_: the panels one after the other
  MatrixView w_, w2_;                  // V^T C, T V^T C
  cl::Buffer taus_, identity_;         // identity_: the row exchanges that there are none of
};

}  // namespace clgauss
