#include "kernels/lu/laswp_trsm.hpp"

#include <algorithm>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/known_answers.hpp"
#include "kernels/lu/lu_panels.hpp"
#include "kernels/substitution/known_answers.hpp"

namespace clgauss {

namespace {

constexpr int kStrip = 16;

/// The name of one of the variant's kernels in verdicts.
std::string role_of(const char* what) {
  return std::string(laswp_trsm_variant().name) + ' ' + what;
}

/// Work-items of the exchange kernel: a power of two, at least one per row of the block.
cl_uint group_for(cl_uint block) {
  cl_uint size = 32;
  while (size < block) size *= 2;
  return size;
}

/// Local memory of the kernels with `rows` work-items: a row of the stage and three words per
/// work-item, and 32 numbers per column of the strip.
std::uint64_t local_bytes(std::uint64_t rows, std::uint64_t strip, NumberType number) {
  const std::uint64_t stage = std::max<std::uint64_t>(16, strip) + 1;
  return rows * (stage * number.bytes() + 3 * sizeof(cl_uint)) + 32 * strip * number.bytes();
}

std::vector<Demand> trsm_demands(const Parameters& parameters, RealType type) {
  const auto strip = static_cast<std::uint64_t>(value_of(parameters, "STRIP"));
  std::vector<Demand> all;
  for (const char* name : {"NB", "SOLVE_BLOCK"}) {
    const cl_uint group = group_for(static_cast<cl_uint>(value_of(parameters, name)));
    all.push_back({name, group, local_bytes(group, strip, type)});
  }
  return all;
}

}  // namespace

int laswp_trsm_rows(int rows, const DeviceProfile& device, NumberType number) {
  while (rows > 64 && local_bytes(static_cast<std::uint64_t>(rows), kStrip, number) >
                          device.static_local_bytes())
    rows /= 2;
  return rows;
}

const KernelVariant& laswp_trsm_variant() {
  static const KernelVariant variant{
      .name = "laswp_trsm",
      .file = "laswp_trsm.cl",
      .parameters =
          {// Columns per work-group. If they equal its work-items (32 in a panel), PoCL 3.1 gives
           // wrong answers (right ones without its optimiser).
           {.name = "STRIP",
            .least = 1,
            .most = 16,
            .usual = [](const Setting&) { return kStrip; },
            .tried = {8, 16}},
           {.name = "SOLVE_BLOCK",
            .least = 32,
            .most = 1024,
            .step = 32,
            .usual = [](const Setting& at) { return laswp_trsm_rows(256, at.device, at.type); },
            .macro = false}},
      .lacks = lacks_nothing,
      .ask =
          [](Context& context, RealType type) {
            UsualLu usual(context, type);
            LaswpTrsmKernels(usual.setting).ask();
          },
      .broken_rule = [](const Parameters& parameters, RealType) -> std::string {
        return not_power_of_two(parameters, "STRIP");
      },
      .demands = trsm_demands};
  return variant;
}

LaswpTrsmKernels::LaswpTrsmKernels(const LuSetting& setting)
    : setting_(setting),
      strip_(setting.number("STRIP")),
      nb_(setting.number("NB")),
      solve_block_(setting.number("SOLVE_BLOCK")) {}

void LaswpTrsmKernels::ask() {
  for (const cl_uint block : {kPanelWidth, nb_}) prepare(block, true);
  prepare(solve_block_, false);
  prepare_trsm();
}

Defines LaswpTrsmKernels::macros(Which which, cl_uint group) const {
  return with_parameters(
      laswp_trsm_variant(), setting_.parameters,
      {{"KERNEL", std::to_string(static_cast<int>(which))}, {"WG_SIZE", std::to_string(group)}});
}

cl_uint LaswpTrsmKernels::group_of(cl_uint block) const {
  cl_uint least = 0;
  for (const cl_uint prepared : {kPanelWidth, nb_, solve_block_})
    if (const cl_uint group = group_for(prepared); group >= block && (least == 0 || group < least))
      least = group;
  return least > 0 ? least : group_for(block);
}

Kernel& LaswpTrsmKernels::working_swap(cl_uint block, bool solve) {
  const cl_uint group = group_of(block);
  Kernel*& chosen = swaps_[{group, solve}];
  if (chosen != nullptr) return *chosen;
  Context& context = setting_.context();
  const char* const file = laswp_trsm_variant().file;
  const std::string role = role_of(solve ? "trsm" : "laswp");
  const Defines build = macros(solve ? Which::swap_solve : Which::swap, group);
  const auto kernel = [&]() -> Kernel& {
    return setting_.kernels.get(file, "lu_swap_solve", build);
  };
  const bool works = setting_.kernels.works(role, file, build, [&] {
    require_swap_solve(
        context, setting_.kernels.number(), group - 5, strip_, solve, [&](const SwapSolve& q) {
          launch(context.queue(), kernel(),
                 LaswpTrsm{q.diagonal, q.b, static_cast<cl_uint>(q.block),
                           static_cast<cl_uint>(q.columns), static_cast<cl_uint>(q.hole_begin),
                           static_cast<cl_uint>(q.hole_end), solve, q.pivots, 0});
        });
  });
  if (!works) setting_.kernels.none_works("row exchanges", {role});
  return *(chosen = &kernel());
}

Kernel& LaswpTrsmKernels::working_trsm() {
  if (trsm_ != nullptr) return *trsm_;
  Context& context = setting_.context();
  const cl_uint rows = solve_block_ - 5, columns = strip_ + 3;
  const char* const file = laswp_trsm_variant().file;
  const Defines build = macros(Which::block_solve, solve_block_);
  const auto kernel = [&]() -> Kernel& { return setting_.kernels.get(file, "block_solve", build); };
  const std::string role = role_of("block_solve");
  const bool works = setting_.kernels.works(role, file, build, [&] {
    for (const bool upper : {false, true})
      require_triangular_solve(context, setting_.kernels.number(), rows, columns, upper,
                               [&](const MatrixView& t, const MatrixView& b) {
                                 launch(context.queue(), kernel(), t, b, rows, columns, upper);
                               });
  });
  if (!works) setting_.kernels.none_works("triangular solves", {role});
  return *(trsm_ = &kernel());
}

void LaswpTrsmKernels::launch(const cl::CommandQueue& queue, Kernel& kernel,
                              const LaswpTrsm& call) const {
  cl_uint index = 0;
  pass_view(kernel, index, call.diagonal);
  pass_view(kernel, index, call.b);
  kernel.set_arguments_from(index, call.block, call.columns, call.hole_begin, call.hole_end,
                            cl_uint{call.solve ? 1U : 0U}, call.pivots, cl_ulong{call.row},
                            call.row);
  launch_groups(queue, kernel, ceil_div(call.columns, strip_), group_of(call.block));
}

void LaswpTrsmKernels::launch(const cl::CommandQueue& queue, Kernel& kernel, const MatrixView& t,
                              const MatrixView& b, cl_uint size, cl_uint nrhs, bool upper) const {
  cl_uint index = 0;
  pass_view(kernel, index, t);
  pass_view(kernel, index, b);
  kernel.set_arguments_from(index, size, nrhs, cl_uint{upper ? 1U : 0U});
  launch_groups(queue, kernel, ceil_div(nrhs, strip_), solve_block_);
}

void LaswpTrsmKernels::laswp_trsm(const cl::CommandQueue& queue, const LaswpTrsm& call) {
  launch(queue, working_swap(call.block, call.solve), call);
}

void LaswpTrsmKernels::trsm(const cl::CommandQueue& queue, const MatrixView& t, const MatrixView& b,
                            cl_uint size, cl_uint nrhs, bool upper) {
  launch(queue, working_trsm(), t, b, size, nrhs, upper);
}

}  // namespace clgauss
