#pragma once
/// The interface behind Gemm: one implementation for CPU devices, one for all others.

#include <clgauss/gemm.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clgauss {

/// A launch's part in a product that several launches share, possibly on several queues. Its
/// work-groups take one tile after the other until none is left.
struct TileShare {
  const cl::Buffer&
      taken;  // cl_uint per product: the number of tiles taken, 0 before the product's first launch
  cl_uint product;
  cl_uint left_units;  // compute units that the launch leaves to other kernels
};

/// One product for each of `count` matrices. A stride is the number of elements from one matrix to
/// the next.
struct GemmBatch {
  Index count, a_stride, b_stride, c_stride;
};

/// The operands of one product; see Gemm::multiply.
struct GemmCall {
  GemmShape shape;
  double alpha = 1;
  MatrixView a, b;
  double beta = 0;
  MatrixView c;
  const TileShare* share = nullptr;  // null: one launch computes the whole product
  const GemmBatch* batch = nullptr;  // null: one product; only make_gemm_gpu() supports others
};

/// C <- alpha A B + beta C, one product in one launch. Without a queue, it only builds the kernel,
/// so that the same code both prepares and runs a factorisation. Throws as Gemm::multiply() does.
void multiply_or_prepare(Gemm& gemm, const cl::CommandQueue* queue, const GemmCall& call);

class GemmBackend {
 public:
  virtual ~GemmBackend() = default;
  GemmBackend(const GemmBackend&) = delete;
  GemmBackend& operator=(const GemmBackend&) = delete;

  /// Enqueues a product with m, n, k > 0.
  virtual void multiply(const cl::CommandQueue& queue, const GemmCall& call) = 0;
  [[nodiscard]] virtual std::string kernel_name(const GemmCall& call) = 0;
  /// Whether a working kernel supports the call.
  [[nodiscard]] virtual bool can_multiply(const GemmCall& call) = 0;

 protected:
  GemmBackend() = default;
};

/// Packed panels, one work-item per tile: for devices where a work-group is one core.
[[nodiscard]] std::unique_ptr<GemmBackend> make_gemm_cpu(Context& context, RealType type,
                                                         const GemmOptions& options);

/// Tiles in local memory or on the matrix units, one work-group per tile.
[[nodiscard]] std::unique_ptr<GemmBackend> make_gemm_gpu(Context& context, RealType type,
                                                         const GemmOptions& options);

/// Tests C <- C - op(A) op(B), enqueued by `multiply` on the context's queue, with random matrices
/// of `shape`. Throws WrongAnswer unless |C - Cref| <= 4 (k + 2) eps (|A| |B| + |C0|) for every
/// element that is needed. Waits.
void require_known_answer(Context& context, RealType type, const GemmShape& shape,
                          const std::function<void(const GemmCall&)>& multiply);

// The variants; see kernels/gemm/gemm_variants.cpp.
[[nodiscard]] const KernelVariant& gemm_cpu_variant();
[[nodiscard]] const KernelVariant& gemm_mma_f64_variant();
[[nodiscard]] const KernelVariant& gemm_mma_tf32x3_variant();
[[nodiscard]] const KernelVariant& gemm_simt_variant();

/// Self-tests for `devices --kernels`: of one spec for GPUs, and of the kernels for CPUs. A failure
/// is recorded as a verdict.
void ask_gemm_gpu(Context& context, const GemmSpec& spec);
void ask_gemm_cpu(Context& context, RealType type);

/// Bytes of the packed operands of a product with `spec`; 0 if it does not pack.
[[nodiscard]] std::uint64_t gemm_workspace_bytes(const GemmSpec& spec, const GemmShape& shape);

/// A spec that was tuned for the context's device, and its entry, which gives the tuned size.
struct TunedGemm {
  const TunedEntry* entry = nullptr;
  GemmSpec spec;
};

/// The usable tuned specs. One with invalid parameters is skipped.
[[nodiscard]] std::vector<TunedGemm> tuned_gemm_specs(const Context& context, RealType type,
                                                      GemmUse use);

/// The spec tuned for the size nearest to n, see nearest_tuned(); null if there is none.
[[nodiscard]] const GemmSpec* nearest_tuned_gemm(const std::vector<TunedGemm>& specs, Index n);

/// `options`, with one more preferred kernel at the end: the one tuned for updates at this n, if
/// there is one. It is used for all updates of the LU: the best kernel for the first blocks is good
/// for the last, and is built only once.
[[nodiscard]] GemmOptions gemm_options_for_lu(const Context& context, RealType type, Index n,
                                              GemmOptions options);

/// The build of the spec's kernels, for KernelTrials.
[[nodiscard]] KernelBuild build_of(const GemmSpec& spec);

/// TunedEntry::what: "gemm" or "gemm_update".
[[nodiscard]] const char* tuned_name(GemmUse use);

/// Sets argument `index` of `kernel`, of type REAL, to `value`.
void set_real(Kernel& kernel, cl_uint index, RealType type, double value);

}  // namespace clgauss
