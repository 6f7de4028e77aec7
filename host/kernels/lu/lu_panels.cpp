#include <algorithm>

#include "kernels/lu/lu_panels.hpp"

namespace clgauss {

void ask_panels(Context& context, RealType type,
                std::unique_ptr<PanelKernel> (*make)(const LuSetting& setting),
                const std::vector<cl_uint>& heights) {
  UsualLu usual(context, type);
  const auto kernel = make(usual.setting);
  for (const cl_uint m : heights)
    if (kernel->fits(m)) (void)kernel->works(m);
}

Panels::Panels(const LuSetting& setting, PanelWays which) : setting_(setting), which_(which) {
  if (setting.kernels.number().complex) {
    ways_.push_back({&panel_persistent_variant(), make_panel_persistent(setting)});
    persistent_ = ways_.back().kernel.get();
    ways_.push_back({&panel_waiting_variant(), make_panel_waiting(setting)});
    return;
  }
  const bool may_wait = which != PanelWays::tournament;
  ways_.push_back({&panel_columns_variant(), make_panel_columns(setting)});
  if (may_wait) {
    ways_.push_back({&panel_persistent_variant(), make_panel_persistent(setting)});
    persistent_ = ways_.back().kernel.get();
  }
  ways_.push_back({&panel_group_variant(), make_panel_group(setting)});
  if (may_wait) ways_.push_back({&panel_waiting_variant(), make_panel_waiting(setting)});
  if (which == PanelWays::partial)
    ways_.push_back({&panel_tall_variant(), make_panel_tall(setting)});
  else
    ways_.push_back({&panel_tournament_variant(), make_panel_tournament(setting)});
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

// What the lower panels take is the same or comes before it.
bool Panels::partial(cl_uint m) {
  return which_ != PanelWays::tournament && way_for(m).variant != &panel_tournament_variant();
}
// The lowest panel fits if any does, and what works for one height works for all.
bool Panels::persistent() {
  return persistent_ != nullptr && persistent_->fits(1) && persistent_->works(1);
}

}  // namespace clgauss
