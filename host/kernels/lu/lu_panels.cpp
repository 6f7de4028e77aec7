#include "kernels/lu/lu_panels.hpp"

#include <algorithm>
#include <array>

namespace clgauss {

namespace {

/// A way to factor panels, and the PanelWays it belongs to.
struct PanelWay {
  const KernelVariant& (*variant)();
  std::unique_ptr<PanelKernel> (*make)(const LuSetting& setting);
  bool fastest = true, tournament = true, partial = true;  // for each value of PanelWays
  bool of_complex = false;                                 // also for complex numbers

  [[nodiscard]] bool is_of(PanelWays which) const {
    return which == PanelWays::fastest      ? fastest
           : which == PanelWays::tournament ? tournament
                                            : partial;
  }
};

/// In the order of trying.
constexpr std::array kWays{
    PanelWay{.variant = panel_columns_variant, .make = make_panel_columns, .of_complex = true},
    PanelWay{.variant = panel_persistent_variant,
             .make = make_panel_persistent,
             .tournament = false,
             .of_complex = true},
    PanelWay{.variant = panel_group_variant, .make = make_panel_group},
    PanelWay{.variant = panel_waiting_variant,
             .make = make_panel_waiting,
             .tournament = false,
             .of_complex = true},
    PanelWay{.variant = panel_tournament_variant, .make = make_panel_tournament, .partial = false},
    PanelWay{.variant = panel_tall_variant,
             .make = make_panel_tall,
             .fastest = false,
             .tournament = false}};

}  // namespace

std::vector<const KernelVariant*> panel_variants() {
  std::vector<const KernelVariant*> variants;
  for (const PanelWay& way : kWays)
    if (way.fastest) variants.push_back(&way.variant());
  return variants;
}

void ask_panels(Context& context, RealType type,
                std::unique_ptr<PanelKernel> (*make)(const LuSetting& setting),
                const std::vector<cl_uint>& heights) {
  UsualLu usual(context, type);
  const auto kernel = make(usual.setting);
  for (const cl_uint m : heights)
    if (kernel->fits(m)) (void)kernel->works(m);
}

Panels::Panels(const LuSetting& setting, PanelWays which) : setting_(setting), which_(which) {
  const bool complex = setting.kernels.number().complex;
  for (const PanelWay& way : kWays) {
    if (complex ? !way.of_complex : !way.is_of(which)) continue;
    ways_.push_back({&way.variant(), way.make(setting)});
    if (ways_.back().variant == &panel_persistent_variant())
      persistent_ = ways_.back().kernel.get();
  }
}

Panels::Way& Panels::way_for(cl_uint m) {
  for (Way& way : ways_)
    if (way.kernel->fits(m) && way.kernel->works(m)) return way;
  std::vector<std::string> names;
  for (const Way& way : ways_) names.emplace_back(way.variant->name);
  setting_.kernels.none_works("the panel of an LU", names);
}

void Panels::prepare(cl_uint m) { way_for(m).kernel->build(m); }

bool Panels::factor(const cl::CommandQueue& queue, const Panel& panel) {
  PanelKernel& kernel = *way_for(panel.m).kernel;
  kernel.factor(queue, panel);
  return kernel.works_beside(panel);
}

// Lower panels use the same way or one that comes before it.
bool Panels::partial(cl_uint m) {
  return which_ != PanelWays::tournament && way_for(m).variant != &panel_tournament_variant();
}
// The lowest panel fits if any does, and a way that works for one height works for all.
bool Panels::persistent() {
  return persistent_ != nullptr && persistent_->fits(1) && persistent_->works(1);
}

}  // namespace clgauss
