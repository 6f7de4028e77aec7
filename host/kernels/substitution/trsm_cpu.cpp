#include "kernels/substitution/trsm_cpu.hpp"

#include <algorithm>
#include <array>
#include <clgauss/lab/launch.hpp>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/substitution/known_answers.hpp"

namespace clgauss {

const KernelVariant& trsm_cpu_variant() {
  static const KernelVariant variant{
      .name = "trsm_cpu",
      .file = "trsm_cpu.cl",
      .parameters = with_cpu_tile({{.name = "BLOCK",  // rows of a block
                                    .least = 4,
                                    .most = 1 << 16,
                                    .usual = [](const Setting&) { return 240; },
                                    .macro = false},
                                   {.name = "PANELS",  // the most per strip
                                    .least = 1,
                                    .most = 1 << 10,
                                    .usual = [](const Setting&) { return 16; },
                                    .macro = false}}),
      .lacks = lacks_long_loops,
      .ask = [](Context& context, RealType type) { (void)TrsmCpu(context, type, 1500).works(); },
      .broken_rule = [](const Parameters& parameters, RealType type) -> std::string {
        const std::string broken = broken_tile_rule(parameters, type);
        return broken.empty() ? not_multiple(parameters, "BLOCK", "MR") : broken;
      }};
  return variant;
}

Variants trsm_variants() {
  static const std::array all{&trsm_cpu_variant()};
  return all;
}

TrsmCpu::Numbers::Numbers(const Setting& setting)
    : parameters(usual_parameters(trsm_variants(), setting)),
      compute_units(setting.device.compute_units) {
  const auto number = [&](const char* name) {
    return static_cast<cl_uint>(value_of(parameters, name));
  };
  mr = number("MR");
  nr = number("NR");
  block = number("BLOCK");
  most_panels = number("PANELS");
}

TrsmCpu::Cut TrsmCpu::Numbers::cut(cl_uint nrhs) const {
  const cl_uint panels = ceil_div(nrhs, nr), rounds = ceil_div(panels, compute_units * most_panels),
                each = ceil_div(panels, compute_units * rounds);
  return {each, std::min(compute_units, ceil_div(panels, each))};
}

std::uint64_t TrsmCpu::Numbers::elements(cl_uint n, const Cut& cut) const {
  return cut.items * (std::uint64_t{cut.panels} * round_up(n, mr) * nr + std::uint64_t{block} * mr);
}

TrsmCpu::TrsmCpu(Context& context, RealType type, Index n)
    : memo_(context, type), numbers_({context.profile(), type, n}) {}

std::uint64_t TrsmCpu::bytes(const DeviceProfile& device, RealType type, Index n, Index nrhs) {
  const Numbers numbers({device, type, n});
  return numbers.elements(static_cast<cl_uint>(n), numbers.cut(static_cast<cl_uint>(nrhs))) *
         bytes_of(type);
}

Kernel& TrsmCpu::kernel() {
  return memo_.get(trsm_cpu_variant().file, "solve_strips",
                   with_parameters(trsm_cpu_variant(), numbers_.parameters, {}));
}

bool TrsmCpu::works() {
  const KernelVariant& variant = trsm_cpu_variant();
  Context& context = memo_.context();
  if (!variant.lacks(context).empty()) return false;
  return memo_.works(
      variant.name, variant.file, with_parameters(variant, numbers_.parameters, {}), [&] {
        // Several blocks, groups of rows, strips and panels, the last of each partial.
        const Index rows = Index{numbers_.block} + numbers_.mr + 5,
                    columns = 3 * Index{numbers_.nr} - 5;
        require_solve_with_factors(
            context, memo_.type(), rows, columns, false, [&](const FactorsQuestion& q) {
              launch(context.queue(), q.lu, q.n, &q.pivots, q.b, q.nrhs, {2, 2});
            });
      });
}

void TrsmCpu::solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                    const cl::Buffer* pivots, const MatrixView& b, cl_uint nrhs) {
  if (n > 0 && nrhs > 0) launch(queue, lu, n, pivots, b, nrhs, numbers_.cut(nrhs));
}

void TrsmCpu::launch(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                     const cl::Buffer* pivots, const MatrixView& b, cl_uint nrhs, const Cut& cut) {
  const std::uint64_t bytes = numbers_.elements(n, cut) * bytes_of(memo_.type());
  if (workspace_() == nullptr || workspace_.getInfo<CL_MEM_SIZE>() < bytes)
    workspace_ = memo_.context().allocate(bytes, "the workspace of a solve");
  kernel().set_arguments(lu.buffer, cl_ulong{lu.offset}, cl_ulong{lu.ld}, n, b.buffer,
                         cl_ulong{b.offset}, cl_ulong{b.ld}, nrhs, cut.panels, numbers_.block,
                         cl_uint{pivots != nullptr}, pivots != nullptr ? *pivots : workspace_,
                         workspace_);
  enqueue_kernel(queue, kernel(), cl::NDRange(cut.items), cl::NDRange(1));
}

}  // namespace clgauss
