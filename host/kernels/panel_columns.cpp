#include <map>

#include "kernels/cpu_tile.hpp"
#include "kernels/known_answers.hpp"
#include "kernels/panel.hpp"
#include "kernels/variants.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kSubGroups = 8, kSubGroup = 32;

/// What 255 registers a work-item hold: four columns of so many rows a lane.
int most_rows(RealType type) { return type == RealType::f64 ? 640 : 1024; }

/// On an H200 0.55 us a column for 128 rows, f64, and 1.05 for 640, where lu_panel_persistent.cl takes 0.95 to 1.75.
class PanelColumns : public PanelKernel {
 public:
  explicit PanelColumns(const LuSetting& setting)
      : setting_(setting), rows_(setting.number("COLUMNS_ROWS")) {}

  bool fits(cl_uint m) const override {
    return m <= rows_ && setting_.context().profile().lacks_ptx().empty();
  }

  bool works(cl_uint m) override {
    std::optional<bool>& known = works_[lane_rows(m)];
    const KernelVariant& variant = panel_columns_variant();
    if (!known)
      known = setting_.kernels.works(variant.name, variant.file, macros(m), [&] { ask(m); });
    return *known;
  }

  Defines macros(cl_uint m) const override {
    return with_parameters(panel_columns_variant(), setting_.parameters,
                           {{"PANEL_WIDTH", std::to_string(kPanelWidth)},
                            {"SUB_GROUPS", std::to_string(kSubGroups)},
                            {"LANE_ROWS", std::to_string(lane_rows(m))}});
  }

  void build(cl_uint m) override { (void)kernel(m); }

  void factor(const cl::CommandQueue& queue, const Panel& panel) override {
    Kernel& columns = kernel(panel.m);
    cl_uint index = 0;
    pass_view(columns, index, panel.a);
    columns.set_arguments_from(index, panel.m, panel.width, panel.row, panel.pivots,
                               cl_ulong{panel.row}, setting_.flags.buffer());
    launch_groups(queue, columns, 1, kSubGroups * kSubGroup);
  }

 private:
  /// 4, and from there on in steps: every number is a program to be built.
  [[nodiscard]] cl_uint lane_rows(cl_uint m) const {
    const cl_uint rows = ceil_div(m, kSubGroup),
                  step = setting_.kernels.type() == RealType::f64 ? 4 : 8;
    return rows <= 4 ? 4 : round_up(rows, step);
  }

  Kernel& kernel(cl_uint m) {
    return setting_.kernels.get(panel_columns_variant().file, "lu_panel_columns", macros(m));
  }

  void ask(cl_uint as_for) {
    Context& context = setting_.context();
    const cl_uint m = lane_rows(as_for) * kSubGroup - 5;
    require_panel(context, setting_.kernels.type(), m, kPanelWidth, true,
                  [&](const MatrixView& a, const cl::Buffer& pivots) {
                    factor(context.queue(), {a, m, kPanelWidth, 0, pivots});
                  });
  }

  LuSetting setting_;
  cl_uint rows_;
  std::map<cl_uint, std::optional<bool>> works_;  // by rows a lane
};

}  // namespace

const KernelVariant& panel_columns_variant() {
  static const KernelVariant variant{
      .name = "lu_panel_columns",
      .file = "lu_panel_columns.cl",
      .parameters = {{.name = "COLUMNS_ROWS",  // up to so many rows; 0 = never
                      .least = 0,
                      .most = 1024,
                      .usual =
                          [](const Setting& at) {
                            return at.device.lacks_ptx().empty() ? most_rows(at.type) : 0;
                          },
                      .macro = false}},
      .lacks = lacks_ptx,
      .ask =
          [](Context& context, RealType type) {
            ask_panels(context, type, make_panel_columns, {128, 256, 512});
          },
      .broken_rule = [](const Parameters& parameters, RealType type) -> std::string {
        return value_of(parameters, "COLUMNS_ROWS") > most_rows(type)
                   ? "COLUMNS_ROWS must be at most " + std::to_string(most_rows(type))
                   : "";
      },
      .demands = [](const Parameters& parameters, RealType) -> std::vector<Demand> {
        if (value_of(parameters, "COLUMNS_ROWS") == 0) return {};
        return {{"COLUMNS_ROWS", kSubGroups * kSubGroup}};
      }};
  return variant;
}

std::unique_ptr<PanelKernel> make_panel_columns(const LuSetting& setting) {
  return std::make_unique<PanelColumns>(setting);
}

}  // namespace clgauss
