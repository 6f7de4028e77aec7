#include <array>
#include <clgauss/lab/launch.hpp>

#include "kernels/batched/batched_by_factors.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

namespace {

/// Local memory that batched_factor needs for systems of up to `rows` rows.
std::uint64_t local_bytes(std::uint64_t panel, NumberType number,
                          std::uint64_t rows = kLargestInPanels) {
  return (2 * panel * (rows + 4) + 80) * number.bytes() + (2 * rows + panel + 16) * sizeof(cl_uint);
}

int usual_panel(const Setting& at) {
  return local_bytes(8, at.type) <= at.device.static_local_bytes() ? 8 : 4;
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

/// Local memory that batched_cholesky needs for systems of up to `rows` rows.
std::uint64_t cholesky_local_bytes(std::uint64_t panel, NumberType number,
                                   std::uint64_t rows = kLargestInPanels) {
  return (rows * (panel + 1) + 2 * panel) * number.bytes() + 2 * rows * bytes_of(number.real);
}

/// A work-item holds two rows of it in registers. In f32 with n = 256, 32 columns take 0.78 of the
/// time of 16 on an NVIDIA GPU; with n = 192, 1.3 times.
int cholesky_panel(const DeviceProfile& device, NumberType number, Index n) {
  int panel = number.complex ? 8 : number.real == RealType::f32 && n > 192 ? 32 : 16;
  while (panel > 4 && cholesky_local_bytes(static_cast<std::uint64_t>(panel), number) >
                          device.static_local_bytes())
    panel /= 2;
  return panel;
}

/// For two rows a work-item.
int cholesky_group(const Setting& at) {
  const Index rows = round_up(std::min(at.n, kLargestInPanels), BatchedByFactors::kRowsStep);
  return static_cast<int>(std::min<Index>(at.device.max_work_group_size, rows / 2));
}

class BatchedPanels : public BatchedByFactors {
 public:
  BatchedPanels(Context& context, NumberType number, Index n, bool definite, Parameters panels,
                Parameters cholesky, std::uint64_t workspace)
      : BatchedByFactors(context, number, n, definite, std::move(panels), workspace),
        cholesky_(std::move(cholesky)) {
    if (!number.complex) return;
    set_value(cholesky_, "PANEL", cholesky_panel(context.profile(), number, n));
    int panel = value_of(panels_, "PANEL");
    while (panel > 2 &&
           local_bytes(static_cast<std::uint64_t>(panel), number, round_up(n, kRowsStep)) >
               context.profile().static_local_bytes())
      panel /= 2;
    set_value(panels_, "PANEL", panel);
  }

  void prepare(Index nrhs) override {
    (void)factor_kernel();
    require(solve_build(nrhs), rhs_for(nrhs));
  }

  [[nodiscard]] std::string name() const override { return "panels"; }

 private:
  void factor_part(const cl::CommandQueue& queue, const BatchView& a, const Part& part) override {
    Kernel factor = factor_kernel();
    cl_uint index = 0;
    pass_batch(factor, index, a);
    pass_batch(factor, index, part.factors.lu);
    factor.set_arguments_from(index, part.factors.permutation, n_, cl_ulong{part.first},
                              part.factors.info);
    launch_groups(queue, factor, part.factors.batch,
                  static_cast<std::size_t>(value_of(definite_ ? cholesky_ : panels_, "GROUP")));
  }

  Kernel factor_kernel() {
    const KernelBuild build =
        definite_ ? build_of(batched_cholesky_variant(), cholesky_) : panels_build(1);
    require(build, 1);
    return context_.programs().kernel(build.file, definite_ ? "batched_cholesky" : "batched_factor",
                                      build.defines);
  }

  void solve_part(const cl::CommandQueue& queue, const Part& part, const BatchView& b,
                  Index nrhs) override {
    require(solve_build(nrhs), rhs_for(nrhs));
    BatchedByFactors::solve_part(queue, part, b, nrhs);
  }

  void require(const KernelBuild& build, Index nrhs) {
    if (!works(build, nrhs)) none_works(build);
  }

  Parameters cholesky_;  // of batched_cholesky_variant()
};

}  // namespace

const KernelVariant& batched_panels_variant() {
  static const KernelVariant variant{
      .name = "batched_panels",
      .file = "batched_panels.cl",
      .parameters = {{.name = "PANEL", .least = 4, .most = 32, .step = 4, .usual = usual_panel},
                     {.name = "GROUP",
                      .least = 1,
                      .most = 1024,
                      .usual = [](const Setting& at) { return usual_group(at, 256); }}},
      .lacks = lacks_nothing,
      .ask =
          [](Context& context, RealType type) {
            make_batched_panels(context, type, kLargestInPanels)->prepare(1);
          },
      .broken_rule = broken_rule,
      .demands = demands};
  return variant;
}

const KernelVariant& batched_cholesky_variant() {
  static const KernelVariant variant{
      .name = "batched_cholesky",
      .file = "batched_cholesky.cl",
      .parameters =
          {{.name = "PANEL",
            .least = 4,
            .most = 32,
            .step = 4,
            .usual = [](const Setting& at) { return cholesky_panel(at.device, at.type, at.n); }},
           {.name = "GROUP", .least = 1, .most = 1024, .usual = cholesky_group}},
      .lacks = lacks_nothing,
      .ask =
          [](Context& context, RealType type) {
            make_batched_panels(context, type, kLargestInPanels, {.positive_definite = true})
                ->prepare(1);
          },
      .broken_rule = [](const Parameters& parameters,
                        RealType /*type*/) { return not_power_of_two(parameters, "PANEL"); },
      .demands = [](const Parameters& parameters, RealType type) -> std::vector<Demand> {
        const int panel = value_of(parameters, "PANEL"), group = value_of(parameters, "GROUP");
        return {{"PANEL", 0, cholesky_local_bytes(static_cast<std::uint64_t>(panel), type)},
                {"GROUP", static_cast<std::size_t>(group)}};
      }};
  return variant;
}

std::unique_ptr<BatchedBackend> make_batched_panels(Context& context, RealType type, Index n,
                                                    const BatchedLuOptions& options,
                                                    const std::optional<Parameters>& parameters,
                                                    std::uint64_t workspace,
                                                    const std::optional<Parameters>& cholesky) {
  const std::array variants{&batched_panels_variant()}, definite{&batched_cholesky_variant()};
  const Setting setting{context.profile(), type, n};
  Parameters usual = usual_parameters(variants, setting);
  // On an H200, an LU of complex f64 with n = 128 takes 0.79 of the time that it takes with 256.
  constexpr Index kFewRows = 128;
  if (options.complex && type == RealType::f64 && n <= kFewRows && !options.positive_definite)
    set_value(usual, "GROUP", usual_group(setting, kFewRows));
  // By Cholesky they are those of the solve alone, which takes 0.6 to 0.8 of the time that it takes
  // with 256, measured with n = 129 to 256 on an NVIDIA GPU. Of complex numbers, with 64 an H200
  // takes 0.77 of the time of 256 for factors and solve in f64 with n = 128, and 0.93 in f32.
  if (options.positive_definite)
    set_value(usual, "GROUP", usual_group(setting, options.complex ? 64 : 128));
  return std::make_unique<BatchedPanels>(context, NumberType(type, options.complex), n,
                                         options.positive_definite, parameters.value_or(usual),
                                         cholesky.value_or(usual_parameters(definite, setting)),
                                         workspace);
}

}  // namespace clgauss
