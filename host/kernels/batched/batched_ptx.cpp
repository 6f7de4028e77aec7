#include <bit>
#include <clgauss/error.hpp>

#include "kernels/batched/batched_backend.hpp"
#include "kernels/batched/known_answers.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_common.hpp"
#include "kernels/lu/lu_small.hpp"

namespace clgauss {

namespace {

constexpr Index kLargestByRows = 32;
constexpr cl_uint kWorkGroup = 128;

/// For one right-hand side: up to n = 32 with one row per work-item, above with
/// cl/lu/lu_small_columns.cl. Everything else uses the portable kernels.
class BatchedPtx : public BatchedBackend {
 public:
  BatchedPtx(Context& context, RealType type, Index n)
      : context_(context), portable_(make_batched_tile(context, type, n)) {
    const std::string size = std::to_string(n);
    if (n <= kLargestByRows) {
      const auto lanes = static_cast<cl_uint>(std::bit_ceil(n));
      systems_ = kWorkGroup / lanes;
      work_items_ = kWorkGroup;
      build_ = {batched_ptx_variant().name, batched_ptx_variant().file,
                with_real(type, {{"SIZE", size},
                                 {"LANES", std::to_string(lanes)},
                                 {"SYSTEMS", std::to_string(systems_)}})};
    } else {
      const cl_uint sub_groups = columns_sub_groups(static_cast<cl_uint>(n));
      work_items_ = 32 * sub_groups;
      build_ = {
          lu_small_columns_variant().name, lu_small_columns_variant().file,
          with_real(type,
                    {{"SIZE", size}, {"SUB_GROUPS", std::to_string(sub_groups)}, {"KERNEL", "2"}})};
    }
    if (!context.trials().passes(build_, [&] {
          build();
          require_batched(context, type, n, 1, false, [&](const BatchedQuestion& q) {
            factor_and_solve(context_.queue(), q.a, q.b, q.nrhs, q.batch, q.info);
          });
        }))
      throw NoUsableKernel(context.trials().reasons({build_.name}));
    build();
  }

  void prepare(Index nrhs) override {
    if (nrhs != 1) portable_->prepare(nrhs);
  }

  void factor(const cl::CommandQueue& queue, const BatchFactors& factors) override {
    portable_->factor(queue, factors);
  }

  void solve(const cl::CommandQueue& queue, const BatchFactors& factors, const BatchView& b,
             Index nrhs) override {
    portable_->solve(queue, factors, b, nrhs);
  }

  void factor_and_solve(const cl::CommandQueue& queue, const BatchView& a, const BatchView& b,
                        Index nrhs, Index batch, const cl::Buffer& info) override {
    if (nrhs != 1) {
      portable_->factor_and_solve(queue, a, b, nrhs, batch, info);
      return;
    }
    cl_uint index = 0;
    pass_batch(kernel_, index, a);
    pass_batch(kernel_, index, b);
    kernel_.set_arguments_from(index, cl_ulong{batch}, info);
    launch_groups(queue, kernel_, (batch + systems_ - 1) / systems_, work_items_);
  }

  [[nodiscard]] std::string name() const override { return "ptx"; }

 private:
  void build() {
    kernel_ = context_.programs().kernel(build_.file, "batched_factor_and_solve", build_.defines);
  }

  Context context_;
  cl_uint systems_ = 1, work_items_ = 0;  // per work-group
  std::unique_ptr<BatchedBackend> portable_;
  KernelBuild build_;
  Kernel kernel_;
};

}  // namespace

const KernelVariant& batched_ptx_variant() {
  static const KernelVariant variant{.name = "batched_ptx",
                                     .file = "batched_ptx.cl",
                                     .parameters = {},
                                     .lacks = lacks_ptx,
                                     .ask = [](Context& context, RealType type) {
                                       (void)make_batched_ptx(context, type, kUsualBatchedN);
                                     }};
  return variant;
}

std::unique_ptr<BatchedBackend> make_batched_ptx(Context& context, RealType type, Index n) {
  const KernelVariant& variant = batched_ptx_variant();
  const std::string lacks = variant.lacks(context);
  if (!lacks.empty()) context.trials().pass_over({variant.name, variant.file, {}}, lacks);
  if (!lacks.empty()) return nullptr;
  try {
    return std::make_unique<BatchedPtx>(context, type, n);
  } catch (const NoUsableKernel&) {  // not an error: the portable kernels are used
    return nullptr;
  }
}

}  // namespace clgauss
