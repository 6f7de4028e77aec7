#include <algorithm>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_panel_resident.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kWaiters = 64;  // the kernel's macro WAITERS
constexpr int kUsualRows = 256;

ResidentPanel::Packets packets_of(const DeviceProfile& device, NumberType number) {
  const unsigned bits = packet_bits(device);
  return {
      .bytes =
          2 * bits / 8 *
          packets_for(sizeof(cl_uint) + bytes_of(number.real) + number.bytes() * kPanelWidth, bits),
      .last_tag = last_tag(bits)};
}

/// The resources of a work-group that owns `rows` rows: the kernel's arrays, rounded up.
Demand demand(cl_uint rows, NumberType number) {
  return {"WAITING_ROWS", rows + kWaiters,
          rows * (9 * number.bytes() + bytes_of(number.real) + 4) + 4096};
}

bool has_room(const DeviceProfile& device, cl_uint rows, NumberType number) {
  const Demand its = demand(rows, number);
  return its.work_items <= device.max_work_group_size &&
         its.local_bytes <= device.static_local_bytes();
}

int usual_waiting_rows(const Setting& at) {
  if (!lacks_residency(at.device).empty()) return 0;
  int rows = kUsualRows;
  while (rows > 0 && !has_room(at.device, static_cast<cl_uint>(rows), at.type)) rows -= 64;
  return rows;
}

class PanelWaiting : public ResidentPanel {
 public:
  explicit PanelWaiting(const LuSetting& setting)
      : ResidentPanel(panel_waiting_variant(), setting,
                      packets_of(setting.context().profile(), setting.kernels.number()),
                      setting.number("WAITING_ROWS") > 0 &&
                          lacks_residency(setting.context().profile()).empty()),
        rows_(setting.number("WAITING_ROWS")) {}

 private:
  /// The rows of a group: the usual number, less if that does not fit, and as much more as fits if
  /// the device has too few units for the panel.
  [[nodiscard]] cl_uint rows_for(cl_uint m) const {
    const DeviceProfile& device = setting().context().profile();
    const NumberType number = setting().kernels.number();
    cl_uint rows = rows_;
    while (rows > kWaiters && !has_room(device, rows, number)) rows /= 2;
    while (ceil_div(m, rows) > most_groups() && has_room(device, 2 * rows, number)) rows *= 2;
    return rows;
  }

  [[nodiscard]] Shape shape(cl_uint m) const override {
    const cl_uint rows = rows_for(m);
    return {rows, rows + kWaiters};
  }

  [[nodiscard]] Defines macros_of(const Shape& shape) const override {
    return with_parameters(
        panel_waiting_variant(), setting().parameters,
        {{"PANEL_WIDTH", std::to_string(kPanelWidth)},
         {"ROWS", std::to_string(shape.rows)},
         {"PACKET_BITS", std::to_string(packet_bits(setting().context().profile()))},
         {"SPIN_LIMIT", std::to_string(value_of(setting().parameters, "SPIN_LIMIT"))}});
  }

  [[nodiscard]] cl_uint tallest_like(cl_uint m, cl_uint n) const override {
    const cl_uint rows = rows_for(m), most = most_groups() * rows;
    return rows == rows_for(n) ? n : std::min(most, n);
  }

  cl_uint rows_;
};

}  // namespace

const KernelVariant& panel_waiting_variant() {
  static const KernelVariant variant{
      .name = "lu_panel_waiting",
      .file = "lu_panel_waiting.cl",
      .parameters = {{.name = "WAITING_ROWS",  // rows per work-group; 0 = never used
                      .least = 0,
                      .most = 960,
                      .step = 64,
                      .usual = usual_waiting_rows,
                      .tried = {128, 256, 512},
                      .macro = false}},
      .lacks = [](Context& context) { return lacks_residency(context.profile()); },
      .ask =
          [](Context& context, RealType type) {
            ask_panels(context, type, make_panel_waiting, {UsualLu::kRows, 2 * kUsualRows});
          },
      .demands =
          [](const Parameters& parameters, RealType type) {
            return std::vector{
                demand(static_cast<cl_uint>(value_of(parameters, "WAITING_ROWS")), type)};
          },
      .workspace_bytes =
          [](const Parameters& parameters, const Setting& at) {
            return value_of(parameters, "WAITING_ROWS") > 0
                       ? exchange_bytes(at.device, packets_of(at.device, at.type).bytes)
                       : 0;
          }};
  return variant;
}

std::unique_ptr<PanelKernel> make_panel_waiting(const LuSetting& setting) {
  return std::make_unique<PanelWaiting>(setting);
}

}  // namespace clgauss
