#include <algorithm>
#include <limits>

#include "linalg/cpu_tile.hpp"
#include "linalg/lu_parts.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kSubGroup = 32;  // of NVIDIA's devices, the only ones with the persistent kernel

const std::string kWidth = std::to_string(LuPanels::kPanelWidth);

}  // namespace

LuPanels::LuPanels(KernelMemo& kernels, const LuFlags& flags, const LuTuning& tuning, Index n,
                   bool tournament)
    : kernels_(kernels),
      flags_(flags),
      tuning_(tuning),
      compute_units_(kernels.context().profile().compute_units) {
  DeviceContext& context = kernels.context();
  if (tuning.persistent && !tournament) {
    const std::uint64_t bytes = 2ULL * compute_units_ * (1 + kPanelWidth) * sizeof(cl_ulong2);
    exchange_ = context.allocate(bytes, "the packets of a panel");
    context.queue().enqueueFillBuffer(exchange_, cl_int{0}, 0, bytes);
    persistent_ = probe_co_residency();
  }
  if (persistent_ && fits_persistent_up_to(static_cast<cl_uint>(n))) return;
  for (cl::Buffer& list : candidates_)
    list = context.allocate(n * sizeof(cl_uint), "the rows of a tournament");
}

bool LuPanels::probe_co_residency() {
  // The real kernels on as many work-groups as compute units: one that is not resident lets the others run into the limit.
  kernels_.build_all([&] {
    for (const cl_uint up_to : tuning_.rows) persistent_kernel(up_to, kSpinLimit);
    persistent_kernel(tuning_.rows.back() + 1, kSpinLimit);
  });
  cl_uint below = 0;
  for (std::size_t i = 0; i < tuning_.sub_groups.size(); ++i) {
    const cl_uint most = compute_units_ * tuning_.sub_groups[i] * kSubGroup,
                  up_to = i < tuning_.rows.size() ? tuning_.rows[i] : most,
                  m = std::min(up_to, most);
    const bool waits = m > tuning_.sub_groups[i] * kSubGroup;
    if (m > below && waits && !probe_height(m)) return false;
    below = up_to;
  }
  return true;
}

bool LuPanels::probe_height(cl_uint m) {
  DeviceContext& context = kernels_.context();
  const std::uint64_t bytes = std::uint64_t{m} * kPanelWidth * bytes_of(kernels_.type());
  const MatrixView panel{context.allocate(bytes, "the probe of a panel"), 0, kPanelWidth};
  const cl::Buffer pivots = context.allocate(kPanelWidth * sizeof(cl_int), "the probe of a panel");
  context.queue().enqueueFillBuffer(panel.buffer, cl_uchar{0x3f}, 0, bytes);
  factor_persistent(context.queue(), panel, m, kPanelWidth, 0, pivots, kSpinLimit);
  const bool gave_up = flags_.read(context.queue()).gave_up;
  flags_.reset(context.queue());
  return !gave_up;
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

cl_uint LuPanels::group_size(cl_uint m) const { return m <= 64 ? 64 : tuning_.group_rows; }

Kernel& LuPanels::persistent_kernel(cl_uint m, int spin_limit) {
  return kernels_.get("lu_panel_persistent.cl", "lu_panel_persistent",
                      {{"PANEL_WIDTH", kWidth},
                       {"SUB_GROUPS", std::to_string(tuning_.sub_groups_for(m))},
                       {"SPIN_LIMIT", std::to_string(spin_limit)}});
}

Kernel& LuPanels::group_kernel(cl_uint m) {
  return kernels_.get("lu_panel_group.cl", "lu_panel_group",
                      {{"PANEL_WIDTH", kWidth}, {"WG_SIZE", std::to_string(group_size(m))}});
}

Kernel& LuPanels::tournament_kernel(const char* name) {
  return kernels_.get(
      "lu_panel_tournament.cl", name,
      {{"PANEL_WIDTH", kWidth}, {"WG_SIZE", std::to_string(tuning_.tournament_group)}});
}

void LuPanels::prepare(cl_uint m) {
  if (persistent_ && fits_persistent(m)) {
    persistent_kernel(m, tuning_.spin_limit);
  } else if (m <= tuning_.group_rows) {
    group_kernel(m);
  } else {
    for (const char* name : {"tournament_candidates", "tournament_finish", "tournament_lower"})
      tournament_kernel(name);
  }
}

void LuPanels::factor(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m, cl_uint width,
                      cl_uint row, const cl::Buffer& pivots) {
  if (persistent_ && fits_persistent(m))
    factor_persistent(queue, a, m, width, row, pivots, tuning_.spin_limit);
  else if (m <= tuning_.group_rows)
    factor_in_group(queue, a, m, width, row, pivots);
  else
    factor_by_tournament(queue, a, m, width, row, pivots);
}

void LuPanels::factor_persistent(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m,
                                 cl_uint width, cl_uint row, const cl::Buffer& pivots,
                                 int spin_limit) {
  const cl_uint sub_groups = tuning_.sub_groups_for(m),
                groups = ceil_div(m, sub_groups * kSubGroup);
  Kernel& panel = persistent_kernel(m, spin_limit);
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
  launch_groups(queue, panel, 1, group_size(m));
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
