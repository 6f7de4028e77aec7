#pragma once
/// General matrix multiplication on the device, with a kernel that suits it.

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
  /// Only the lower triangle of C is needed, as in BLAS's gemmt. The numbers above the diagonal are
  /// then undefined.
  bool lower = false;
};

struct GemmOptions {
  /// Tried in this order before clgauss's own choice. A spec is skipped if it is for another type
  /// or kind of device, does not support the product (alignment, transposition), does not fit the
  /// device or fails its self-test.
  std::vector<GemmSpec> preferred;
  /// Use only the first preferred spec, without a self-test, for callers such as a tuner that check
  /// the results themselves. Where the spec would be skipped, it throws (DeviceLimit, BuildError,
  /// OpenClError).
  bool strict = false;
};

/// C <- alpha op(A) op(B) + beta C for one context and type. Keep the object for many products:
/// kernels and workspace are made only once.
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

  /// Enqueues the product, without waiting. C is not read if beta is 0. m, n or k may be 0. C must
  /// not overlap A or B. 2 m n k flops. Throws DimensionError, which names the matrix, for a view
  /// that cannot hold it, and OpenClError.
  void multiply(const GemmShape& shape, double alpha, const MatrixView& a, const MatrixView& b,
                double beta, const MatrixView& c, const EnqueueOptions& enqueue = {});

  /// C <- C - A B: the trailing update of an LU factorisation, with kernels built for it.
  void update(Index m, Index n, Index k, const MatrixView& a, const MatrixView& b,
              const MatrixView& c, const EnqueueOptions& enqueue = {});

  /// Builds and self-tests the kernel that update() uses for this product, without running the
  /// product.
  void prepare_update(Index m, Index n, Index k, const MatrixView& a, const MatrixView& b,
                      const MatrixView& c);

  /// The name of the kernel that multiply() uses for this product, for reports.
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
