#include <algorithm>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/known_answers.hpp"
#include "kernels/lu/lu_panels.hpp"

namespace clgauss {

namespace {

/// Bytes of one of the two lists of rows, for a system of n or for a self-test.
std::uint64_t list_bytes(Index n) { return std::max<Index>(n, 4096) * sizeof(cl_uint); }

class PanelTournament : public PanelKernel {
 public:
  explicit PanelTournament(const LuSetting& setting)
      : setting_(setting), group_(setting.number("TOURNAMENT_GROUP")) {}

  bool fits(cl_uint /*m*/) const override { return true; }

  bool works(cl_uint m) override {
    const KernelVariant& variant = panel_tournament_variant();
    if (!works_)
      works_ = setting_.kernels.works(variant.name, variant.file, macros(m), [&] { ask(); });
    return *works_;
  }

  Defines macros(cl_uint /*m*/) const override {
    return with_parameters(
        panel_tournament_variant(), setting_.parameters,
        {{"PANEL_WIDTH", std::to_string(kPanelWidth)}, {"WG_SIZE", std::to_string(group_)}});
  }

  void build(cl_uint /*m*/) override {
    for (const char* name : {"tournament_candidates", "tournament_finish", "tournament_lower"})
      (void)kernel(name);
  }

  void factor(const cl::CommandQueue& queue, const Panel& panel) override {
    const auto& [a, m, width, row, pivots, left, right] = panel;
    for (cl::Buffer& list : candidates_)
      if (list() == nullptr)
        list = setting_.context().allocate(list_bytes(setting_.n), "the rows of a tournament");
    Kernel& play = kernel("tournament_candidates");
    cl_uint count = m, level = 0;
    for (; count > group_; ++level) {
      const cl_uint groups = ceil_div(count, group_), last = count - (groups - 1) * group_;
      cl_uint index = 0;
      pass_view(play, index, a);
      play.set_arguments_from(index, count, width, level, candidates_[(level + 1) % 2],
                              candidates_[level % 2]);
      launch_groups(queue, play, groups, group_);
      count = (groups - 1) * width + std::min(width, last);
    }
    Kernel& finish = kernel("tournament_finish");
    cl_uint index = 0;
    pass_view(finish, index, a);
    finish.set_arguments_from(index, count, width, level, row, candidates_[(level + 1) % 2], pivots,
                              cl_ulong{row}, setting_.flags.buffer());
    launch_groups(queue, finish, 1, group_);
    if (m <= width) return;
    Kernel& lower = kernel("tournament_lower");
    index = 0;
    pass_view(lower, index, a);
    lower.set_arguments_from(index, m, width);
    launch_groups(queue, lower, ceil_div(m - width, group_), group_);
  }

 private:
  Kernel& kernel(const char* name) {
    return setting_.kernels.get(panel_tournament_variant().file, name, macros(0));
  }

  void ask() {
    Context& context = setting_.context();
    for (const cl_uint m : {2 * group_ + 37, kPanelWidth + 5})
      require_panel(context, setting_.kernels.type(), m, kPanelWidth, 0, false,
                    [&](const MatrixView& a, const cl::Buffer& pivots) {
                      factor(context.queue(), {a, m, kPanelWidth, 0, pivots});
                    });
  }

  LuSetting setting_;
  cl_uint group_;
  std::optional<bool> works_;
  cl::Buffer candidates_[2];  // rows of alternate rounds
};

}  // namespace

const KernelVariant& panel_tournament_variant() {
  static const KernelVariant variant{
      .name = "lu_panel_tournament",
      .file = "lu_panel_tournament.cl",
      .parameters = {{.name = "TOURNAMENT_GROUP",  // rows per work-group
                      .least = 64,
                      .most = 1024,
                      .step = 16,
                      .usual = [](const Setting&) { return 256; },
                      .tried = {64, 128, 256, 512},
                      .macro = false}},
      .lacks = lacks_nothing,
      .ask =
          [](Context& context, RealType type) {
            ask_panels(context, type, make_panel_tournament, {UsualLu::kRows});
          },
      .demands =
          [](const Parameters& parameters, RealType) {
            return std::vector<Demand>{{"TOURNAMENT_GROUP", static_cast<std::size_t>(value_of(
                                                                parameters, "TOURNAMENT_GROUP"))}};
          },
      .workspace_bytes = [](const Parameters&, const Setting& at) { return 2 * list_bytes(at.n); }};
  return variant;
}

std::unique_ptr<PanelKernel> make_panel_tournament(const LuSetting& setting) {
  return std::make_unique<PanelTournament>(setting);
}

}  // namespace clgauss
