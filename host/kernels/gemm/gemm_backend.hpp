#pragma once
/// What stands behind Gemm: one implementation for CPU devices, one for all others.

#include <clgauss/gemm.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clgauss {

/// How a launch takes part in a product that several launches share, on several queues perhaps: its
/// work-groups take tile after tile until none is left.
struct TileShare {
  const cl::Buffer&
      taken;  // of cl_uint, the tiles that were taken of each product: 0 before its first launch
  cl_uint product;
  cl_uint left_units;  // compute units that the launch leaves to other kernels
};

/// One product of each of `count` matrices: the elements from one A, B and C to the next.
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
  const TileShare* share = nullptr;  // null: one launch is all of it
  const GemmBatch* batch = nullptr;  // null: one product; make_gemm_gpu()'s alone takes others
};

/// C <- alpha A B + beta C, one product in one launch; without a queue only its kernel is built, so
/// that one walk through a factorisation serves its preparation, too. Throws as Gemm::multiply().
void multiply_or_prepare(Gemm& gemm, const cl::CommandQueue* queue, const GemmCall& call);

class GemmBackend {
 public:
  virtual ~GemmBackend() = default;
  GemmBackend(const GemmBackend&) = delete;
  GemmBackend& operator=(const GemmBackend&) = delete;

  /// Enqueues a product with m, n, k > 0.
  virtual void multiply(const cl::CommandQueue& queue, const GemmCall& call) = 0;
  [[nodiscard]] virtual std::string kernel_name(const GemmCall& call) = 0;
  /// Whether there is a kernel that works for the call.
  [[nodiscard]] virtual bool can_multiply(const GemmCall& call) = 0;

 protected:
  GemmBackend() = default;
};

/// Packed panels, one work-item a tile: for devices whose work-group is a core.
[[nodiscard]] std::unique_ptr<GemmBackend> make_gemm_cpu(Context& context, RealType type,
                                                         const GemmOptions& options);

/// Tiles in local memory or on the matrix units, one work-group a tile.
[[nodiscard]] std::unique_ptr<GemmBackend> make_gemm_gpu(Context& context, RealType type,
                                                         const GemmOptions& options);

/// Throws WrongAnswer unless C <- C - op(A) op(B), enqueued by `multiply` on the context's queue,
/// is right for random matrices of `shape`: |C - Cref| <= 4 (k + 2) eps (|A| |B| + |C0|), element
/// by element of those that are needed. Waits.
void require_known_answer(Context& context, RealType type, const GemmShape& shape,
                          const std::function<void(const GemmCall&)>& multiply);

// The variants; see kernels/gemm/gemm_variants.cpp.
[[nodiscard]] const KernelVariant& gemm_cpu_variant();
[[nodiscard]] const KernelVariant& gemm_mma_f64_variant();
[[nodiscard]] const KernelVariant& gemm_mma_tf32x3_variant();
[[nodiscard]] const KernelVariant& gemm_simt_variant();

/// Self-tests for `devices --kernels`: of one spec for GPUs, of what CPUs take. What does not
/// work is a verdict.
void ask_gemm_gpu(Context& context, const GemmSpec& spec);
void ask_gemm_cpu(Context& context, RealType type);

/// Bytes of the packed operands of a product with `spec`; 0 where nothing is packed.
[[nodiscard]] std::uint64_t gemm_workspace_bytes(const GemmSpec& spec, const GemmShape& shape);

/// A spec that was tuned for the context's device, and its entry, which says for what size.
struct TunedGemm {
  const TunedEntry* entry = nullptr;
  GemmSpec spec;
};

/// Those that may be used; one whose parameters make no sense is skipped.
[[nodiscard]] std::vector<TunedGemm> tuned_gemm_specs(const Context& context, RealType type,
                                                      GemmUse use);

/// That of the size nearest to n, see nearest_tuned(); null if there is none.
[[nodiscard]] const GemmSpec* nearest_tuned_gemm(const std::vector<TunedGemm>& specs, Index n);

/// `options` and, after what they prefer, one kernel for all updates of an LU of n, if one was
/// tuned for its n: what is best for the first blocks is good for the last, and builds once.
[[nodiscard]] GemmOptions gemm_options_for_lu(const Context& context, RealType type, Index n,
                                              GemmOptions options);

/// The spec's kernels, for their trial.
[[nodiscard]] KernelBuild build_of(const GemmSpec& spec);

/// "gemm" or "gemm_update": TunedEntry::what.
[[nodiscard]] const char* tuned_name(GemmUse use);

/// Sets argument `index` of `kernel`, a REAL, to `value`.
void set_real(Kernel& kernel, cl_uint index, RealType type, double value);

}  // namespace clgauss
