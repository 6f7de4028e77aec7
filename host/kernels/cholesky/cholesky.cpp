#include "kernels/cholesky/cholesky.hpp"

#include <algorithm>
#include <array>
#include <clgauss/lab/launch.hpp>

#include "kernels/cholesky/cholesky_cpu.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"

namespace clgauss {

namespace {

std::uint64_t grid_local_bytes(std::uint64_t nb, std::uint64_t grid, RealType type) {
  return std::max((grid + 2) * nb, grid * (grid + 1)) * bytes_of(type);
}

}  // namespace

const KernelVariant& cholesky_variant() {
  static const KernelVariant variant{
      .name = "cholesky",
      .file = "cholesky.cl",
      .parameters = {{.name = "NB",
                      .least = 16,
                      .most = 256,
                      .step = 16,
                      .usual = [](const Setting&) { return 128; },
                      .tried = {64, 128}},
                     {.name = "GRID",
                      .least = 4,
                      .most = 32,
                      .usual =
                          [](const Setting& at) {
                            return at.device.max_work_group_size >= 256 ? 16 : 8;
                          },
                      .tried = {8, 16, 32}},
                     {.name = "OUTER",  // columns whose L and U are applied to the rest at once
                      .least = 16,
                      .most = 1 << 16,
                      .step = 16,
                      .usual = [](const Setting&) { return 512; },
                      .tried = {128, 256, 512},
                      .macro = false}},
      .lacks = lacks_nothing,
      .ask = [](Context& context, RealType type) { (void)cholesky_works(context, type); },
      .broken_rule = [](const Parameters& parameters, RealType) -> std::string {
        const std::string rule = not_multiple(parameters, "NB", "GRID");
        return rule.empty() ? not_multiple(parameters, "OUTER", "NB") : rule;
      },
      .demands =
          [](const Parameters& parameters, RealType type) {
            const auto number = [&](const char* name) {
              return static_cast<std::uint64_t>(value_of(parameters, name));
            };
            const std::uint64_t grid = number("GRID");
            return std::vector<Demand>{
                {"GRID", grid * grid, grid_local_bytes(number("NB"), grid, type)}};
          },
      .workspace_bytes =
          [](const Parameters& parameters, const Setting& at) {
            const auto nb = static_cast<std::uint64_t>(value_of(parameters, "NB"));
            return (at.n + nb) * nb * bytes_of(at.type);
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
  grid_ = static_cast<cl_uint>(value_of(parameters_, "GRID"));
  outer_ = static_cast<cl_uint>(value_of(parameters_, "OUTER"));
}

ProgramRequest CholeskyKernels::program() const {
  return {cholesky_variant().file, macros_of(cholesky_variant(), kernels_.type(), parameters_)};
}

Kernel& CholeskyKernels::kernel(const char* name) {
  return kernels_.get(cholesky_variant().file, name,
                      with_parameters(cholesky_variant(), parameters_, {}));
}

void CholeskyKernels::diagonal(const cl::CommandQueue& queue, const MatrixView& a, cl_uint size,
                               cl_uint first, const cl::Buffer& inverse) {
  Kernel& diagonal = kernel("ldlt_diagonal");
  cl_uint index = 0;
  pass_view(diagonal, index, a);
  diagonal.set_arguments_from(index, size, inverse, first, flags_.buffer());
  launch_groups(queue, diagonal, 1, std::size_t{grid_} * grid_);
}

void CholeskyKernels::spread(const cl::CommandQueue& queue, const MatrixView& a, cl_uint size,
                             cl_uint rest, const cl::Buffer& w) {
  Kernel& spread = kernel("ldlt_spread");
  cl_uint index = 0;
  pass_view(spread, index, a);
  spread.set_arguments_from(index, size, rest, w);
  enqueue_kernel(queue, spread, cl::NDRange(round_up(size, grid_), round_up(rest, grid_)),
                 cl::NDRange(grid_, grid_));
}

}  // namespace clgauss
