#include <algorithm>
#include <limits>

#include "kernels/cpu_tile.hpp"
#include "kernels/known_answers.hpp"
#include "kernels/lu_parts.hpp"

namespace clgauss {

namespace {

constexpr Index kLeastList = 4096;  // rows that a known answer takes at most
constexpr cl_uint kSubGroup = 32;   // of NVIDIA's devices, the only ones with the persistent kernel

}  // namespace

LuPanels::LuPanels(KernelMemo& kernels, const LuFlags& flags, const LuTuning& tuning, Index n,
                   bool tournament)
    : kernels_(kernels),
      flags_(flags),
      tuning_(tuning),
      compute_units_(kernels.context().profile().compute_units) {
  Context& context = kernels.context();
  if (tuning.persistent && !tournament) {
    const std::uint64_t bytes = 2ULL * compute_units_ * (1 + kPanelWidth) * sizeof(cl_ulong2);
    exchange_ = context.allocate(bytes, "the packets of a panel");
    context.queue().enqueueFillBuffer(exchange_, cl_int{0}, 0, bytes);
    persistent_ = persistent_works(n);
  }
  if (persistent_ && fits_persistent_up_to(static_cast<cl_uint>(n))) return;
  for (cl::Buffer& list : candidates_)
    list = context.allocate(std::max<Index>(n, kLeastList) * sizeof(cl_uint),
                            "the rows of a tournament");
}

/// For every number of sub-groups that panels of up to `n` rows take: the known answer with one group and with several, then as
/// many groups as these panels need, where one that is not resident lets the others run into the limit.
bool LuPanels::persistent_works(Index n) {
  Context& context = kernels_.context();
  const std::string lacks = context.profile().lacks_compute_capability(kPersistentCapability);
  if (!lacks.empty()) {
    context.trials().pass_over({"lu_panel_persistent", "lu_panel_persistent.cl", {}}, lacks);
    return false;
  }
  cl_uint below = 0;
  for (std::size_t i = 0; i < tuning_.sub_groups.size() && below < n; ++i) {
    const cl_uint rows = tuning_.sub_groups[i] * kSubGroup, most = compute_units_ * rows,
                  up_to = i < tuning_.rows.size() ? tuning_.rows[i] : most,
                  m = std::min({up_to, most, static_cast<cl_uint>(n)});
    if (m > below) {
      const Defines macros = tuning_.persistent_macros(m, kSpinLimit);
      const bool right = kernels_.works("lu_panel_persistent.cl", macros, [&] {
        for (const cl_uint height : {rows - 5, 2 * rows + 21})
          require_panel(context, kernels_.type(), height, kPanelWidth, true,
                        [&](const MatrixView& a, const cl::Buffer& pivots) {
                          factor_persistent(context.queue(), a, height, kPanelWidth, 0, pivots,
                                            kSpinLimit, m);
                          (void)flags_.read(context.queue());
                          flags_.reset(context.queue());
                        });
      });
      if (!right) return false;
      if (m > rows && !all_resident(m)) {
        context.trials().pass_over(
            {"lu_panel_persistent", "lu_panel_persistent.cl", macros},
            "its work-groups do not all run at once, as they must to wait for each other");
        return false;
      }
    }
    below = up_to;
  }
  return true;
}

bool LuPanels::all_resident(cl_uint m) {
  Context& context = kernels_.context();
  const std::uint64_t bytes = std::uint64_t{m} * kPanelWidth * bytes_of(kernels_.type());
  const MatrixView panel{context.allocate(bytes, "the probe of a panel"), 0, kPanelWidth};
  const cl::Buffer pivots = context.allocate(kPanelWidth * sizeof(cl_int), "the probe of a panel");
  context.queue().enqueueFillBuffer(panel.buffer, cl_uchar{0x3f}, 0, bytes);
  factor_persistent(context.queue(), panel, m, kPanelWidth, 0, pivots, kSpinLimit, m);
  const bool gave_up = flags_.read(context.queue()).gave_up;
  flags_.reset(context.queue());
  return !gave_up;
}

bool LuPanels::group_works(cl_uint m) {
  std::optional<bool>& known = group_works_[tuning_.group_size(m)];
  if (known) return *known;
  Context& context = kernels_.context();
  known = kernels_.works("lu_panel_group.cl", tuning_.group_macros(m), [&] {
    const cl_uint rows = tuning_.group_size(m) - 3;
    require_panel(context, kernels_.type(), rows, kPanelWidth, true,
                  [&](const MatrixView& a, const cl::Buffer& pivots) {
                    factor_in_group(context.queue(), a, rows, kPanelWidth, 0, pivots);
                  });
  });
  return *known;
}

bool LuPanels::tournament_works() {
  if (tournament_works_) return *tournament_works_;
  Context& context = kernels_.context();
  tournament_works_ = kernels_.works("lu_panel_tournament.cl", tuning_.tournament_macros(), [&] {
    for (const cl_uint rows : {2 * tuning_.tournament_group + 37, kPanelWidth + 5})
      require_panel(context, kernels_.type(), rows, kPanelWidth, false,
                    [&](const MatrixView& a, const cl::Buffer& pivots) {
                      factor_by_tournament(context.queue(), a, rows, kPanelWidth, 0, pivots);
                    });
  });
  return *tournament_works_;
}

LuPanels::Way LuPanels::way_for(cl_uint m) {
  if (persistent_ && fits_persistent(m)) return Way::persistent;
  if (m <= tuning_.group_rows && group_works(m)) return Way::group;
  if (!tournament_works())
    kernels_.none_works("the panel of an LU",
                        {"lu_panel_persistent", "lu_panel_group", "lu_panel_tournament"});
  return Way::tournament;
}

bool LuPanels::fits_persistent(cl_uint m) const {
  return ceil_div(m, tuning_.sub_groups_for(m) * kSubGroup) <= compute_units_;
}

bool LuPanels::fits_persistent_up_to(cl_uint n) const {
  // More sub-groups may let a higher panel fit again, so the highest of every entry is asked.
  return fits_persistent(n) && std::ranges::all_of(tuning_.rows, [&](cl_uint rows) {
           return rows >= n || fits_persistent(rows);
         });
}

Kernel& LuPanels::persistent_kernel(cl_uint m, int spins) {
  return kernels_.get("lu_panel_persistent.cl", "lu_panel_persistent",
                      tuning_.persistent_macros(m, spins));
}

Kernel& LuPanels::group_kernel(cl_uint m) {
  return kernels_.get("lu_panel_group.cl", "lu_panel_group", tuning_.group_macros(m));
}

Kernel& LuPanels::tournament_kernel(const char* name) {
  return kernels_.get("lu_panel_tournament.cl", name, tuning_.tournament_macros());
}

void LuPanels::prepare(cl_uint m) {
  switch (way_for(m)) {
    case Way::persistent:
      persistent_kernel(m, tuning_.spin_limit);
      break;
    case Way::group:
      group_kernel(m);
      break;
    case Way::tournament:
      for (const char* name : {"tournament_candidates", "tournament_finish", "tournament_lower"})
        tournament_kernel(name);
      break;
  }
}

void LuPanels::factor(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m, cl_uint width,
                      cl_uint row, const cl::Buffer& pivots) {
  switch (way_for(m)) {
    case Way::persistent:
      factor_persistent(queue, a, m, width, row, pivots, tuning_.spin_limit, m);
      break;
    case Way::group:
      factor_in_group(queue, a, m, width, row, pivots);
      break;
    case Way::tournament:
      factor_by_tournament(queue, a, m, width, row, pivots);
      break;
  }
}

void LuPanels::factor_persistent(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m,
                                 cl_uint width, cl_uint row, const cl::Buffer& pivots, int spins,
                                 cl_uint as_for) {
  const cl_uint sub_groups = tuning_.sub_groups_for(as_for),
                groups = ceil_div(m, sub_groups * kSubGroup);
  Kernel& panel = persistent_kernel(as_for, spins);
  if (epoch_ >
      std::numeric_limits<cl_uint>::max() - 2 * width) {  // tags would repeat: start afresh
    queue.enqueueFillBuffer(exchange_, cl_int{0}, 0, exchange_.getInfo<CL_MEM_SIZE>());
    epoch_ = 1;
  }
  cl_uint index = 0;
  pass_view(panel, index, a);
  panel.set_arguments_from(index, m, width, row, pivots, cl_ulong{row}, flags_.buffer(), exchange_,
                           epoch_);
  epoch_ += width;
  launch_groups(queue, panel, groups, (sub_groups + 1) * kSubGroup);
}

void LuPanels::factor_in_group(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m,
                               cl_uint width, cl_uint row, const cl::Buffer& pivots) {
  Kernel& panel = group_kernel(m);
  cl_uint index = 0;
  pass_view(panel, index, a);
  panel.set_arguments_from(index, m, width, row, pivots, cl_ulong{row}, flags_.buffer());
  launch_groups(queue, panel, 1, tuning_.group_size(m));
}

void LuPanels::factor_by_tournament(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m,
                                    cl_uint width, cl_uint row, const cl::Buffer& pivots) {
  const cl_uint group = tuning_.tournament_group;
  Kernel& play = tournament_kernel("tournament_candidates");
  cl_uint count = m, level = 0;
  for (; count > group; ++level) {
    const cl_uint groups = ceil_div(count, group), last = count - (groups - 1) * group;
    cl_uint index = 0;
    pass_view(play, index, a);
    play.set_arguments_from(index, count, width, level, candidates_[(level + 1) % 2],
                            candidates_[level % 2]);
    launch_groups(queue, play, groups, group);
    count = (groups - 1) * width + std::min(width, last);
  }
  Kernel& finish = tournament_kernel("tournament_finish");
  cl_uint index = 0;
  pass_view(finish, index, a);
  finish.set_arguments_from(index, count, width, level, row, candidates_[(level + 1) % 2], pivots,
                            cl_ulong{row}, flags_.buffer());
  launch_groups(queue, finish, 1, group);
  if (m <= width) return;
  Kernel& lower = tournament_kernel("tournament_lower");
  index = 0;
  pass_view(lower, index, a);
  lower.set_arguments_from(index, m, width);
  launch_groups(queue, lower, ceil_div(m - width, group), group);
}

}  // namespace clgauss
