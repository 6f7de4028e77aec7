#include <map>

#include "kernels/known_answers.hpp"
#include "kernels/panel.hpp"
#include "kernels/variants.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kSmallGroup = 64;  // work-items for panels of no more rows

class PanelGroup : public PanelKernel {
 public:
  explicit PanelGroup(const LuSetting& setting)
      : setting_(setting), group_rows_(setting.number("GROUP_ROWS")) {}

  bool fits(cl_uint m) const override { return m <= group_rows_; }

  bool works(cl_uint m) override {
    std::optional<bool>& known = works_[group_for(m)];
    const KernelVariant& variant = panel_group_variant();
    if (!known)
      known = setting_.kernels.works(variant.name, variant.file, macros(m), [&] { ask(m); });
    return *known;
  }

  Defines macros(cl_uint m) const override {
    return with_parameters(
        panel_group_variant(), setting_.parameters,
        {{"PANEL_WIDTH", std::to_string(kPanelWidth)}, {"WG_SIZE", std::to_string(group_for(m))}});
  }

  void build(cl_uint m) override { (void)kernel(m); }

  void factor(const cl::CommandQueue& queue, const Panel& panel) override {
    Kernel& group = kernel(panel.m);
    cl_uint index = 0;
    pass_view(group, index, panel.a);
    group.set_arguments_from(index, panel.m, panel.width, panel.row, panel.pivots,
                             cl_ulong{panel.row}, setting_.flags.buffer());
    launch_groups(queue, group, 1, group_for(panel.m));
  }

 private:
  [[nodiscard]] cl_uint group_for(cl_uint m) const {
    return m <= kSmallGroup ? kSmallGroup : group_rows_;
  }

  Kernel& kernel(cl_uint m) {
    return setting_.kernels.get(panel_group_variant().file, "lu_panel_group", macros(m));
  }

  void ask(cl_uint as_for) {
    Context& context = setting_.context();
    const cl_uint m = group_for(as_for) - 3;
    require_panel(context, setting_.kernels.type(), m, kPanelWidth, true,
                  [&](const MatrixView& a, const cl::Buffer& pivots) {
                    factor(context.queue(), {a, m, kPanelWidth, 0, pivots});
                  });
  }

  LuSetting setting_;
  cl_uint group_rows_;
  std::map<cl_uint, std::optional<bool>> works_;  // by work-group
};

}  // namespace

const KernelVariant& panel_group_variant() {
  static const KernelVariant variant{
      .name = "lu_panel_group",
      .file = "lu_panel_group.cl",
      .parameters = {{.name = "GROUP_ROWS",  // up to so many rows; 0 = never
                      .least = 0,
                      .most = 1024,
                      .step = 64,
                      .usual = [](const Setting&) { return 256; },
                      .tried = {0, 256, 512},
                      .macro = false}},
      .lacks = lacks_nothing,
      .ask =
          [](Context& context, RealType type) {
            ask_panels(context, type, make_panel_group, {kSmallGroup, kSmallGroup + 1});
          },
      .demands =
          [](const Parameters& parameters, RealType) {
            return std::vector<Demand>{
                {"GROUP_ROWS", static_cast<std::size_t>(value_of(parameters, "GROUP_ROWS"))}};
          }};
  return variant;
}

std::unique_ptr<PanelKernel> make_panel_group(const LuSetting& setting) {
  return std::make_unique<PanelGroup>(setting);
}

}  // namespace clgauss
