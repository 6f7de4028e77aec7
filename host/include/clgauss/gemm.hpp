#pragma once
/// General matrix multiplication on the device, by the kernel that suits it.

#include <clgauss/context.hpp>
#include <clgauss/enqueue.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/gemm_spec.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// op(A) is m-by-k, op(B) is k-by-n, C is m-by-n; op transposes or not.
struct GemmShape {
  Index m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  /// of C only the lower triangle is needed, as of BLAS's gemmt: what comes to stand above the
  /// diagonal is undefined
  bool lower = false;
};

struct GemmOptions {
  /// Tried in this order before clgauss's own choice. One for another type or kind of device, or
  /// that does not take a product (alignment, transposition), does not fit the device or fails the
  /// check of its answer, is skipped.
  std::vector<GemmSpec> preferred;
  /// Nothing but the first preferred spec, for who checks its answers himself, as a tuner does:
  /// what would be skipped throws (DeviceLimit, BuildError, OpenClError), and no answer is
  /// checked.
  bool strict = false;
};

/// C <- alpha op(A) op(B) + beta C for one context and type. Keep it for many products: kernels and
/// workspace are made once.
///
/// The kernel is chosen by device, shape and alignment. Each kernel is self-tested on a small
/// product when it is first built; one that fails is not used.
class Gemm {
 public:
  /// Throws as check_gemm_spec() for a preferred spec, and OpenClError.
  Gemm(Context& context, RealType type, const GemmOptions& options = {});
  Gemm(Gemm&&) noexcept;
  Gemm& operator=(Gemm&&) noexcept;
  ~Gemm();

  /// Enqueues the product, without waiting. Throws DimensionError, which names the matrix, for a
  /// view that cannot hold it. C is not read if beta is 0. m, n or k may be 0. C must not overlap A
  /// or B. 2 m n k flops. Throws OpenClError.
  void multiply(const GemmShape& shape, double alpha, const MatrixView& a, const MatrixView& b,
                double beta, const MatrixView& c, const EnqueueOptions& enqueue = {});

  /// C <- C - A B: the trailing update of an LU factorisation, by kernels built for it.
  void update(Index m, Index n, Index k, const MatrixView& a, const MatrixView& b,
              const MatrixView& c, const EnqueueOptions& enqueue = {});

  /// Builds and checks the kernel that update() takes for this product, without doing it.
  void prepare_update(Index m, Index n, Index k, const MatrixView& a, const MatrixView& b,
                      const MatrixView& c);

  /// Name of the kernel that multiply() takes for this product, for reports.
  [[nodiscard]] std::string kernel_name(const GemmShape& shape, const MatrixView& a,
                                        const MatrixView& b, const MatrixView& c, double alpha = 1,
                                        double beta = 0) const;

 private:
  class CLGAUSS_HIDDEN Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// alpha op(A) op(B) + beta C of host matrices, in `type` on the context's device. Throws
/// DimensionError if the shapes do not fit (an empty `c` needs beta = 0), DeviceLimit, OutOfMemory,
/// OpenClError.
[[nodiscard]] Matrix gemm(Context& context, RealType type, double alpha, const Matrix& a,
                          bool transpose_a, const Matrix& b, bool transpose_b, double beta = 0,
                          const Matrix& c = {});

}  // namespace clgauss
