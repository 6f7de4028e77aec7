#include <algorithm>
#include <limits>

#include "linalg/cpu_tile.hpp"
#include "linalg/lu_parts.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kSubGroup = 32;  // of NVIDIA's devices, the only ones with the persistent kernel
constexpr cl_uint kTournamentGroup = 256;  // rows per work-group of the tournament

const std::string kWidth = std::to_string(LuPanels::kPanelWidth);

/// Sub-groups with rows in a persistent work-group, measured on an H200: up to 480 rows one group, which need not wait for
/// others (0.95, 1.03, 1.3 us a column instead of 1.75 with two groups or more); 8 are best up to 12288 rows, then 15 (fewer
/// candidates to read).
cl_uint persistent_sub_groups(cl_uint m) {
  if (m <= 128) return 4;
  if (m <= 256) return 8;
  if (m <= 480) return 15;
  return m <= 12288 ? 8 : 15;
}

/// Work-items of the panel in one work-group: one a row.
cl_uint group_size(cl_uint m) { return m <= 64 ? 64 : kTournamentGroup; }

}  // namespace

LuPanels::LuPanels(KernelMemo& kernels, const LuFlags& flags, Index n, bool tournament)
    : kernels_(kernels), flags_(flags), compute_units_(kernels.context().profile().compute_units) {
  DeviceContext& context = kernels.context();
  const bool may_wait = context.profile().attributes.nvidia.has_value() && !tournament;
  for (cl::Buffer& list : candidates_)
    list = context.allocate(n * sizeof(cl_uint), "the rows of a tournament");
  if (!may_wait) return;
  const std::uint64_t bytes = 2ULL * compute_units_ * (1 + kPanelWidth) * sizeof(cl_ulong2);
  exchange_ = context.allocate(bytes, "the packets of a panel");
  context.queue().enqueueFillBuffer(exchange_, cl_int{0}, 0, bytes);
  persistent_ = probe_co_residency();
}

bool LuPanels::probe_co_residency() {
  // The real kernels on as many work-groups as compute units: one that is not resident lets the others run into the limit.
  DeviceContext& context = kernels_.context();
  for (const cl_uint sub_groups : {8U, 15U}) {
    const cl_uint rows = compute_units_ * sub_groups * kSubGroup,
                  m = sub_groups == 8 ? std::min(12288U, rows) : rows;
    const std::uint64_t bytes = std::uint64_t{m} * kPanelWidth * bytes_of(kernels_.type());
    const MatrixView panel{context.allocate(bytes, "the probe of a panel"), 0, kPanelWidth};
    const cl::Buffer pivots =
        context.allocate(kPanelWidth * sizeof(cl_int), "the probe of a panel");
    context.queue().enqueueFillBuffer(panel.buffer, cl_uchar{0x3f}, 0, bytes);
    factor_persistent(context.queue(), panel, m, kPanelWidth, 0, pivots);
    const bool gave_up = flags_.read(context.queue()).gave_up;
    flags_.reset(context.queue());
    if (gave_up) return false;
  }
  return true;
}

bool LuPanels::fits_persistent(cl_uint m) const {
  return ceil_div(m, persistent_sub_groups(m) * kSubGroup) <= compute_units_;
}

Kernel& LuPanels::persistent_kernel(cl_uint m) {
  return kernels_.get("lu_panel_persistent.cl", "lu_panel_persistent",
                      {{"PANEL_WIDTH", kWidth},
                       {"SUB_GROUPS", std::to_string(persistent_sub_groups(m))},
                       {"SPIN_LIMIT", kSpinLimit}});
}

Kernel& LuPanels::group_kernel(cl_uint m) {
  return kernels_.get("lu_panel_group.cl", "lu_panel_group",
                      {{"PANEL_WIDTH", kWidth}, {"WG_SIZE", std::to_string(group_size(m))}});
}

Kernel& LuPanels::tournament_kernel(const char* name) {
  return kernels_.get("lu_panel_tournament.cl", name,
                      {{"PANEL_WIDTH", kWidth}, {"WG_SIZE", std::to_string(kTournamentGroup)}});
}

void LuPanels::prepare(cl_uint m) {
  if (persistent_ && fits_persistent(m)) {
    persistent_kernel(m);
  } else if (m <= kTournamentGroup) {
    group_kernel(m);
  } else {
    for (const char* name : {"tournament_candidates", "tournament_finish", "tournament_lower"})
      tournament_kernel(name);
  }
}

void LuPanels::factor(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m, cl_uint width,
                      cl_uint row, const cl::Buffer& pivots) {
  if (persistent_ && fits_persistent(m))
    factor_persistent(queue, a, m, width, row, pivots);
  else if (m <= kTournamentGroup)
    factor_in_group(queue, a, m, width, row, pivots);
  else
    factor_by_tournament(queue, a, m, width, row, pivots);
}

void LuPanels::factor_persistent(const cl::CommandQueue& queue, const MatrixView& a, cl_uint m,
                                 cl_uint width, cl_uint row, const cl::Buffer& pivots) {
  const cl_uint sub_groups = persistent_sub_groups(m), groups = ceil_div(m, sub_groups * kSubGroup);
  Kernel& panel = persistent_kernel(m);
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
  Kernel& play = tournament_kernel("tournament_candidates");
  cl_uint count = m, level = 0;
  for (; count > kTournamentGroup; ++level) {
    const cl_uint groups = ceil_div(count, kTournamentGroup),
                  last = count - (groups - 1) * kTournamentGroup;
    cl_uint index = 0;
    pass_view(play, index, a);
    play.set_arguments_from(index, count, width, level, candidates_[(level + 1) % 2],
                            candidates_[level % 2]);
    launch_groups(queue, play, groups, kTournamentGroup);
    count = (groups - 1) * width + std::min(width, last);
  }
  Kernel& finish = tournament_kernel("tournament_finish");
  cl_uint index = 0;
  pass_view(finish, index, a);
  finish.set_arguments_from(index, count, width, level, row, candidates_[(level + 1) % 2], pivots,
                            cl_ulong{row}, flags_.buffer());
  launch_groups(queue, finish, 1, kTournamentGroup);
  if (m <= width) return;
  Kernel& lower = tournament_kernel("tournament_lower");
  index = 0;
  pass_view(lower, index, a);
  lower.set_arguments_from(index, m, width);
  launch_groups(queue, lower, ceil_div(m - width, kTournamentGroup), kTournamentGroup);
}

}  // namespace clgauss
