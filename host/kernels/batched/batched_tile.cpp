#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <set>

#include "kernels/batched/batched_backend.hpp"
#include "kernels/batched/known_answers.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

namespace {

/// The kernels of cl/batched/batched_tile.cl. The value is that of the macro KERNEL.
enum TileKernel { kTileFactorAndSolve = 1, kTileFactor, kTileSolve };
constexpr const char* kTileKernels[] = {"batched_factor_and_solve", "batched_factor",
                                        "batched_solve"};

/// The most rows and columns of a work-item's tile. Real ones in f64 then take 128 registers.
cl_uint largest_tile(NumberType number) { return number.bytes() > sizeof(double) ? 6 : 8; }
constexpr cl_uint kLeastWorkGroup = 64;
constexpr cl_uint kLargestGrid = 16;

/// For larger n, more than kMostTogether right-hand sides are faster by the kernels of panels: a
/// tile factors A anew for each kMostTogether. H200, f64, 1000 inverses of n = 128: 4.3 ms instead
/// of 44; 4000 of n = 64: 3.6 instead of 12.1; 8000 of n = 32: 2.5 instead of 2.8.
constexpr cl_uint kLargestForMany = 32;
constexpr Index kMostTogether = 8;

/// Of the kernels of panels for them: a work-item a row, because others would wait. On an H200 8000
/// inverses of n = 64 take 3.1 ms in f64, and 6.1 with 256 work-items; 2.4 with 16 right-hand sides
/// at a time instead of 8.
Parameters parameters_for_many(const Setting& at) {
  const std::array variants{&batched_panels_variant()};
  Parameters parameters = usual_parameters(variants, at);
  set_value(parameters, "GROUP", usual_group(at, std::bit_ceil(at.n)));
  return parameters;
}

/// The edge of the square of work-items for n.
cl_uint grid_for(cl_uint n, NumberType number) {
  if (n <= 4) return 2;
  if (n <= 16) return 4;
  return n <= 8 * largest_tile(number) ? 8 : 16;
}

class BatchedTile : public BatchedBackend {
 public:
  BatchedTile(Context& context, NumberType number, Index n, const BatchedLuOptions& options,
              std::optional<bool> in_registers)
      : context_(context),
        number_(number),
        n_(static_cast<cl_uint>(n)),
        in_registers_(in_registers.value_or(context.profile().type != DeviceType::cpu)),
        definite_(options.positive_definite),
        grid_(options.grid != 0 ? options.grid : grid_for(n_, number)),
        systems_(std::max(1U, kLeastWorkGroup / (grid_ * grid_))) {
    if (grid_ % 2 != 0 || grid_ > kLargestGrid || ceil_div(n_, grid_) > largest_tile(number))
      throw UsageError(fmt::format(
          "the work-items of a batched system are 2 x 2, 4 x 4 .. 16 x 16, with {} x {} elements "
          "each at most",
          largest_tile(number), largest_tile(number)));
    if (n_ > kLargestForMany && options.kernel == BatchedKernel::automatic && options.grid == 0)
      many_ = make_batched_panels(context, number.real, n, options,
                                  parameters_for_many({context.profile(), number.real, n}));
    if (local_size() > context.profile().max_work_group_size)
      throw DeviceLimit("batched solves need work-groups of " + std::to_string(local_size()) +
                        " work-items, " + context.profile().name + " allows " +
                        std::to_string(context.profile().max_work_group_size));
  }

  void prepare(Index nrhs) override {
    if (for_many(nrhs) == nullptr) (void)kernel(kTileFactorAndSolve, rhs_for(nrhs));
  }

  void factor(const cl::CommandQueue& queue, const BatchFactors& factors) override {
    Kernel factor = kernel(kTileFactor, 1);
    cl_uint index = 0;
    pass_batch(factor, index, factors.lu);
    factor.set_arguments_from(index, factors.permutation, n_, cl_ulong{factors.batch},
                              factors.info);
    launch(queue, factor, factors.batch, 1);
  }

  void solve(const cl::CommandQueue& queue, const BatchFactors& factors, const BatchView& b,
             Index nrhs) override {
    if (nrhs == 0) return;
    Kernel solve = kernel(kTileSolve, rhs_for(nrhs));
    cl_uint index = 0;
    pass_batch(solve, index, factors.lu);
    solve.set_arguments_from(index++, factors.permutation);
    pass_batch(solve, index, b);
    solve.set_arguments_from(index, static_cast<cl_uint>(nrhs), n_, cl_ulong{factors.batch},
                             factors.info);
    launch(queue, solve, factors.batch, chunks_of(nrhs));
  }

