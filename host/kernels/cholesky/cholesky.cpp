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
      .parameters =
          {{.name = "NB",
            .least = 16,
            .most = 128,
            .step = 16,
            .usual =
                [](const Setting& at) { return at.device.max_work_group_size >= 128 ? 64 : 32; },
            .tried = {32, 64}},
           {.name = "OUTER",  // columns whose L and U update the rest together
            .least = 16,
            .most = 1 << 16,
            .step = 16,
            .usual = [](const Setting&) { return 512; },
            .tried = {128, 256, 512},
            .macro = false},
           // Up to this n panels do the updates, above it products; 0: never. On an H200,
           // by panels (by products), ms: f32 n = 500 0.281 (0.309), 1024 0.493 (0.506),
           // 2048 0.943 (0.953), 3072 1.520 (1.528); f64 500 0.342 (0.341), 1024 0.580
           // (0.554), 2048 1.178 (1.059).
           {.name = "TILES_N",
            .least = 0,
            .most = 1 << 16,
            .usual = [](const Setting& at) { return at.type == RealType::f32 ? 2048 : 512; },
            .tried = {0, 512, 2048},
            .macro = false}},
      .lacks = lacks_nothing,
      .ask =
          [](Context& context, RealType type) {
            for (const bool panels_update : {false, true})
              (void)cholesky_works(context, type, panels_update);
          },
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

namespace {

std::pair<std::string, std::string> updates_define(bool updates) {
  return {"UPDATES", updates ? "1" : "0"};
}

}  // namespace

Variants cholesky_variants() {
  static const std::array<const KernelVariant*, 2> variants{&cholesky_cpu_variant(),
                                                            &cholesky_variant()};
  return variants;
}

Parameters usual_cholesky_parameters(const Setting& setting) {
  const std::array<const KernelVariant*, 1> own{&cholesky_variant()};
  return usual_parameters(own, setting);
}

CholeskyKernels::CholeskyKernels(KernelMemo& kernels, const LuFlags& flags, Index n, bool updates)
    : kernels_(kernels),
      flags_(flags),
      parameters_(usual_cholesky_parameters({kernels.context().profile(), kernels.type(), n})),
      updates_(updates) {
  nb_ = static_cast<cl_uint>(value_of(parameters_, "NB"));
  outer_ = static_cast<cl_uint>(value_of(parameters_, "OUTER"));
}

std::string cholesky_trial(bool panels_update) {
  const std::string name = cholesky_variant().name;
  return panels_update ? name + " updates by panels" : name;
}

ProgramRequest CholeskyKernels::program() const {
  Defines own = real_defines(kernels_.type());
  own.push_back(updates_define(updates_));
  return {cholesky_variant().file, with_parameters(cholesky_variant(), parameters_, own)};
}

void CholeskyKernels::panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint size,
                            cl_uint rest, cl_uint first, const cl::Buffer& blocks) {
  if (panel_ == nullptr)
    panel_ =
        &kernels_.get(cholesky_variant().file, "cholesky_panel",
                      with_parameters(cholesky_variant(), parameters_, {updates_define(updates_)}));
  Kernel& panel = *panel_;
  const bool is_first = first == 0;
  cl_uint index = 0;
  pass_view(panel, index, a);
  panel.set_arguments_from(index, size, rest, blocks, first, updates_ && !is_first ? nb_ : 0U,
                           flags_.buffer());
  cl_uint groups = std::max<cl_uint>(1, ceil_div(rest, nb_)) + (is_first ? 0 : 1);
  if (updates_ && !is_first)  // the tiles of the columns right of the panel
    for (cl_uint rows = rest; rows > 0; rows -= std::min(rows, nb_))
      groups += ceil_div(rows, 2 * nb_);
  launch_groups(queue, panel, groups, std::size_t{2} * nb_);
}

}  // namespace clgauss
