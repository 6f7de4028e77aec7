#include <algorithm>
#include <array>
#include <limits>

#include "kernels/cpu_tile.hpp"
#include "kernels/known_answers.hpp"
#include "kernels/panel.hpp"
#include "kernels/variants.hpp"

namespace clgauss {

namespace {

constexpr int kAnyHeight = 1 << 30;  // n itself is not larger
constexpr cl_uint kSubGroup = 32;    // of all devices with the instructions that the kernel takes
constexpr std::array kRows{"ROWS_1", "ROWS_2", "ROWS_3", "ROWS_4"};
constexpr std::array kSubGroups{"SUB_GROUPS_1", "SUB_GROUPS_2", "SUB_GROUPS_3", "SUB_GROUPS_4",
                                "SUB_GROUPS_5"};

std::uint64_t exchange_bytes(const DeviceProfile& device) {
  return 2ULL * device.compute_units * (1 + kPanelWidth) * sizeof(cl_ulong2);
}

/// On an H200: up to 480 rows one group, which need not wait for others (0.95, 1.03, 1.3 us a column instead of 1.75 with two
/// groups or more); 8 sub-groups are best up to 12288 rows, then 15 (fewer candidates to read).
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
          sub_groups("SUB_GROUPS_4", [](const Setting&) { return 8; }, {4, 8, 15}),
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

class PanelPersistent : public PanelKernel {
 public:
  explicit PanelPersistent(const LuSetting& setting)
      : setting_(setting), compute_units_(setting.context().profile().compute_units) {
    const auto number = [&](const char* name) { return setting.number(name); };
    std::ranges::transform(kRows, rows_.begin(), number);
    std::ranges::transform(kSubGroups, sub_groups_.begin(), number);
    spins_ = value_of(setting.parameters, "SPIN_LIMIT");
    wanted_ = number("PERSISTENT") == 1 && setting.context().profile().lacks_ptx().empty();
  }

  bool fits(cl_uint m) const override {
    return wanted_ && ceil_div(m, sub_groups_for(m) * kSubGroup) <= compute_units_;
  }

  /// Asked for all panels at once: what one height is not right for must not be used for any.
  bool works(cl_uint /*m*/) override {
    if (!works_) works_ = works_up_to(static_cast<cl_uint>(setting_.n));
    return *works_;
  }

  Defines macros(cl_uint m) const override { return macros_of(m, spins_); }

  void build(cl_uint m) override { (void)kernel(m, spins_); }

  void factor(const cl::CommandQueue& queue, const Panel& panel) override {
    factor_as(queue, panel, spins_, panel.m);
  }

 private:
  /// Sub-groups with rows in a work-group of panels of `m` rows.
  [[nodiscard]] cl_uint sub_groups_for(cl_uint m) const {
    const auto entry = std::ranges::find_if(rows_, [&](cl_uint up_to) { return m <= up_to; });
    return sub_groups_[static_cast<std::size_t>(entry - rows_.begin())];
  }

  [[nodiscard]] Defines macros_of(cl_uint m, int spins) const {
    return with_parameters(panel_persistent_variant(), setting_.parameters,
                           {{"PANEL_WIDTH", std::to_string(kPanelWidth)},
                            {"SUB_GROUPS", std::to_string(sub_groups_for(m))},
                            {"SPIN_LIMIT", std::to_string(spins)}});
  }

  Kernel& kernel(cl_uint m, int spins) {
    return setting_.kernels.get(panel_persistent_variant().file, "lu_panel_persistent",
                                macros_of(m, spins));
  }

  /// For every number of sub-groups that panels of up to `n` rows take: the known answer with one group and with several, then as
  /// many groups as these panels need, where one that is not resident lets the others run into the limit: OpenCL does not promise
  /// that all are (occupancy-bound execution: Sorensen et al., OOPSLA 2016).
  bool works_up_to(cl_uint n) {
    KernelTrials& trials = setting_.context().trials();
    const KernelVariant& variant = panel_persistent_variant();
    cl_uint below = 0;
    for (std::size_t i = 0; i < sub_groups_.size() && below < n; ++i) {
      const cl_uint rows = sub_groups_[i] * kSubGroup, most = compute_units_ * rows,
                    up_to = i < rows_.size() ? rows_[i] : most, m = std::min({up_to, most, n});
      if (m > below) {
        const Defines macros = macros_of(m, kSpinLimit);
        const bool right =
            setting_.kernels.works(variant.name, variant.file, macros, [&] { ask(rows, m); });
        if (!right) return false;
        if (m > rows && !all_resident(m)) {
          trials.pass_over(
              {variant.name, variant.file, macros},
              "its work-groups do not all run at once, as they must to wait for each other");
          return false;
        }
      }
      below = up_to;
    }
    return true;
  }

