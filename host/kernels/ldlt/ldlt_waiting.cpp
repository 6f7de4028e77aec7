#include "kernels/ldlt/ldlt_waiting.hpp"

#include <algorithm>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/ldlt/ldlt.hpp"

namespace clgauss {

namespace {

constexpr const char* kWhat = "the workspace of L D L^T";
constexpr cl_uint kUsualRows = 128, kMostRows = 512;

/// The resources of a work-group; its local memory is rounded up.
Demand demand(NumberType number, cl_uint rows) {
  const Index width = LdltWaiting::width(number);
  return {"ROWS", rows, (width + 12) * width * number.bytes() + 20 * rows + 1024};
}

/// Of the packets of all work-groups, for two exchanges.
std::uint64_t exchange_bytes_of(const DeviceProfile& device, NumberType number, cl_uint width) {
  const unsigned bits = packet_bits(device);
  const std::uint64_t header = bytes_of(number.real) + 2 * sizeof(cl_uint),
                      row = (width + 1) * number.bytes();
  return 2 * bits / 8 * packets_for(device.compute_units * (header + row) + row, bits);
}

}  // namespace

const KernelVariant& ldlt_waiting_variant() {
  static const KernelVariant variant{
      .name = "ldlt_panel_waiting",
      .file = "ldlt_panel_waiting.cl",
      .parameters = {{.name = "ROWS",  // per work-group; 0 = never used
                      .least = 0,
                      .most = kMostRows,
                      .step = 64,
                      .usual =
                          [](const Setting& at) {
                            return static_cast<int>(
                                LdltWaiting::usual_rows(at.device, at.type, at.n));
                          },
                      .tried = {}}},
      .lacks = [](Context& context) { return lacks_residency(context.profile()); },
      .ask =
          [](Context& context, RealType type) {
            (void)ldlt_waiting_works(context, type, kUsualRows);
            (void)complex_ldlt_waiting_works(context, type, kUsualRows);
          },
      .demands =
          [](const Parameters& parameters, RealType type) {
            const auto rows = static_cast<cl_uint>(value_of(parameters, "ROWS"));
            return rows == 0 ? std::vector<Demand>{} : std::vector{demand(type, rows)};
          },
      .workspace_bytes =
          [](const Parameters& /*parameters*/, const Setting& at) {
            return LdltWaiting::bytes(at.device, at.type, at.n);
          }};
  return variant;
}

/// As many as local memory has room for.
cl_uint LdltWaiting::width(NumberType number) { return number.bytes() > 8 ? 32 : 64; }

bool LdltWaiting::has_room(const DeviceProfile& device, NumberType number, cl_uint rows) {
  const Demand its = demand(number, rows);
  return its.work_items <= device.max_work_group_size &&
         its.local_bytes <= device.static_local_bytes();
}

/// Where the device has too few units for n rows, twice or four times as many a group, as long as
/// it has room for them; the first panels may then be too tall.
cl_uint LdltWaiting::usual_rows(const DeviceProfile& device, NumberType number, Index n) {
  if (!lacks_residency(device).empty() || !has_room(device, number, kUsualRows)) return 0;
  cl_uint rows = kUsualRows;
  while (n > Index{device.compute_units} * rows && rows < kMostRows &&
         has_room(device, number, 2 * rows))
    rows *= 2;
  return rows;
}

LdltWaiting::LdltWaiting(KernelMemo& kernels, Index n, cl_uint rows)
    : kernels_(kernels),
      n_(static_cast<cl_uint>(n)),
      rows_(rows > 0 ? rows : usual_rows(kernels.context().profile(), kernels.number(), n)),
      width_(width(kernels.number())),
      exchange_(exchange_bytes_of(kernels.context().profile(), kernels.number(), width_),
                last_tag(packet_bits(kernels.context().profile()))) {}

std::uint64_t LdltWaiting::bytes(const DeviceProfile& device, NumberType number, Index n) {
  if (usual_rows(device, number, n) == 0) return 0;
  const cl_uint columns = width(number);
  return 2 * columns * ld_of_ldlt_panel(number, n) * number.bytes() +
         (n + 3 * columns) * sizeof(cl_uint) + exchange_bytes_of(device, number, columns);
}

cl_uint LdltWaiting::groups(cl_uint rows) const { return ceil_div(rows, rows_); }

cl_uint LdltWaiting::most_rows() const {
  return rows_ * kernels_.context().profile().compute_units;
}

Defines LdltWaiting::macros() const {
  const DeviceProfile& device = kernels_.context().profile();
  return {{"WIDTH", std::to_string(width_)},
          {"ROWS", std::to_string(rows_)},
          {"PACKET_BITS", std::to_string(packet_bits(device))},
          {"SUB_GROUPS", device.lacks_ptx().empty() ? "1" : "0"},
          {"SPIN_LIMIT", std::to_string(kSpinLimit)},
          {"USE_FMA", device.fast_fma ? "1" : "0"}};
}

KernelBuild LdltWaiting::build() const {
  return {ldlt_waiting_variant().name, ldlt_waiting_variant().file, kernels_.all(macros())};
}

Kernel& LdltWaiting::kernel(const char* name) {
  return kernels_.get(ldlt_waiting_variant().file, name, macros());
}

void LdltWaiting::prepare() {
  for (const char* name : {"ldlt_panel_waiting", "ldlt_displace"}) (void)kernel(name);
}

void LdltWaiting::allocate() {
  if (picked_() != nullptr) return;
  const Context& context = kernels_.context();
  const NumberType number = kernels_.number();
  brought_.ld = ld_of_ldlt_panel(number, n_);
  const std::uint64_t bytes = width_ * brought_.ld * number.bytes();
  brought_.buffer = context.allocate(bytes, kWhat);
  x_ = context.allocate(bytes, kWhat);
  places_ = context.allocate(std::max<Index>(n_, 1) * sizeof(cl_uint), kWhat);
  picked_ = context.allocate(3 * width_ * sizeof(cl_uint), kWhat);
}

const MatrixView& LdltWaiting::brought() {
  allocate();
  return brought_;
}

/// Launches a panel of zeros, which needs nothing of A behind them.
bool LdltWaiting::resident() {
  Context& context = kernels_.context();
  const cl_uint rows = std::min(n_, most_rows());
  const auto probe = [&] {
    const MatrixView& a = brought();
    const cl::CommandQueue& queue = context.queue();
    const LdltBuffers buffers(context, kernels_.number(), {n_, width_, n_});
    const LuFlags flags(context);
    flags.reset(queue);
    queue.enqueueFillBuffer(a.buffer, cl_uchar{0}, 0, a.buffer.getInfo<CL_MEM_SIZE>());
    queue.enqueueFillBuffer(buffers.done, cl_uint{0}, 0, buffers.done.getInfo<CL_MEM_SIZE>());
    panel(queue, a, rows, 0, std::min(width_, rows), buffers, flags);
    return !LdltDone(queue, buffers.done).gave_up();
  };
  return context.trials().resident(build(), groups(rows), probe);
}

void LdltWaiting::panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                        cl_uint first, cl_uint width, const LdltBuffers& buffers,
                        const LuFlags& flags) {
  const auto [packets, epoch] = exchange_.next(kernels_.context(), queue, 2 * width);
  Kernel& panel = kernel("ldlt_panel_waiting");
  panel.set_arguments(a.buffer, cl_ulong{a.offset}, cl_ulong{a.ld}, n, first, width,
                      brought_.buffer, x_, buffers.w.buffer, cl_ulong{buffers.w.ld}, buffers.d,
                      places_, picked_, buffers.done, flags.buffer(), packets, epoch);
  launch_groups(queue, panel, groups(n - first), rows_);
}

void LdltWaiting::displace(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                           cl_uint first, cl_uint width, const LdltBuffers& buffers) {
  Kernel& displace = kernel("ldlt_displace");
  displace.set_arguments(a.buffer, cl_ulong{a.offset}, cl_ulong{a.ld}, n, first, width,
                         brought_.buffer, cl_ulong{brought_.ld}, places_, picked_, buffers.kinds,
                         buffers.exchanges, buffers.order, buffers.rows, buffers.ends,
                         buffers.done);
  launch_groups(queue, displace, groups(n - first), rows_);
}

}  // namespace clgauss
