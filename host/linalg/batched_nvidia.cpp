#include <bit>
#include <clgauss/error.hpp>
#include <clgauss/generate.hpp>

#include "linalg/batched_backend.hpp"
#include "linalg/cpu_tile.hpp"
#include "linalg/lu_parts.hpp"
#include "linalg/transfer.hpp"

namespace clgauss {

namespace {

constexpr Index kLargest = 32;
constexpr cl_uint kWorkGroup = 128;

/// A row a work-item for one right-hand side and n <= 32; everything else is left to the portable kernels.
class BatchedNvidia : public BatchedBackend {
 public:
  BatchedNvidia(DeviceContext& context, RealType type, Index n)
      : context_(context),
        n_(n),
        lanes_(static_cast<cl_uint>(std::bit_ceil(n))),
        portable_(make_batched_tile(context, type, n, 0)) {
    Defines defines = real_defines(type);
    defines.insert(defines.end(), {{"SIZE", std::to_string(n)},
                                   {"LANES", std::to_string(lanes_)},
                                   {"SYSTEMS", std::to_string(systems())}});
    kernel_ = context.programs().kernel("batched_nvidia.cl", "batched_factor_and_solve", defines);
  }

  void prepare(Index nrhs) override {
    if (nrhs != 1) portable_->prepare(nrhs);
  }

  void factor(const BatchFactors& factors) override { portable_->factor(factors); }

  void solve(const BatchFactors& factors, const BatchView& b, Index nrhs) override {
    portable_->solve(factors, b, nrhs);
  }

  void factor_and_solve(const BatchView& a, const BatchView& b, Index nrhs, Index batch,
                        const cl::Buffer& info) override {
    if (nrhs != 1) {
      portable_->factor_and_solve(a, b, nrhs, batch, info);
      return;
    }
    cl_uint index = 0;
    pass_batch(kernel_, index, a);
    pass_batch(kernel_, index, b);
    kernel_.set_arguments_from(index, cl_ulong{batch}, info);
    launch_groups(context_.queue(), kernel_, (batch + systems() - 1) / systems(), kWorkGroup);
  }

  [[nodiscard]] std::string name() const override { return "nvidia"; }

  /// Two random systems and one with a zero leading pivot, by their residuals, and a singular one between them.
  [[nodiscard]] bool gives_known_answer(RealType type) {
    constexpr Index kCount = 4, kSingular = 1;
    const Index n = n_;
    Matrix a = random_matrix(kCount, n * n, 1), b = random_matrix(kCount, n, 2);
    for (double& value : a.values()) value = static_cast<double>(static_cast<float>(value));
    for (double& value : b.values()) value = static_cast<double>(static_cast<float>(value));
    for (Index i = 0; i < n; ++i) a(kSingular, i * n + n - 1) = 0;
    if (n > 1) a(2, 0) = 0;
    const BatchView da{to_device(context_, type, a, n * n, "a probe").buffer, 0, n, n * n};
    const BatchView db{to_device(context_, type, b, n, "a probe").buffer, 0, 1, n};
    const cl::Buffer info = context_.allocate(kCount * sizeof(cl_int), "a probe");
    factor_and_solve(da, db, 1, kCount, info);
    const auto x = download(context_.queue(), db.buffer, type, kCount * n);
    cl_int outcome[kCount];
    context_.queue().enqueueReadBuffer(info, CL_TRUE, 0, sizeof outcome, outcome);
    for (Index s = 0; s < kCount; ++s) {
      if (outcome[s] != (s == kSingular ? static_cast<cl_int>(n) : 0)) return false;
      const auto residual = compute_residual(n, 1, a.row(s), b.row(s),
                                             std::span(x).subspan(s * n, n), unit_roundoff(type));
      if (s != kSingular && !(residual.scaled <= kScaledResidualBound)) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] cl_uint systems() const { return kWorkGroup / lanes_; }

  DeviceContext& context_;
  Index n_;
  cl_uint lanes_;
  std::unique_ptr<BatchedBackend> portable_;
  Kernel kernel_;
};

}  // namespace

std::unique_ptr<BatchedBackend> make_batched_nvidia(DeviceContext& context, RealType type,
                                                    Index n) {
  // redux.sync came with compute capability 8.0.
  const auto& nvidia = context.profile().attributes.nvidia;
  if (!nvidia || nvidia->capability_major < 8 || n > kLargest) return nullptr;
  try {
    auto backend = std::make_unique<BatchedNvidia>(context, type, n);
    if (backend->gives_known_answer(type)) return backend;
  } catch (
      const BuildError&) {  // what does not build or run here is an outcome: the portable kernels take over
  } catch (const OpenClError&) {
  } catch (const cl::Error&) {
  }
  return nullptr;
}

}  // namespace clgauss
