#include <algorithm>
#include <array>
#include <limits>

#include "kernels/panel_resident.hpp"
#include "kernels/variants.hpp"

namespace clgauss {

namespace {

constexpr int kAnyHeight = 1 << 30;  // n itself is not larger
constexpr cl_uint kSubGroup = 32;    // of all devices with the instructions that the kernel takes
constexpr std::array kRows{"ROWS_1", "ROWS_2", "ROWS_3", "ROWS_4"};
constexpr std::array kSubGroups{"SUB_GROUPS_1", "SUB_GROUPS_2", "SUB_GROUPS_3", "SUB_GROUPS_4",
                                "SUB_GROUPS_5"};

constexpr ResidentPanel::Packets kPackets{.bytes = 2ULL * (1 + kPanelWidth) * sizeof(cl_ulong2),
                                          .last_tag = std::numeric_limits<cl_uint>::max()};

/// On an H200: up to 480 rows one group, which need not wait for others (0.95, 1.03, 1.3 us a column instead of 1.75 with two
/// groups or more); 8 sub-groups are best up to 12288 rows, then 15 (fewer candidates to read). In an LU of more than 12288 columns
/// 15 are best for all these: the fewer groups, the more units a simultaneous update has (n = 16384, f64: 91 ms instead of 94).
std::vector<ParameterSpec> parameters() {
  const auto rows = [](const char* name, int (*usual)(const Setting&)) {
    return ParameterSpec{
        .name = name, .least = 1, .most = kAnyHeight, .usual = usual, .macro = false};
  };
  const auto sub_groups = [](const char* name, int (*usual)(const Setting&),
                             std::vector<int> tried = {}) {
    return ParameterSpec{.name = name,
                         .least = 1,
                         .most = 31,
                         .usual = usual,
                         .tried = std::move(tried),
                         .macro = false};
  };
  // PERSISTENT is not tuned: without it partial pivoting becomes tournament pivoting.
  return {{.name = "PERSISTENT",
           .least = 0,
           .most = 1,
           .usual = [](const Setting& at) { return at.device.lacks_ptx().empty() ? 1 : 0; },
           .macro = false},
          rows("ROWS_1", [](const Setting&) { return 128; }),
          sub_groups("SUB_GROUPS_1", [](const Setting&) { return 4; }),
          rows("ROWS_2", [](const Setting&) { return 256; }),
          sub_groups("SUB_GROUPS_2", [](const Setting&) { return 8; }),
          rows("ROWS_3", [](const Setting&) { return 480; }),
          sub_groups("SUB_GROUPS_3", [](const Setting&) { return 15; }),
          rows("ROWS_4", [](const Setting&) { return 12288; }),
          sub_groups("SUB_GROUPS_4", [](const Setting& at) { return at.n > 12288 ? 15 : 8; },
                     {4, 7, 8, 15}),
          sub_groups("SUB_GROUPS_5", [](const Setting&) { return 15; }),
          {.name = "SPIN_LIMIT",
           .least = 1,
           .most = 1 << 30,
           .usual = [](const Setting&) { return kSpinLimit; },
           .macro = false}};
}

std::string rows_out_of_order(const Parameters& parameters, RealType /*type*/) {
  int below = 0;
  for (const char* name : kRows) {
    const int rows = value_of(parameters, name);
    if (rows <= below) return std::string(name) + " must be above the one before";
    below = rows;
  }
  return {};
}

std::vector<Demand> groups(const Parameters& parameters, RealType /*type*/) {
  if (value_of(parameters, "PERSISTENT") == 0) return {};
  std::vector<Demand> demands;
  for (const char* name : kSubGroups)
    demands.push_back(
        {name, (static_cast<std::size_t>(value_of(parameters, name)) + 1) * kSubGroup});
  return demands;
}

class PanelPersistent : public ResidentPanel {
 public:
  explicit PanelPersistent(const LuSetting& setting)
      : ResidentPanel(
            panel_persistent_variant(), setting, kPackets,
            setting.number("PERSISTENT") == 1 && setting.context().profile().lacks_ptx().empty()) {
    const auto number = [&](const char* name) { return setting.number(name); };
    std::ranges::transform(kRows, rows_.begin(), number);
    std::ranges::transform(kSubGroups, sub_groups_.begin(), number);
  }

 private:
  [[nodiscard]] Shape shape(cl_uint m) const override {
    const cl_uint sub_groups = sub_groups_[range_of(m)];
    return {sub_groups * kSubGroup, (sub_groups + 1) * kSubGroup};
  }

  [[nodiscard]] Defines macros_of(const Shape& shape) const override {
    return with_parameters(
        panel_persistent_variant(), setting().parameters,
        {{"PANEL_WIDTH", std::to_string(kPanelWidth)},
         {"SUB_GROUPS", std::to_string(shape.rows / kSubGroup)},
         {"SPIN_LIMIT", std::to_string(value_of(setting().parameters, "SPIN_LIMIT"))}});
  }

  [[nodiscard]] cl_uint tallest_like(cl_uint m, cl_uint n) const override {
    const std::size_t range = range_of(m);
    return range < rows_.size() ? std::min(rows_[range], n) : n;
  }

  /// Of the parameters, which panels of `m` rows take.
  [[nodiscard]] std::size_t range_of(cl_uint m) const {
    return static_cast<std::size_t>(
        std::ranges::find_if(rows_, [&](cl_uint up_to) { return m <= up_to; }) - rows_.begin());
  }

  std::array<cl_uint, kRows.size()> rows_;
  std::array<cl_uint, kSubGroups.size()> sub_groups_;
};

}  // namespace

const KernelVariant& panel_persistent_variant() {
  static const KernelVariant variant{.name = "lu_panel_persistent",
                                     .file = "lu_panel_persistent.cl",
                                     .parameters = parameters(),
                                     .lacks = lacks_ptx,
                                     .ask =
                                         [](Context& context, RealType type) {
                                           ask_panels(context, type, make_panel_persistent,
                                                      {UsualLu::kRows});
                                         },
                                     .broken_rule = rows_out_of_order,
                                     .demands = groups,
                                     .workspace_bytes =
                                         [](const Parameters& parameters, const Setting& at) {
                                           return value_of(parameters, "PERSISTENT") == 1
                                                      ? exchange_bytes(at.device, kPackets.bytes)
                                                      : 0;
                                         }};
  return variant;
}

std::unique_ptr<PanelKernel> make_panel_persistent(const LuSetting& setting) {
  return std::make_unique<PanelPersistent>(setting);
}

}  // namespace clgauss
