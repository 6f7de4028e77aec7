#include <algorithm>
#include <bit>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <map>

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
constexpr std::size_t kLeastTogether = 4;  // right-hand sides
constexpr Index kMostChunks = 65535;       // work-groups of a launch in its second dimension
/// Of [A | B] in a work-item of cl/batched/batched_ptx.cl; more only for kLeastTogether.
constexpr std::size_t kMostBytesOfRow = 384;

/// Up to n = 32 with one row per work-item, above, for one right-hand side, with
/// cl/lu/lu_small_columns.cl. Everything else uses the portable kernels.
class BatchedPtx : public BatchedBackend {
 public:
  BatchedPtx(Context& context, NumberType number, Index n)
      : context_(context),
        number_(number),
        n_(static_cast<cl_uint>(n)),
        portable_(make_batched_tile(context, number.real, n, {.complex = number.complex})) {
    if (!works(1)) throw NoUsableKernel(context.trials().reasons({build_of(1).name}));
  }

  void prepare(Index nrhs) override {
    if (!takes(nrhs)) portable_->prepare(nrhs);
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
    if (!takes(nrhs)) {
      portable_->factor_and_solve(queue, a, b, nrhs, batch, info);
      return;
    }
    const cl_uint rhs = rhs_for(nrhs);
    launch(queue, kernels_.at(rhs), rhs, {a, b, nrhs, batch, info});
  }

  [[nodiscard]] std::string name() const override { return "ptx"; }

 private:
  [[nodiscard]] bool by_rows() const { return n_ <= kLargestByRows; }
  [[nodiscard]] cl_uint lanes() const { return std::bit_ceil(n_); }
  [[nodiscard]] cl_uint work_items() const {
    return by_rows() ? kWorkGroup : 32 * columns_sub_groups(n_);
  }
  [[nodiscard]] cl_uint systems() const { return by_rows() ? kWorkGroup / lanes() : 1; }

  /// The right-hand sides of one work-group: all, or what the registers hold.
  [[nodiscard]] cl_uint rhs_for(Index nrhs) const {
    const std::size_t fitting = kMostBytesOfRow / number_.bytes();
    const std::size_t room = fitting > n_ + kLeastTogether ? fitting - n_ : kLeastTogether;
    const std::size_t most = std::bit_floor(std::min<std::size_t>(room, lanes()));
    return static_cast<cl_uint>(
        std::min<std::size_t>(std::bit_ceil(std::max<Index>(nrhs, 1)), most));
  }

  [[nodiscard]] KernelBuild build_of(cl_uint rhs) const {
    const std::string size = std::to_string(n_);
    KernelBuild build;
    if (by_rows())
      build = {batched_ptx_variant().name, batched_ptx_variant().file,
               with_real(number_.real, {{"SIZE", size},
                                        {"LANES", std::to_string(lanes())},
                                        {"SYSTEMS", std::to_string(systems())},
                                        {"RHS", std::to_string(rhs)}})};
    else
      build = {lu_small_columns_variant().name, lu_small_columns_variant().file,
               with_real(number_.real, {{"SIZE", size},
                                        {"SUB_GROUPS", std::to_string(columns_sub_groups(n_))},
                                        {"KERNEL", "2"}})};
    if (number_.complex) build.defines.emplace_back("COMPLEX", "1");
    return build;
  }

  /// Whether the kernel for so many right-hand sides passed its self-test; builds it.
  bool works(cl_uint rhs) {
    if (kernels_.contains(rhs)) return true;
    const KernelBuild build = build_of(rhs);
    const auto make = [&] {
      return context_.programs().kernel(build.file, "batched_factor_and_solve", build.defines);
    };
    if (!context_.trials().passes(build, [&] {
          Kernel kernel = make();
          require_batched(context_, number_, n_, rhs, false, [&](const BatchedQuestion& q) {
            launch(context_.queue(), kernel, rhs, q);
          });
        }))
      return false;
    kernels_.emplace(rhs, make());
    return true;
  }

  bool takes(Index nrhs) {
    const bool fits =
        nrhs == 1 || (by_rows() && n_ >= kLeastTogether && nrhs / rhs_for(nrhs) < kMostChunks);
    return fits && works(rhs_for(nrhs));
  }

  void launch(const cl::CommandQueue& queue, Kernel& kernel, cl_uint rhs,
              const BatchedQuestion& question) const {
    const auto& [a, b, nrhs, batch, info] = question;
    cl_uint index = 0;
    pass_batch(kernel, index, a);
    pass_batch(kernel, index, b);
    if (by_rows()) kernel.set_arguments_from(index++, static_cast<cl_uint>(nrhs));
    kernel.set_arguments_from(index, cl_ulong{batch}, info);
    const Index groups = (batch + systems() - 1) / systems(),
                chunks = std::max<Index>(1, (nrhs + rhs - 1) / rhs);
    enqueue_kernel(queue, kernel, cl::NDRange(groups * work_items(), chunks),
                   cl::NDRange(work_items(), 1));
  }

  Context context_;
  NumberType number_;
  cl_uint n_;
  std::unique_ptr<BatchedBackend> portable_;
  std::map<cl_uint, Kernel> kernels_;  // that passed, by right-hand sides
};

}  // namespace

const KernelVariant& batched_ptx_variant() {
  static const KernelVariant variant{.name = "batched_ptx",
                                     .file = "batched_ptx.cl",
                                     .parameters = {},
                                     .lacks = lacks_ptx,
                                     .ask = [](Context& context, RealType type) {
                                       for (const bool complex : {false, true})
                                         (void)make_batched_ptx(context, NumberType(type, complex),
                                                                kUsualBatchedN);
                                     }};
  return variant;
}

Index largest_in_ptx(NumberType number) {
  // U of a larger system, in complex f64, would take more local memory than there is.
  return number.bytes() > sizeof(double) ? 96 : kLargestInRegisters;
}

std::unique_ptr<BatchedBackend> make_batched_ptx(Context& context, NumberType number, Index n) {
  const KernelVariant& variant = batched_ptx_variant();
  const std::string lacks = variant.lacks(context);
  if (!lacks.empty()) context.trials().pass_over({variant.name, variant.file, {}}, lacks);
  if (!lacks.empty()) return nullptr;
  try {
    return std::make_unique<BatchedPtx>(context, number, n);
  } catch (const NoUsableKernel&) {  // not an error: the portable kernels are used
    return nullptr;
  }
}

}  // namespace clgauss
