#include "kernels/cholesky/cholesky.hpp"

#include <algorithm>
#include <array>
#include <clgauss/lab/launch.hpp>

#include "kernels/cholesky/cholesky_cpu.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"

namespace clgauss {

const KernelVariant& cholesky_variant() {
  static const KernelVariant variant{
      .name = "cholesky",
      .file = "cholesky.cl",
      .parameters = {{.name = "NB",
                      .least = 16,
                      .most = 128,
                      .step = 16,
                      .usual =
                          [](const Setting& at) {
                            return at.device.max_work_group_size >= 128 ? 64 : 32;
                          },
                      .tried = {32, 64}},
                     {.name = "OUTER",  // columns whose L and U update the rest together
                      .least = 16,
                      .most = 1 << 16,
                      .step = 16,
                      .usual = [](const Setting&) { return 512; },
                      .tried = {128, 256, 512},
                      .macro = false}},
      .lacks = lacks_nothing,
      .ask = [](Context& context, RealType type) { (void)cholesky_works(context, type); },
      .broken_rule = [](const Parameters& parameters, RealType) -> std::string {
        return not_multiple(parameters, "OUTER", "NB");
      },
      .demands =
          [](const Parameters& parameters, RealType type) {
            const auto nb = static_cast<std::uint64_t>(value_of(parameters, "NB"));
            return std::vector<Demand>{
                {"NB", 2 * nb, (nb * nb / 4 + 2 * nb * (nb / 4 + 1)) * bytes_of(type)}};
          },
      .workspace_bytes =
          [](const Parameters& parameters, const Setting& at) {
            const auto nb = static_cast<std::uint64_t>(value_of(parameters, "NB"));
            return 2 * nb * nb * bytes_of(at.type);
          }};
  return variant;
}

Variants cholesky_variants() {
  static const std::array<const KernelVariant*, 2> variants{&cholesky_cpu_variant(),
                                                            &cholesky_variant()};
  return variants;
}

Parameters usual_cholesky_parameters(const Setting& setting) {
  const std::array<const KernelVariant*, 1> own{&cholesky_variant()};
  return usual_parameters(own, setting);
}

CholeskyKernels::CholeskyKernels(KernelMemo& kernels, const LuFlags& flags, Index n)
    : kernels_(kernels),
      flags_(flags),
      parameters_(usual_cholesky_parameters({kernels.context().profile(), kernels.type(), n})) {
  nb_ = static_cast<cl_uint>(value_of(parameters_, "NB"));
  outer_ = static_cast<cl_uint>(value_of(parameters_, "OUTER"));
}

ProgramRequest CholeskyKernels::program() const {
  return {cholesky_variant().file, macros_of(cholesky_variant(), kernels_.type(), parameters_)};
}

Kernel& CholeskyKernels::kernel(const char* name) {
  return kernels_.get(cholesky_variant().file, name,
                      with_parameters(cholesky_variant(), parameters_, {}));
}

void CholeskyKernels::panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint size,
                            cl_uint rest, cl_uint first, const cl::Buffer& blocks) {
  Kernel& panel = kernel("cholesky_panel");
  cl_uint index = 0;
  pass_view(panel, index, a);
  panel.set_arguments_from(index, size, rest, blocks, first, flags_.buffer());
  const cl_uint groups = std::max<cl_uint>(1, (rest + nb_ - 1) / nb_) + (first > 0 ? 1 : 0);
  launch_groups(queue, panel, groups, std::size_t{2} * nb_);
}

}  // namespace clgauss
