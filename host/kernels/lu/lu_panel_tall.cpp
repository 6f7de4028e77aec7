#include <algorithm>
#include <clgauss/lab/launch.hpp>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/known_answers.hpp"
#include "kernels/lu/lu_panels.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kGroupRows = 256, kMostLines = 8;

/// The most work-groups of a panel, in a system of n or in a self-test.
cl_uint most_groups(Index n) {
  return ceil_div(static_cast<cl_uint>(std::max<Index>(n, 4096)), kGroupRows);
}

cl_uint lines_of(const DeviceProfile& device) {
  return static_cast<cl_uint>(
      std::clamp<std::size_t>(device.max_work_group_size / kPanelWidth, 1, kMostLines));
}

class PanelTall : public PanelKernel {
 public:
  explicit PanelTall(const LuSetting& setting)
      : setting_(setting), lines_(lines_of(setting.context().profile())) {}

  bool fits(cl_uint /*m*/) const override { return true; }

  bool works(cl_uint m) override {
    const KernelVariant& variant = panel_tall_variant();
    if (!works_)
      works_ = setting_.kernels.works(variant.name, variant.file, macros(m), [&] { ask(); });
    return *works_;
  }

  Defines macros(cl_uint /*m*/) const override {
    return {{"PANEL_WIDTH", std::to_string(kPanelWidth)},
            {"LINES", std::to_string(lines_)},
            {"GROUP_ROWS", std::to_string(kGroupRows)}};
  }

  void build(cl_uint /*m*/) override {
    for (const char* name : {"tall_step", "tall_exchange", "tall_scale"}) (void)kernel(name);
  }

  void factor(const cl::CommandQueue& queue, const Panel& panel) override {
    const auto& [a, m, width, row, pivots, left, right] = panel;
    const std::uint64_t element = bytes_of(setting_.kernels.type());
    if (magnitudes_() == nullptr) {
      const cl_uint groups = most_groups(setting_.n);
      magnitudes_ = setting_.context().allocate(groups * element, "candidates for pivots");
      rows_ = setting_.context().allocate(groups * sizeof(cl_uint), "their rows");
    }
    const cl_uint groups = ceil_div(m, kGroupRows);
    Kernel &step = kernel("tall_step"), &exchange = kernel("tall_exchange"),
           &scale = kernel("tall_scale");
    const auto enqueue = [&](Kernel& each) {
      enqueue_kernel(queue, each, cl::NDRange(kPanelWidth, std::size_t{groups} * lines_),
                     cl::NDRange(kPanelWidth, lines_));
    };
    const auto take_step = [&](cl_uint j) {
      cl_uint index = 0;
      pass_view(step, index, a);
      step.set_arguments_from(index, m, width, j, magnitudes_, rows_);
      enqueue(step);
    };
    take_step(0);
    for (cl_uint j = 0; j < std::min(width, m); ++j) {
      cl_uint index = 0;
      pass_view(exchange, index, a);
      exchange.set_arguments_from(index, width, j, row, magnitudes_, rows_, groups, pivots,
                                  cl_ulong{row}, setting_.flags.buffer());
      launch_groups(queue, exchange, 1, std::size_t{kPanelWidth} * lines_);
      if (j + 1 < width) take_step(j + 1);
    }
    cl_uint index = 0;
    pass_view(scale, index, a);
    scale.set_arguments_from(index, m, width);
    enqueue(scale);
  }

 private:
  Kernel& kernel(const char* name) {
    return setting_.kernels.get(panel_tall_variant().file, name, macros(0));
  }

  void ask() {
    Context& context = setting_.context();
    for (const cl_uint m : {3 * kGroupRows + 37, kPanelWidth - 5})
      require_panel(context, setting_.kernels.type(), m, kPanelWidth, 0, true,
                    [&](const MatrixView& a, const cl::Buffer& pivots) {
                      factor(context.queue(), {a, m, kPanelWidth, 0, pivots});
                    });
  }

  LuSetting setting_;
  cl_uint lines_;
  std::optional<bool> works_;
  cl::Buffer magnitudes_, rows_;
};

}  // namespace

const KernelVariant& panel_tall_variant() {
  static const KernelVariant variant{
      .name = "lu_panel_tall",
      .file = "lu_panel_tall.cl",
      .parameters = {},
      .lacks = lacks_nothing,
      .ask = [](Context& context,
                RealType type) { ask_panels(context, type, make_panel_tall, {UsualLu::kRows}); },
      .workspace_bytes =
          [](const Parameters&, const Setting& at) {
            return std::uint64_t{most_groups(at.n)} * (bytes_of(at.type) + sizeof(cl_uint));
          }};
  return variant;
}

std::unique_ptr<PanelKernel> make_panel_tall(const LuSetting& setting) {
  return std::make_unique<PanelTall>(setting);
}

}  // namespace clgauss
