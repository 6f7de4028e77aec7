#include <algorithm>
#include <array>
#include <bit>
#include <clgauss/lab/launch.hpp>
#include <set>

#include "kernels/batched/batched_backend.hpp"
#include "kernels/batched/known_answers.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

namespace {

/// The kernels of cl/batched/batched_panels.cl; the value is the macro KERNEL.
enum Which { kFactor = 1, kSolve };
constexpr const char* kNames[] = {"batched_factor", "batched_solve"};

constexpr cl_uint kRowsStep = 64;  // sizes that share a build

/// Of batched_factor for the largest systems.
std::uint64_t local_bytes(std::uint64_t panel, RealType type) {
  constexpr std::uint64_t kRows = kLargestBatchedSystem;
  return (2 * panel * (kRows + 4) + 80) * bytes_of(type) +
         (2 * kRows + panel + 16) * sizeof(cl_uint);
}

int usual_panel(const Setting& at) {
  return local_bytes(8, at.type) <= at.device.static_local_bytes() ? 8 : 4;
}

int usual_group(const Setting& at) {
  return static_cast<int>(
      std::bit_floor(std::min<std::size_t>(256, at.device.max_work_group_size)));
}

std::string broken_rule(const Parameters& parameters, RealType /*type*/) {
  const std::string rule = not_power_of_two(parameters, "PANEL");
  return rule.empty() ? not_power_of_two(parameters, "GROUP") : rule;
}

std::vector<Demand> demands(const Parameters& parameters, RealType type) {
  const int panel = value_of(parameters, "PANEL"), group = value_of(parameters, "GROUP");
  return {{"PANEL", 0, local_bytes(static_cast<std::uint64_t>(panel), type)},
          {"GROUP", static_cast<std::size_t>(group)}};
}

class BatchedPanels : public BatchedBackend {
 public:
  BatchedPanels(Context& context, RealType type, Index n, const BatchedLuOptions& options,
                Parameters parameters, std::uint64_t workspace)
      : context_(context),
        type_(type),
        n_(static_cast<cl_uint>(n)),
        definite_(options.positive_definite),
        parameters_(std::move(parameters)),
        group_(static_cast<cl_uint>(value_of(parameters_, "GROUP"))),
        workspace_(workspace) {}

  void prepare(Index nrhs) override {
    (void)kernel(kFactor, 1);
    (void)kernel(kSolve, rhs_for(nrhs));
  }

  void factor(const cl::CommandQueue& queue, const BatchFactors& factors) override {
    factor(queue, factors.lu, {factors, 0});
  }

  void solve(const cl::CommandQueue& queue, const BatchFactors& factors, const BatchView& b,
             Index nrhs) override {
    solve(queue, {factors, 0}, b, nrhs);
  }

  void factor_and_solve(const cl::CommandQueue& queue, const BatchView& a, const BatchView& b,
                        Index nrhs, Index batch, const cl::Buffer& info) override {
    prepare(nrhs);  // before there are factors: known answers are asked in a workspace, too
    const Index chunk = std::min(batch, fitting());
    reserve(chunk);
    for (Index first = 0; first < batch; first += chunk) {
      const Part part{
          {{lu_, 0, n_, Index{n_} * n_}, std::min(chunk, batch - first), permutation_, info},
          first};
      factor(queue, a, part);
      solve(queue, part, b, nrhs);
    }
  }

  [[nodiscard]] std::string name() const override { return "panels"; }

 private:
  /// Factors of systems from `first` on; info is of the whole batch.
  struct Part {
    BatchFactors factors;
    Index first;
  };

  static cl_uint rhs_for(Index nrhs) { return nrhs <= 1 ? 1 : 8; }

  void factor(const cl::CommandQueue& queue, const BatchView& a, const Part& part) {
    Kernel factor = kernel(kFactor, 1);
    cl_uint index = 0;
    pass_batch(factor, index, a);
    pass_batch(factor, index, part.factors.lu);
    factor.set_arguments_from(index, part.factors.permutation, n_, cl_ulong{part.first},
                              part.factors.info);
    launch_groups(queue, factor, part.factors.batch, group_);
  }

