#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <set>

#include "kernels/batched/batched_backend.hpp"
#include "kernels/batched/known_answers.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

namespace {

/// Work-items per compute unit, each with its own scratch memory. Several, so that the others need
/// not wait for a slow core.
constexpr cl_uint kItemsPerUnit = 8;
/// The limit for all scratch memory. With many cores it leads to fewer work-items, at least one per
/// unit.
constexpr std::uint64_t kScratchBytes = std::uint64_t{1} << 30;
/// TILE of cl/batched/batched_cpu.cl.
cl_uint tile_of(NumberType number) { return number.complex ? 2 : 4; }

class BatchedCpu : public BatchedBackend {
 public:
  BatchedCpu(Context& context, NumberType number, Index n, const BatchedLuOptions& options)
      : context_(context),
        number_(number),
        n_(static_cast<cl_uint>(n)),
        definite_(options.positive_definite),
        tile_(usual_parameters(std::array{&batched_cpu_variant()},
                               {context.profile(), number.real, n})),
        vec_width_(static_cast<cl_uint>(value_of(tile_, "VEC_WIDTH"))) {}

  void prepare(Index nrhs) override {
    (void)kernel("batched_factor", 1);  // the self-test of the other needs it, too
    (void)kernel("batched_factor_and_solve", rhs_for(nrhs));
  }

  void factor(const cl::CommandQueue& queue, const BatchFactors& factors) override {
    Kernel factor = kernel("batched_factor", 1);
    cl_uint index = 0;
    pass_batch(factor, index, factors.lu);
    factor.set_arguments_from(index, factors.permutation, n_, cl_ulong{factors.batch},
                              factors.info);
    launch(queue, factor, index + 4, factors.batch, 1);
  }

  void solve(const cl::CommandQueue& queue, const BatchFactors& factors, const BatchView& b,
             Index nrhs) override {
    Kernel solve = kernel("batched_solve", rhs_for(nrhs));
    cl_uint index = 0;
    pass_batch(solve, index, factors.lu);
    solve.set_arguments_from(index++, factors.permutation);
    pass_batch(solve, index, b);
    solve.set_arguments_from(index, static_cast<cl_uint>(nrhs), n_, cl_ulong{factors.batch},
                             factors.info);
    launch(queue, solve, index + 4, factors.batch, rhs_for(nrhs));
  }

  void factor_and_solve(const cl::CommandQueue& queue, const BatchView& a, const BatchView& b,
                        Index nrhs, Index batch, const cl::Buffer& info) override {
    Kernel both = kernel("batched_factor_and_solve", rhs_for(nrhs));
    cl_uint index = 0;
    pass_batch(both, index, a);
    pass_batch(both, index, b);
    both.set_arguments_from(index, static_cast<cl_uint>(nrhs), n_, cl_ulong{batch}, info);
    launch(queue, both, index + 4, batch, rhs_for(nrhs));
  }

  [[nodiscard]] std::string name() const override { return "cpu"; }

 private:
  static cl_uint rhs_for(Index nrhs) { return nrhs <= 1 ? 1 : 8; }

  /// The kernel, self-tested with all kernels of its file when it is first requested. Throws
  /// NoUsableKernel.
  Kernel kernel(const char* name, cl_uint rhs) {
    const KernelVariant& variant = batched_cpu_variant();
    KernelBuild build{variant.name, variant.file, macros_of(variant, number_.real, tile_)};
    build.defines.emplace_back("RHS", std::to_string(rhs));
    if (definite_) build.defines.emplace_back("DEFINITE", "1");
    if (number_.complex) build.defines.emplace_back("COMPLEX", "1");
    if (wanted_.insert(build.text()).second && !context_.trials().passes(build, [&] { ask(rhs); }))
      throw NoUsableKernel("the batched kernels for CPUs do not work on " +
                           context_.profile().name + ": " +
                           context_.trials().reasons({build.name}));
    return context_.programs().kernel(build.file, name, build.defines);
  }

  void ask(cl_uint rhs) {
    require_batched(context_, number_, n_, rhs, definite_, [&](const BatchedQuestion& q) {
      factor_and_solve(context_.queue(), q.a, q.b, q.nrhs, q.batch, q.info);
    });
    require_batched_factors(context_, number_, n_, rhs, definite_, *this);
  }

  void launch(const cl::CommandQueue& queue, Kernel& kernel, cl_uint scratch_argument, Index batch,
              cl_uint rhs) {
    const Index groups = (batch + vec_width_ - 1) / vec_width_;
    const std::uint64_t vectors = std::uint64_t{n_} * (n_ + rhs + tile_of(number_)) + n_,
                        each = vectors * vec_width_ * number_.bytes();
    const Index units = context_.profile().compute_units,
                most = std::clamp<Index>(kScratchBytes / each, units, kItemsPerUnit * units),
                items = std::min(groups, most);
    const std::uint64_t bytes = items * each;
    if (bytes > scratch_bytes_) {
      scratch_ = context_.allocate(bytes, "the workspace of a batched solve");
      scratch_bytes_ = bytes;
    }
    kernel.set_arguments_from(scratch_argument, scratch_);
    launch_groups(queue, kernel, items, 1);
  }

  Context context_;
  NumberType number_;
  cl_uint n_;
  bool definite_;
  Parameters tile_;
  cl_uint vec_width_;
  cl::Buffer scratch_;
  std::uint64_t scratch_bytes_ = 0;
  std::set<std::string> wanted_;  // builds requested so far
};

}  // namespace

const KernelVariant& batched_cpu_variant() {
  static const KernelVariant variant{
      .name = "batched_cpu",
      .file = "batched_cpu.cl",
      .parameters = with_cpu_tile({}),
      .lacks = lacks_long_loops,
      .ask = [](Context& context,
                RealType type) { make_batched_cpu(context, type, kUsualBatchedN)->prepare(1); },
      .broken_rule = broken_tile_rule};
  return variant;
}

std::unique_ptr<BatchedBackend> make_batched_cpu(Context& context, RealType type, Index n,
                                                 const BatchedLuOptions& options) {
  return std::make_unique<BatchedCpu>(context, NumberType(type, options.complex), n, options);
}

}  // namespace clgauss
