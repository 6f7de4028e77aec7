#include <algorithm>
#include <limits>

#include "kernels/panel_resident.hpp"
#include "kernels/variants.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kSubGroup = 32;  // of all devices with the instructions that the kernel takes

/// A header and a row of each candidate.
ResidentPanel::Packets packets(const Parameters& parameters) {
  const int candidates =
      std::max(value_of(parameters, "SUB_GROUPS"), value_of(parameters, "TALL_SUB_GROUPS"));
  return {.bytes = 2ULL * (1 + kPanelWidth) * sizeof(cl_ulong2) * static_cast<cl_uint>(candidates),
          .last_tag = std::numeric_limits<cl_uint>::max()};
}

/// On an H200 8 sub-groups are best up to 12288 rows, then 15 (fewer candidates to read). In an LU of more than 12288 columns 15 are
/// best for all: the fewer groups, the more units a simultaneous update has (n = 16384, f64: 91 ms instead of 94).
std::vector<ParameterSpec> parameters() {
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
  return {
      {.name = "PERSISTENT",
       .least = 0,
       .most = 1,
       .usual = [](const Setting& at) { return at.device.lacks_ptx().empty() ? 1 : 0; },
       .macro = false},
      sub_groups("SUB_GROUPS", [](const Setting& at) { return at.n > 12288 ? 15 : 8; },
                 {4, 7, 8, 15}),
      {.name = "TALL_ROWS",  // above so many
       .least = 1,
       .most = 1 << 30,
       .usual = [](const Setting&) { return 12288; },
       .macro = false},
      sub_groups("TALL_SUB_GROUPS", [](const Setting&) { return 15; }),
      // Up to so many every sub-group proposes a pivot. On an H200, ms without and with it up to 4096 rows: f32 n = 2048 4.03 and
      // 3.94, 4096 9.93 and 9.76, 8192 22.9 and 21.8; f64 4.13 and 4.20, 9.72 and 10.1, 24.4 and 24.7. Up to 8192 rows, which
      // take two polls a lane, n = 8192 takes 25.7 and 27.3.
      {.name = "EACH_ROWS",
       .least = 0,
       .most = 1 << 30,
       .usual =
           [](const Setting& at) { return at.type == RealType::f32 && at.n <= 12288 ? 4096 : 0; },
       .macro = false},
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
        {name, (static_cast<std::size_t>(value_of(parameters, name)) + 1) * kSubGroup});
  return demands;
}

class PanelPersistent : public ResidentPanel {
 public:
  explicit PanelPersistent(const LuSetting& setting)
      : ResidentPanel(
            panel_persistent_variant(), setting, packets(setting.parameters),
            setting.number("PERSISTENT") == 1 && setting.context().profile().lacks_ptx().empty()),
        sub_groups_(setting.number("SUB_GROUPS")),
        tall_rows_(setting.number("TALL_ROWS")),
        tall_sub_groups_(setting.number("TALL_SUB_GROUPS")),
        each_rows_(setting.number("EACH_ROWS")) {}

 private:
  [[nodiscard]] Shape shape(cl_uint m) const override {
    const cl_uint sub_groups = m <= tall_rows_ ? sub_groups_ : tall_sub_groups_;
    return {sub_groups * kSubGroup, (sub_groups + 1) * kSubGroup, m <= each_rows_ ? sub_groups : 1};
  }

  [[nodiscard]] Defines macros_of(const Shape& shape) const override {
    return with_parameters(
        panel_persistent_variant(), setting().parameters,
        {{"PANEL_WIDTH", std::to_string(kPanelWidth)},
         {"SUB_GROUPS", std::to_string(shape.rows / kSubGroup)},
         {"EACH", shape.candidates > 1 ? "1" : "0"},
         {"SPIN_LIMIT", std::to_string(value_of(setting().parameters, "SPIN_LIMIT"))}});
  }

  [[nodiscard]] cl_uint tallest_like(cl_uint m, cl_uint n) const override {
    const auto [low, high] = std::minmax(tall_rows_, each_rows_);
    return m <= low ? std::min(low, n) : m <= high ? std::min(high, n) : n;
  }

  cl_uint sub_groups_, tall_rows_, tall_sub_groups_, each_rows_;
};

}  // namespace

const KernelVariant& panel_persistent_variant() {
  static const KernelVariant variant{
      .name = "lu_panel_persistent",
      .file = "lu_panel_persistent.cl",
      .parameters = parameters(),
      .lacks = lacks_ptx,
      .ask =
          [](Context& context, RealType type) {
            ask_panels(context, type, make_panel_persistent, {UsualLu::kRows});
          },
      .demands = groups,
      .workspace_bytes =
          [](const Parameters& parameters, const Setting& at) {
            return value_of(parameters, "PERSISTENT") == 1
                       ? exchange_bytes(at.device, packets(parameters).bytes)
                       : 0;
          }};
  return variant;
}

std::unique_ptr<PanelKernel> make_panel_persistent(const LuSetting& setting) {
  return std::make_unique<PanelPersistent>(setting);
}

}  // namespace clgauss
