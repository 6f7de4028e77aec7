#include <algorithm>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_panel_alone.hpp"

namespace clgauss {

namespace {

/// With 8 it is as fast, but NVIDIA's compiler takes up to twice as long.
constexpr cl_uint kSubGroups = 16;

/// With this many rows, four columns fill a lane's 255 registers. Two columns would leave room for
/// more rows; that was not tried. Complex f64 numbers do not fit local memory.
int most_rows(NumberType number) {
  return number.bytes() > 8 ? 0 : number.bytes() == 8 ? 640 : 1024;
}

/// On an H200 in f64, a column takes 0.55 us for 128 rows and 1.05 for 640; lu_panel_persistent.cl
/// takes 0.95 to 1.75. In complex f32 it takes 0.61 us for 128 rows, 1.16 for 500 and 1.32 for 640.
class PanelColumns : public PanelAlone {
 public:
  explicit PanelColumns(const LuSetting& setting)
      : PanelAlone(panel_columns_variant(), setting),
        rows_(std::min(setting.number("COLUMNS_ROWS"),
                       static_cast<cl_uint>(most_rows(setting.kernels.number())))) {}

  bool fits(cl_uint m) const override {
    return m <= rows_ && setting().context().profile().lacks_ptx().empty();
  }

 private:
  /// 4 rows per lane, above that in larger steps, because every number of rows needs a build of its
  /// own.
  [[nodiscard]] Shape shape(cl_uint m) const override {
    const cl_uint step = setting().kernels.number().bytes() == 8 ? 4 : 8,
                  rows = ceil_div(m, kSubGroup);
    return {(rows <= 4 ? 4 : round_up(rows, step)) * kSubGroup, kSubGroups * kSubGroup};
  }

  [[nodiscard]] Defines macros_of(const Shape& shape) const override {
    return with_parameters(panel_columns_variant(), setting().parameters,
                           {{"PANEL_WIDTH", std::to_string(kPanelWidth)},
                            {"SUB_GROUPS", std::to_string(kSubGroups)},
                            {"LANE_ROWS", std::to_string(shape.rows / kSubGroup)}});
  }

  cl_uint rows_;
};

}  // namespace

const KernelVariant& panel_columns_variant() {
  static const KernelVariant variant{
      .name = "lu_panel_columns",
      .file = "lu_panel_columns.cl",
      .parameters = {{.name = "COLUMNS_ROWS",  // most rows; 0 = never used
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
