#include "kernels/qr/qr.hpp"

#include <algorithm>
#include <array>
#include <clgauss/lab/launch.hpp>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/qr/known_answers.hpp"

namespace clgauss {

namespace {

constexpr const char* kQrSpace = "the workspace of a QR factorisation";
/// A work-group gets at least this many rows. The number of groups is limited, because each of them
/// adds up the sums of all.
constexpr cl_uint kRowsPerGroup = 32, kMostQrGroups = 128;

/// Whether a CPU's panel is so short that launches cost more than the passes over it.
bool is_short(const Setting& at) {
  return !has_groups(at) && at.n * bytes_of(at.type) <= Index{12} << 10U;
}

int usual_panel(const Setting& at) {
  if (has_groups(at)) return 64;
  return is_short(at) ? 32 : 16;
}

}  // namespace

const KernelVariant& qr_variant() {
  static const KernelVariant variant{
      .name = "qr",
      .file = "qr.cl",
      .parameters = {{.name = "NB",
                      .least = 8,
                      .most = 64,
                      .step = 8,
                      .usual = usual_panel,
                      .tried = {16, 32, 64}},
                     {.name = "VEC_WIDTH",
                      .least = 1,
                      .most = 16,
                      .usual = [](const Setting& at) { return has_groups(at) ? 1 : 16; },
                      .tried = {1, 8, 16}},
                     {.name = "LANES",
                      .least = 1,
                      .most = 32,
                      .usual =
                          [](const Setting& at) {
                            return has_groups(at) ? usual_group(at, 1024) / 64 : 1;
                          },
                      .tried = {1, 4, 8, 16}},
                     {.name = "BLOCK",
                      .least = 16,
                      .most = 512,  // the kernels' macro MOST_COLUMNS
                      .step = 16,
                      .usual = [](const Setting& at) { return is_short(at) ? 32 : 64; },
                      .tried = {32, 64, 128, 192},
                      .macro = false}},
      .lacks = lacks_nothing,
      .ask =
          [](Context& context, RealType type) {
            for (const Index rows : {Index{1}, kManyRows})
              (void)qr_works(context, type, usual_qr_parameters({context.profile(), type, rows}));
          },
      .broken_rule = [](const Parameters& parameters, RealType) -> std::string {
        std::string rule = not_power_of_two(parameters, "LANES");
        if (rule.empty()) rule = not_multiple(parameters, "NB", "VEC_WIDTH");
        return rule.empty() ? not_multiple(parameters, "BLOCK", "NB") : rule;
      },
      .demands =
          [](const Parameters& parameters, RealType type) {
            const auto number = [&](const char* name) {
              return static_cast<std::uint64_t>(value_of(parameters, name));
            };
            const std::uint64_t nb = number("NB"), lanes = number("LANES");
            return std::vector<Demand>{
                {"LANES", nb / number("VEC_WIDTH") * lanes, (lanes + 1) * nb * bytes_of(type)}};
          },
      .workspace_bytes =
          [](const Parameters& parameters, const Setting& at) {
            const auto nb = static_cast<std::uint64_t>(value_of(parameters, "NB"));
            return (2 * at.n + 2 * kMostQrGroups + nb) * nb * bytes_of(at.type);
          }};
  return variant;
}

Variants qr_variants() {
  static const std::array<const KernelVariant*, 1> variants{&qr_variant()};
  return variants;
}

Parameters usual_qr_parameters(const Setting& setting) {
  return usual_parameters(qr_variants(), setting);
}

QrKernels::QrKernels(KernelMemo& kernels, Index rows, const Parameters& parameters)
    : kernels_(kernels),
      parameters_(parameters),
      in_one_launch_(value_of(parameters, "LANES") == 1 && suits_cpu_kernels(kernels.context())) {
  const auto number = [&](const char* name) {
    return static_cast<cl_uint>(value_of(parameters_, name));
  };
  nb_ = number("NB");
  block_ = number("BLOCK");
  lanes_ = number("LANES");
  const std::size_t element = bytes_of(kernels.type());
  Context& context = kernels.context();
  for (cl::Buffer& panel : panels_)
    panel = context.allocate(std::max<Index>(rows, 1) * nb_ * element, kQrSpace);
  parts_ = context.allocate(2 * kMostQrGroups * nb_ * element, kQrSpace);
  gram_ = context.allocate(nb_ * nb_ * element, kQrSpace);
}

Kernel& QrKernels::kernel(const char* name) {
  return kernels_.get(qr_variant().file, name, with_parameters(qr_variant(), parameters_, {}));
}

void QrKernels::factor(const cl::CommandQueue& queue, const Panel& panel) {
  const cl_uint items = nb_ / static_cast<cl_uint>(value_of(parameters_, "VEC_WIDTH"));
  const cl_uint groups =
      in_one_launch_ ? 1 : std::clamp(panel.rows / kRowsPerGroup, 1U, kMostQrGroups);
  const auto enqueue = [&](const Kernel& kernel) {
    enqueue_kernel(queue, kernel, cl::NDRange(items, std::size_t{lanes_} * groups),
                   cl::NDRange(items, lanes_));
  };
  Kernel &load = kernel("qr_load"), &reflect = kernel("qr_reflect");
  cl_uint index = 0;
  pass_view(load, index, panel.a);
  load.set_arguments_from(index, panel.rows, panel.columns, panels_[0], parts_);
  enqueue(load);
  index = 0;
  pass_view(reflect, index, panel.a);
  reflect.set_arguments_from(index, panel.rows, panel.columns, panel.square);
  const cl_uint steps = index + 3;
  index += 5;
  reflect.set_arguments_from(index, panels_[0], panels_[1]);
  index += 2;
  pass_view(reflect, index, panel.v);
  reflect.set_arguments_from(index, parts_, gram_, panel.taus, panel.first);
  const cl_uint of_launch = in_one_launch_ ? panel.columns : 1;
  for (cl_uint step = 0; step < panel.columns; step += of_launch) {
    reflect.set_arguments_from(steps, step, step + of_launch);
    enqueue(reflect);
  }
}

void QrKernels::triangle(const cl::CommandQueue& queue, const MatrixView& gram,
                         const cl::Buffer& taus, cl_uint first, cl_uint columns,
                         const MatrixView& t) {
  Kernel& triangle = kernel("qr_triangle");
  triangle.set_arguments(gram.buffer, static_cast<cl_uint>(gram.ld), taus, first, columns);
  cl_uint index = 5;
  pass_view(triangle, index, t);
  const std::size_t items = in_one_launch_ ? 1 : 64;
  launch_groups(queue, triangle, columns, std::min(items, triangle.work_group_limit));
}

bool qr_works(Context& context, RealType type, const Parameters& parameters) {
  KernelMemo memo(context, type);
  const Defines defines = with_parameters(qr_variant(), parameters, {});
  return memo.works(qr_variant().name, qr_variant().file, defines, [&] {
    constexpr Index kRows = 3 * kRowsPerGroup + 5;
    QrKernels kernels(memo, kRows, parameters);
    for (const Index columns : {Index{kernels.panel_columns()}, Index{5}})
      require_reflections(context, type, kRows, columns, kernels.panel_columns(),
                          [&](const ReflectionsQuestion& q) {
                            kernels.factor(context.queue(),
                                           {q.a, q.v, kRows, static_cast<cl_uint>(columns),
                                            static_cast<cl_uint>(columns) + 3, q.taus, 1});
                            kernels.triangle(context.queue(), kernels.gram(), q.taus, 1,
                                             static_cast<cl_uint>(columns), q.t);
                          });
  });
}

}  // namespace clgauss
