#include "kernels/lu/lu_panel_resident.hpp"

#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/lu/known_answers.hpp"

namespace clgauss {

std::uint64_t exchange_bytes(const DeviceProfile& device, std::uint64_t of_a_group) {
  return device.compute_units * of_a_group;
}

ResidentPanel::ResidentPanel(const KernelVariant& variant, const LuSetting& setting,
                             Packets packets, bool wanted)
    : variant_(variant),
      setting_(setting),
      wanted_(wanted),
      most_groups_(setting.context().profile().compute_units),
      exchange_(exchange_bytes(setting.context().profile(), packets.bytes), packets.last_tag) {}

bool ResidentPanel::fits(cl_uint m) const {
  return wanted_ && ceil_div(m, shape(m).rows) <= most_groups_;
}

bool ResidentPanel::works(cl_uint /*m*/) {
  if (!works_) works_ = works_up_to(static_cast<cl_uint>(setting_.n));
  return *works_;
}

void ResidentPanel::factor(const cl::CommandQueue& queue, const Panel& panel) {
  factor_as(queue, panel, shape(panel.m));
}

cl_uint ResidentPanel::groups_for(const Panel& panel, const Shape& shape) const {
  return ceil_div(panel.m, shape.rows);
}

cl_uint ResidentPanel::waiting_groups(cl_uint m) const { return ceil_div(m, shape(m).rows); }

/// For every shape of panels of up to `n` rows: runs the self-test with one group and with several,
/// and then, the first time, launches as many groups as the panels need. If a group is not
/// resident, the others run into the spin limit. OpenCL does not guarantee that all are resident
/// (occupancy-bound execution: Sorensen et al., OOPSLA 2016).
bool ResidentPanel::works_up_to(cl_uint n) {
  KernelTrials& trials = setting_.context().trials();
  for (cl_uint m = tallest_like(1, n);; m = tallest_like(m + 1, n)) {
    const Shape its = shape(m);
    const Defines macros = macros_of(its);
    const bool right =
        setting_.kernels.works(variant_.name, variant_.file, macros, [&] { ask(its); });
    if (!right) return false;
    if (const cl_uint highest = std::min(m, most_groups_ * its.rows);
        highest > its.rows &&
        !trials.resident({variant_.name, variant_.file, setting_.kernels.all(macros)},
                         ceil_div(highest, its.rows), [&] { return all_resident(highest, its); })) {
      trials.pass_over({variant_.name, variant_.file, macros}, kNotResident);
      return false;
    }
    if (m >= n) return true;
  }
}

/// The self-test with one work-group, then with two or three.
void ResidentPanel::ask(const Shape& shape) {
  Context& context = setting_.context();
  const cl_uint most = most_groups_ * shape.rows - 3;
  for (const cl_uint m : {shape.rows - 5, std::min(2 * shape.rows + 21, most)}) {
    const auto panel = [&](const MatrixView& a, const cl::Buffer& pivots, cl_uint beside) {
      return Panel{a, m, kPanelWidth, 0, pivots, beside, beside};
    };
    constexpr cl_uint kBeside = kPanelWidth - 3;
    const cl_uint beside = works_beside(panel({}, {}, kBeside)) ? kBeside : 0;
    require_panel(context, setting_.kernels.number(), m, kPanelWidth, beside, true,
                  [&](const MatrixView& a, const cl::Buffer& pivots) {
                    factor_as(context.queue(), panel(a, pivots, beside), shape);
                    if (gave_up()) throw DeviceLimit(kNotResident);
                  });
  }
}

bool ResidentPanel::gave_up() {
  const cl::CommandQueue& queue = setting_.context().queue();
  const bool gave_up = setting_.flags.read(queue).gave_up;
  setting_.flags.reset(queue);
  return gave_up;
}

bool ResidentPanel::all_resident(cl_uint m, const Shape& shape) {
  Context& context = setting_.context();
  const std::uint64_t bytes = std::uint64_t{m} * kPanelWidth * setting_.kernels.number().bytes();
  const MatrixView a{context.allocate(bytes, "the probe of a panel"), 0, kPanelWidth};
  const cl::Buffer pivots = context.allocate(kPanelWidth * sizeof(cl_int), "the probe of a panel");
  context.queue().enqueueFillBuffer(a.buffer, cl_uchar{0x3f}, 0, bytes);
  factor_as(context.queue(), {a, m, kPanelWidth, 0, pivots}, shape);
  return !gave_up();
}

Kernel& ResidentPanel::kernel(const Shape& shape) {
  Kernel*& built = built_[shape];
  if (built == nullptr)
    built = &setting_.kernels.get(variant_.file, variant_.name, macros_of(shape));
  return *built;
}

void ResidentPanel::factor_as(const cl::CommandQueue& queue, const Panel& panel,
                              const Shape& shape) {
  Kernel& resident = kernel(shape);
  const auto [packets, epoch] = exchange_.next(setting_.context(), queue, panel.width);
  cl_uint index = 0;
  const auto pass = [&](const auto&... arguments) {
    resident.set_arguments_from(index, arguments...);
    index += sizeof...(arguments);
  };
  pass_view(resident, index, panel.a);
  pass(panel.m, panel.width);
  pass_beside(resident, index, panel);
  pass(panel.row, panel.pivots, cl_ulong{panel.row}, setting_.flags.buffer(), packets, epoch);
  launch_groups(queue, resident, groups_for(panel, shape), shape.work_items);
}

}  // namespace clgauss
