#include <algorithm>
#include <limits>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_panel_resident.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kOthers = 2;  // sub-groups of a work-group that own no rows

/// A work-group's packets for a column are a header and a row. Each packet carries 8 bytes of a
/// number.
ResidentPanel::Packets packets_of(NumberType number) {
  const std::uint64_t of_a_number = (number.bytes() + 7) / 8;
  return {.bytes = 2 * (1 + of_a_number * kPanelWidth) * sizeof(cl_ulong2),
          .last_tag = std::numeric_limits<cl_uint>::max()};
}

/// With more sub-groups, the registers would not hold rows of complex f64.
constexpr cl_uint kMostOfWideRows = 8;

/// Work-groups that a panel gets for the columns beside it, if its own rows need fewer.
constexpr cl_uint kGroupsBeside = 8;

/// Sub-groups that own rows. On an H200, 8 are best up to 12288 rows, and 14 above (fewer
/// candidates to read). In an LU of more than 12288 columns, 14 are best for all panels: fewer
/// groups leave more units to a simultaneous update (n = 16384, f64: 91 ms instead of 94).
std::vector<ParameterSpec> persistent_parameters() {
  const auto sub_groups = [](const char* name, int (*usual)(const Setting&),
                             std::vector<int> tried = {}) {
    return ParameterSpec{.name = name,
                         .least = 1,
                         .most = 30,
                         .usual = usual,
                         .tried = std::move(tried),
                         .macro = false};
  };
  // PERSISTENT is not tuned, because 0 replaces partial pivoting by tournament pivoting.
  return {{.name = "PERSISTENT",
           .least = 0,
           .most = 1,
           .usual = [](const Setting& at) { return at.device.lacks_ptx().empty() ? 1 : 0; },
           .macro = false},
          sub_groups("SUB_GROUPS", [](const Setting& at) { return at.n > 12288 ? 14 : 8; },
                     {4, 7, 8, 14}),
          {.name = "TALL_ROWS",  // TALL_SUB_GROUPS are used above this
           .least = 1,
           .most = 1 << 30,
           .usual = [](const Setting&) { return 12288; },
           .macro = false},
          sub_groups("TALL_SUB_GROUPS", [](const Setting&) { return 14; }),
          {.name = "SPIN_LIMIT",
           .least = 1,
           .most = 1 << 30,
           .usual = [](const Setting&) { return kSpinLimit; },
           .macro = false}};
}

std::vector<Demand> groups(const Parameters& parameters, RealType /*type*/) {
  if (value_of(parameters, "PERSISTENT") == 0) return {};
  std::vector<Demand> demands;
  for (const char* name : {"SUB_GROUPS", "TALL_SUB_GROUPS"})
    demands.push_back(
        {name, (static_cast<std::size_t>(value_of(parameters, name)) + kOthers) * kSubGroup});
  return demands;
}

class PanelPersistent : public ResidentPanel {
 public:
  explicit PanelPersistent(const LuSetting& setting)
      : ResidentPanel(
            panel_persistent_variant(), setting, packets_of(setting.kernels.number()),
            setting.number("PERSISTENT") == 1 && setting.context().profile().lacks_ptx().empty()),
        sub_groups_(setting.number("SUB_GROUPS")),
        tall_rows_(setting.number("TALL_ROWS")),
        tall_sub_groups_(setting.number("TALL_SUB_GROUPS")) {}

  /// A work-group handles 32 columns beside the panel.
  bool works_beside(const Panel& panel) const override {
    return strips_beside(panel) <= groups_allowed(panel.m);
  }

  cl_uint waiting_groups(cl_uint m) const override { return groups_allowed(m); }

 private:
  [[nodiscard]] static cl_uint strips_beside(const Panel& panel) {
    return ceil_div(panel.left, kSubGroup) + ceil_div(panel.right, kSubGroup);
  }

  /// The most work-groups for a panel of `m` rows: the self-test has shown that this many can be
  /// resident.
  [[nodiscard]] cl_uint groups_allowed(cl_uint m) const {
    const auto groups_of = [&](cl_uint rows) { return ceil_div(rows, shape(rows).rows); };
    return std::max(groups_of(m),
                    std::min(kGroupsBeside, groups_of(static_cast<cl_uint>(setting().n))));
  }

  [[nodiscard]] cl_uint groups_for(const Panel& panel, const Shape& shape) const override {
    const cl_uint groups = ResidentPanel::groups_for(panel, shape);
    return works_beside(panel) ? std::max(groups, strips_beside(panel)) : groups;
  }

  void pass_beside(Kernel& kernel, cl_uint& index, const Panel& panel) const override {
    const bool all = works_beside(panel);
    kernel.set_arguments_from(index, all ? panel.left : 0U, all ? panel.right : 0U);
    index += 2;
  }

  [[nodiscard]] Shape shape(cl_uint m) const override {
    cl_uint sub_groups = m <= tall_rows_ ? sub_groups_ : tall_sub_groups_;
    if (setting().kernels.number().bytes() > 8) sub_groups = std::min(sub_groups, kMostOfWideRows);
    return {sub_groups * kSubGroup, (sub_groups + kOthers) * kSubGroup};
  }

  [[nodiscard]] Defines macros_of(const Shape& shape) const override {
    return with_parameters(
        panel_persistent_variant(), setting().parameters,
        {{"PANEL_WIDTH", std::to_string(kPanelWidth)},
         {"SUB_GROUPS", std::to_string(shape.rows / kSubGroup)},
         {"SPIN_LIMIT", std::to_string(value_of(setting().parameters, "SPIN_LIMIT"))}});
  }

  [[nodiscard]] cl_uint tallest_like(cl_uint m, cl_uint n) const override {
    return m <= tall_rows_ ? std::min(tall_rows_, n) : n;
  }

  cl_uint sub_groups_, tall_rows_, tall_sub_groups_;
};

}  // namespace

const KernelVariant& panel_persistent_variant() {
  static const KernelVariant variant{
      .name = "lu_panel_persistent",
      .file = "lu_panel_persistent.cl",
      .parameters = persistent_parameters(),
      .lacks = lacks_ptx,
      .ask =
          [](Context& context, RealType type) {
            ask_panels(context, type, make_panel_persistent, {UsualLu::kRows});
          },
      .demands = groups,
      .workspace_bytes =
          [](const Parameters& parameters, const Setting& at) {
            return value_of(parameters, "PERSISTENT") == 1
                       ? exchange_bytes(at.device, packets_of(at.type).bytes)
                       : 0;
          }};
  return variant;
}

std::unique_ptr<PanelKernel> make_panel_persistent(const LuSetting& setting) {
  return std::make_unique<PanelPersistent>(setting);
}

}  // namespace clgauss
