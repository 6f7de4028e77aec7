#include "kernels/lu/lu_small.hpp"

#include <algorithm>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/known_answers.hpp"
#include "linalg/lu/pivots.hpp"

namespace clgauss {

namespace {

/// Local memory for a system of n rows.
std::uint64_t small_local_bytes(std::uint64_t n, RealType type) {
  return n * (n + 2) * bytes_of(type) + 512;
}

/// The largest n whose matrix fits into local memory.
int usual_limit(const Setting& at) {
  if (at.device.max_work_group_size < 512) return 0;
  auto n = static_cast<int>(kLargestSmallSystem);
  while (n > 0 &&
         small_local_bytes(static_cast<std::uint64_t>(n), at.type) > at.device.static_local_bytes())
    --n;
  return n;
}

std::vector<Demand> small_demands(const Parameters& parameters, RealType type) {
  const int n = value_of(parameters, "SMALL_N");
  if (n == 0) return {};
  return {{"SMALL_GROUP", static_cast<std::size_t>(value_of(parameters, "SMALL_GROUP"))},
          {"SMALL_N", 0, small_local_bytes(static_cast<std::uint64_t>(n), type)}};
}

void ask(Context& context, RealType type, const KernelVariant& variant) {
  UsualLu usual(context, type);
  usual.setting.n = 100;
  const cl::Buffer pivots =
      context.allocate(usual.setting.n * sizeof(cl_int), "the pivots of an LU");
  (void)LuSmall(usual.setting, pivots).works_with(variant);
}

}  // namespace

const KernelVariant& lu_small_variant() {
  static const KernelVariant variant{
      .name = "lu_small",
      .file = "lu_small.cl",
      .parameters = {{.name = "SMALL_N",  // the largest n; 0 = never used
                      .least = 0,
                      .most = static_cast<int>(kLargestSmallSystem),
                      .usual = usual_limit,
                      .macro = false},
                     {.name = "SMALL_GROUP",
                      .least = 32,
                      .most = 1024,
                      .step = 32,
                      .usual = [](const Setting&) { return 512; },
                      .macro = false}},
      .lacks = [](Context& context) -> std::string {
        return usual_limit({context.profile(), RealType::f32, 0}) > 0
                   ? ""
                   : "it needs work-groups of 512 work-items";
      },
      .ask = [](Context& context, RealType type) { ask(context, type, lu_small_variant()); },
      .demands = small_demands};
  return variant;
}

cl_uint columns_sub_groups(cl_uint n) { return round_up(n, 32) / 8; }

const KernelVariant& lu_small_columns_variant() {
  static const KernelVariant variant{.name = "lu_small_columns",
                                     .file = "lu_small_columns.cl",
                                     .parameters = {},
                                     .lacks = lacks_ptx,
                                     .ask = [](Context& context, RealType type) {
                                       ask(context, type, lu_small_columns_variant());
                                     }};
  return variant;
}

LuSmall::LuSmall(const LuSetting& setting, const cl::Buffer& pivots)
    : setting_(setting),
      pivots_(pivots),
      n_(static_cast<cl_uint>(setting.n)),
      most_(setting.number("SMALL_N")),
      group_(setting.number("SMALL_GROUP")) {}

LuSmall::Way LuSmall::portable() const {
  return {&lu_small_variant(),
          with_parameters(lu_small_variant(), setting_.parameters,
                          {{"SMALL_N", std::to_string(std::min(round_up(n_, 32), most_))},
                           {"SMALL_NRHS", "1"},
                           {"WG_SIZE", std::to_string(group_)}}),
          group_};
}

LuSmall::Way LuSmall::columns() const {
  const cl_uint most = round_up(n_, 32), sub_groups = columns_sub_groups(n_);
  return {&lu_small_columns_variant(),
          {{"MOST_N", std::to_string(most)},
           {"SUB_GROUPS", std::to_string(sub_groups)},
           {"KERNEL", "1"}},
          sub_groups * 32};
}

LuSmall::Way LuSmall::way(const KernelVariant& variant) const {
  return &variant == &lu_small_columns_variant() ? columns() : portable();
}

bool LuSmall::works_with(const KernelVariant& variant) {
  Context& context = setting_.context();
  if (const std::string lacks = variant.lacks(context); !fits() || !lacks.empty()) {
    if (!lacks.empty()) context.trials().pass_over({variant.name, variant.file, {}}, lacks);
    return false;
  }
  const Way way = this->way(variant);
  return setting_.kernels.works(variant.name, variant.file, way.macros, [&] {
    require_solution(context, setting_.kernels.type(), n_,
                     [&](const MatrixView& a, const MatrixView& b) {
                       launch(way, context.queue(), a, b, 1);
                       return read_pivots<cl_int>(context.queue(), pivots_, n_, n_);
                     });
  });
}

bool LuSmall::works() {
  if (!asked_) {
    asked_ = true;
    for (const KernelVariant* variant : {&lu_small_columns_variant(), &lu_small_variant()})
      if (!way_ && works_with(*variant)) way_ = way(*variant);
  }
  return way_.has_value();
}

void LuSmall::gesv(const cl::CommandQueue& queue, const MatrixView& a, const MatrixView& b,
                   cl_uint nrhs) {
  launch(*way_, queue, a, b, nrhs);
}

void LuSmall::launch(const Way& way, const cl::CommandQueue& queue, const MatrixView& a,
                     const MatrixView& b, cl_uint nrhs) {
  Kernel& small = setting_.kernels.get(way.variant->file, "lu_small", way.macros);
  cl_uint index = 0;
  pass_view(small, index, a);
  small.set_arguments_from(index++, n_);
  pass_view(small, index, b);
  small.set_arguments_from(index, nrhs, pivots_, cl_ulong{0}, setting_.flags.buffer());
  launch_groups(queue, small, 1, way.work_items);
}

}  // namespace clgauss