  void factor_and_solve(const cl::CommandQueue& queue, const BatchView& a, const BatchView& b,
                        Index nrhs, Index batch, const cl::Buffer& info) override {
    if (BatchedBackend* const other = for_many(nrhs)) {
      other->factor_and_solve(queue, a, b, nrhs, batch, info);
      return;
    }
    Kernel both = kernel(kTileFactorAndSolve, rhs_for(nrhs));
    cl_uint index = 0;
    pass_batch(both, index, a);
    pass_batch(both, index, b);
    both.set_arguments_from(index, static_cast<cl_uint>(nrhs), n_, cl_ulong{batch}, info);
    launch(queue, both, batch, std::max<Index>(1, chunks_of(nrhs)));
  }

  [[nodiscard]] std::string name() const override {
    return "tile " + std::to_string(grid_) + " x " + std::to_string(grid_);
  }

 private:
  static cl_uint rhs_for(Index nrhs) { return nrhs <= 1 ? 1 : kMostTogether; }
  static Index chunks_of(Index nrhs) { return (nrhs + rhs_for(nrhs) - 1) / rhs_for(nrhs); }
  /// The kernels that factor and solve with so many right-hand sides; null: those of this class.
  BatchedBackend* for_many(Index nrhs) {
    if (many_ == nullptr || nrhs <= kMostTogether) return nullptr;
    try {
      many_->prepare(nrhs);
    } catch (const NoUsableKernel&) {  // the self-tests say why
      many_.reset();
    }
    return many_.get();
  }

  [[nodiscard]] cl_uint local_size() const { return systems_ * grid_ * grid_; }

  /// The kernel, self-tested when it is first requested. Throws NoUsableKernel.
  Kernel kernel(TileKernel which, cl_uint rhs) {
    const KernelBuild build = build_of(which, rhs);
    if (wanted_.insert(build.text()).second &&
        !context_.trials().passes(build, [&] { ask(which, rhs); }))
      throw NoUsableKernel("the batched kernels do not work on " + context_.profile().name + ": " +
                           context_.trials().reasons({build.name}));
    return context_.programs().kernel(build.file, kTileKernels[which - 1], build.defines);
  }

  void ask(TileKernel which, cl_uint rhs) {
    if (which == kTileFactorAndSolve)
      require_batched(context_, number_, n_, rhs, definite_, [&](const BatchedQuestion& q) {
        factor_and_solve(context_.queue(), q.a, q.b, q.nrhs, q.batch, q.info);
      });
    else
      require_batched_factors(context_, number_, n_, rhs, definite_, *this);
  }

  [[nodiscard]] KernelBuild build_of(TileKernel which, cl_uint rhs) const {
    KernelBuild build{batched_tile_variant().name, batched_tile_variant().file,
                      with_real(number_.real, {{"GRID", std::to_string(grid_)},
                                               {"TILE", std::to_string(ceil_div(n_, grid_))},
                                               {"SYSTEMS", std::to_string(systems_)},
                                               {"RHS", std::to_string(rhs)},
                                               {"IN_REGISTERS", in_registers_ ? "1" : "0"},
                                               {"KERNEL", std::to_string(which)}})};
    if (definite_) build.defines.emplace_back("DEFINITE", "1");
    if (number_.complex) build.defines.emplace_back("COMPLEX", "1");
    return build;
  }

  void launch(const cl::CommandQueue& queue, const Kernel& kernel, Index batch, Index chunks) {
    const Index groups = (batch + systems_ - 1) / systems_;
    enqueue_kernel(queue, kernel, cl::NDRange(groups * local_size(), chunks),
                   cl::NDRange(local_size(), 1));
  }

  Context context_;
  NumberType number_;
  cl_uint n_;
  bool in_registers_, definite_;
  cl_uint grid_, systems_;
  std::unique_ptr<BatchedBackend> many_;
  std::set<std::string> wanted_;  // builds requested so far
};

}  // namespace

const KernelVariant& batched_tile_variant() {
  static const KernelVariant variant{.name = "batched_tile",
                                     .file = "batched_tile.cl",
                                     .parameters = {},
                                     .lacks = lacks_nothing,
                                     .ask = [](Context& context, RealType type) {
                                       make_batched_tile(context, type, kUsualBatchedN)->prepare(1);
                                     }};
  return variant;
}

Index largest_in_tile(NumberType number) { return Index{kLargestGrid} * largest_tile(number); }

Variants batched_variants() {
  static const std::array variants{
      &batched_cpu_variant(),    &batched_ptx_variant(),      &batched_tile_variant(),
      &batched_panels_variant(), &batched_cholesky_variant(), &batched_panel_ptx_variant(),
      &batched_blocks_variant(), &batched_ldlt_cpu_variant(), &batched_ldlt_variant()};
  return variants;
}

std::unique_ptr<BatchedBackend> make_batched_tile(Context& context, RealType type, Index n,
                                                  const BatchedLuOptions& options,
                                                  std::optional<bool> in_registers) {
  return std::make_unique<BatchedTile>(context, NumberType(type, options.complex), n, options,
                                       in_registers);
}

}  // namespace clgauss