  void solve(const cl::CommandQueue& queue, const Part& part, const BatchView& b, Index nrhs) {
    if (nrhs == 0) return;
    const cl_uint rhs = rhs_for(nrhs);
    Kernel solve = kernel(kSolve, rhs);
    cl_uint index = 0;
    pass_batch(solve, index, part.factors.lu);
    solve.set_arguments_from(index++, part.factors.permutation);
    pass_batch(solve, index, b);
    solve.set_arguments_from(index, static_cast<cl_uint>(nrhs), n_, cl_ulong{part.first},
                             part.factors.info);
    enqueue_kernel(queue, solve, cl::NDRange(part.factors.batch * group_, (nrhs + rhs - 1) / rhs),
                   cl::NDRange(group_, 1));
  }

  /// Built, and asked for a known answer when it is first wanted. Throws NoUsableKernel.
  Kernel kernel(Which which, cl_uint rhs) {
    const KernelBuild build = build_of(which, rhs);
    if (wanted_.insert(build.text()).second && !context_.trials().passes(build, [&] { ask(rhs); }))
      throw NoUsableKernel("the batched kernels do not work on " + context_.profile().name + ": " +
                           context_.trials().reasons({build.name}));
    return context_.programs().kernel(build.file, kNames[which - 1], build.defines);
  }

  /// One question for both kernels, in a workspace and in place.
  void ask(cl_uint rhs) {
    reserved_ = 0;  // another queue may still be at work in the workspace that there is
    require_batched(context_, type_, n_, rhs, definite_, [&](const BatchedQuestion& q) {
      factor_and_solve(context_.queue(), q.a, q.b, q.nrhs, q.batch, q.info);
    });
    require_batched_factors(context_, type_, n_, rhs, definite_, *this);
  }

  [[nodiscard]] KernelBuild build_of(Which which, cl_uint rhs) const {
    const KernelVariant& variant = batched_panels_variant();
    KernelBuild build{variant.name, variant.file, macros_of(variant, type_, parameters_)};
    build.defines.emplace_back("ROWS", std::to_string(round_up(n_, kRowsStep)));
    build.defines.emplace_back("KERNEL", std::to_string(which));
    if (which == kSolve) build.defines.emplace_back("RHS", std::to_string(rhs));
    if (which == kFactor && definite_) build.defines.emplace_back("DEFINITE", "1");
    return build;
  }

  /// Systems whose factors fit the workspace.
  [[nodiscard]] Index fitting() const {
    const DeviceProfile& device = context_.profile();
    const std::uint64_t limit =
        std::min({workspace_, device.max_alloc_bytes, device.global_mem_bytes / 8});
    return std::max<Index>(1, limit / (Index{n_} * n_ * bytes_of(type_)));
  }

  void reserve(Index systems) {
    if (systems <= reserved_) return;
    lu_ =
        context_.allocate(systems * n_ * n_ * bytes_of(type_), "the workspace of a batched solve");
    permutation_ =
        context_.allocate(systems * n_ * sizeof(cl_int), "the pivots of a batched solve");
    reserved_ = systems;
  }

  Context context_;
  RealType type_;
  cl_uint n_;
  bool definite_;
  Parameters parameters_;
  cl_uint group_;
  std::uint64_t workspace_;
  cl::Buffer lu_, permutation_;
  Index reserved_ = 0;
  std::set<std::string> wanted_;  // builds that were asked for
};

}  // namespace

const KernelVariant& batched_panels_variant() {
  static const KernelVariant variant{
      .name = "batched_panels",
      .file = "batched_panels.cl",
      .parameters = {{.name = "PANEL", .least = 4, .most = 32, .step = 4, .usual = usual_panel},
                     {.name = "GROUP", .least = 1, .most = 1024, .usual = usual_group}},
      .lacks = lacks_nothing,
      .ask =
          [](Context& context, RealType type) {
            make_batched_panels(context, type, kLargestBatchedSystem)->prepare(1);
          },
      .broken_rule = broken_rule,
      .demands = demands};
  return variant;
}

std::unique_ptr<BatchedBackend> make_batched_panels(Context& context, RealType type, Index n,
                                                    const BatchedLuOptions& options,
                                                    const std::optional<Parameters>& parameters,
                                                    std::uint64_t workspace) {
  const std::array variants{&batched_panels_variant()};
  return std::make_unique<BatchedPanels>(
      context, type, n, options,
      parameters.value_or(usual_parameters(variants, {context.profile(), type, n})), workspace);
}

}  // namespace clgauss
