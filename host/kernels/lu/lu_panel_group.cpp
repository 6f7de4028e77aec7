#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_panel_alone.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kSmallGroup = 64;  // work-items for panels of at most as many rows

class PanelGroup : public PanelAlone {
 public:
  explicit PanelGroup(const LuSetting& setting)
      : PanelAlone(panel_group_variant(), setting), group_rows_(setting.number("GROUP_ROWS")) {}

  bool fits(cl_uint m) const override { return m <= group_rows_; }

 private:
  [[nodiscard]] Shape shape(cl_uint m) const override {
    const cl_uint rows = m <= kSmallGroup ? kSmallGroup : group_rows_;
    return {rows, rows};
  }

  [[nodiscard]] Defines macros_of(const Shape& shape) const override {
    return with_parameters(panel_group_variant(), setting().parameters,
                           {{"PANEL_WIDTH", std::to_string(kPanelWidth)},
                            {"WG_SIZE", std::to_string(shape.work_items)}});
  }

  cl_uint group_rows_;
};

}  // namespace

const KernelVariant& panel_group_variant() {
  static const KernelVariant variant{
      .name = "lu_panel_group",
      .file = "lu_panel_group.cl",
      .parameters = {{.name = "GROUP_ROWS",  // most rows; 0 = never used
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