  void ask(cl_uint rows, cl_uint as_for) {
    Context& context = setting_.context();
    for (const cl_uint m : {rows - 5, 2 * rows + 21})
      require_panel(
          context, setting_.kernels.type(), m, kPanelWidth, true,
          [&](const MatrixView& a, const cl::Buffer& pivots) {
            factor_as(context.queue(), {a, m, kPanelWidth, 0, pivots}, kSpinLimit, as_for);
            (void)setting_.flags.read(context.queue());
            setting_.flags.reset(context.queue());
          });
  }

  bool all_resident(cl_uint m) {
    Context& context = setting_.context();
    const std::uint64_t bytes = std::uint64_t{m} * kPanelWidth * bytes_of(setting_.kernels.type());
    const MatrixView a{context.allocate(bytes, "the probe of a panel"), 0, kPanelWidth};
    const cl::Buffer pivots =
        context.allocate(kPanelWidth * sizeof(cl_int), "the probe of a panel");
    context.queue().enqueueFillBuffer(a.buffer, cl_uchar{0x3f}, 0, bytes);
    factor_as(context.queue(), {a, m, kPanelWidth, 0, pivots}, kSpinLimit, m);
    const bool gave_up = setting_.flags.read(context.queue()).gave_up;
    setting_.flags.reset(context.queue());
    return !gave_up;
  }

  /// Packets, each tagged with an epoch, so that they need not be cleared between panels.
  const cl::Buffer& exchange(const cl::CommandQueue& queue, cl_uint width) {
    const bool is_new = exchange_() == nullptr;
    const std::uint64_t bytes = exchange_bytes(setting_.context().profile());
    if (is_new) exchange_ = setting_.context().allocate(bytes, "the packets of a panel");
    if (is_new || epoch_ > std::numeric_limits<cl_uint>::max() - 2 * width) {  // tags would repeat
      queue.enqueueFillBuffer(exchange_, cl_int{0}, 0, bytes);
      epoch_ = 1;
    }
    return exchange_;
  }

  /// With the kernel that panels of `as_for` rows take.
  void factor_as(const cl::CommandQueue& queue, const Panel& panel, int spins, cl_uint as_for) {
    const cl_uint sub_groups = sub_groups_for(as_for);
    Kernel& persistent = kernel(as_for, spins);
    const cl::Buffer& packets = exchange(queue, panel.width);
    cl_uint index = 0;
    pass_view(persistent, index, panel.a);
    persistent.set_arguments_from(index, panel.m, panel.width, panel.row, panel.pivots,
                                  cl_ulong{panel.row}, setting_.flags.buffer(), packets, epoch_);
    epoch_ += panel.width;
    launch_groups(queue, persistent, ceil_div(panel.m, sub_groups * kSubGroup),
                  (sub_groups + 1) * kSubGroup);
  }

  LuSetting setting_;
  cl_uint compute_units_;
  std::array<cl_uint, kRows.size()> rows_;
  std::array<cl_uint, kSubGroups.size()> sub_groups_;
  int spins_;
  bool wanted_;
  std::optional<bool> works_;
  cl::Buffer exchange_;
  cl_uint epoch_ = 1;
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
      .broken_rule = rows_out_of_order,
      .demands = groups,
      .workspace_bytes =
          [](const Parameters& parameters, const Setting& at) {
            return value_of(parameters, "PERSISTENT") == 1 ? exchange_bytes(at.device) : 0;
          }};
  return variant;
}

std::unique_ptr<PanelKernel> make_panel_persistent(const LuSetting& setting) {
  return std::make_unique<PanelPersistent>(setting);
}

}  // namespace clgauss
