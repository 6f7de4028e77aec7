#include "kernels/lu/lu_panel_alone.hpp"

#include "kernels/lu/known_answers.hpp"

namespace clgauss {

bool PanelAlone::works(cl_uint m) {
  const cl_uint rows = shape(m).rows;
  std::optional<bool>& known = works_[rows];
  if (!known)
    known = setting_.kernels.works(variant_.name, variant_.file, macros(m), [&] { ask(rows - 3); });
  return *known;
}

void PanelAlone::factor(const cl::CommandQueue& queue, const Panel& panel) {
  Kernel& alone = kernel(panel.m);
  cl_uint index = 0;
  pass_view(alone, index, panel.a);
  alone.set_arguments_from(index, panel.m, panel.width, panel.row, panel.pivots,
                           cl_ulong{panel.row}, setting_.flags.buffer());
  launch_groups(queue, alone, 1, shape(panel.m).work_items);
}

Kernel& PanelAlone::kernel(cl_uint m) {
  Kernel*& built = built_[shape(m).rows];
  if (built == nullptr) built = &setting_.kernels.get(variant_.file, variant_.name, macros(m));
  return *built;
}

void PanelAlone::ask(cl_uint m) {
  Context& context = setting_.context();
  require_panel(context, setting_.kernels.number(), m, kPanelWidth, 0, true,
                [&](const MatrixView& a, const cl::Buffer& pivots) {
                  factor(context.queue(), {a, m, kPanelWidth, 0, pivots});
                });
}

}  // namespace clgauss
