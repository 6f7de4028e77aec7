#include "tuner/experiments/kernel_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tuner/experiments/lazy.hpp"
#include "tuner/measure/flops.hpp"
#include "tuner/measure/gemm_bench.hpp"
#include "tuner/measure/gemm_rules.hpp"
#include "tuner/measure/lu_bench.hpp"
#include "tuner/measure/solve_bench.hpp"
#include "tuner/rows/parameters_text.hpp"

namespace clgauss::tune {

namespace {

constexpr int kDeepestTile = 64;
constexpr std::size_t kMostWorkItems = 1U << 20U;  // far above what any device takes

/// As a parameter; what is too much stays too much.
int parameter_of(std::size_t local) { return static_cast<int>(std::min(local, kMostWorkItems)); }

/// The portable spec without demands on local memory and alignment: the last of its type.
const GemmSpec& simt_that_runs_everywhere(RealType type) {
  const auto& specs = gemm_specs();
  return *std::find_if(specs.rbegin(), specs.rend(), [&](const GemmSpec& spec) {
    return spec.file == "gemm_simt.cl" && spec.type == type;
  });
}

/// `base` with another work-group; its micro-tile stays.
GemmSpec reshaped(const GemmSpec& base, int wg_m, int wg_n, int tile_k, int vec_width) {
  GemmSpec spec = base;
  spec.name = fmt::format("simt_{}x{}", wg_m, wg_n);
  for (const auto& [name, value] :
       Parameters{{"TILE_M", base.value("TILE_M") / base.value("WG_M") * wg_m},
                  {"TILE_N", base.value("TILE_N") / base.value("WG_N") * wg_n},
                  {"TILE_K", tile_k},
                  {"WG_M", wg_m},
                  {"WG_N", wg_n},
                  {"LANES_M", std::gcd(wg_m, base.value("LANES_M"))},
                  {"LANES_N", std::gcd(wg_n, base.value("LANES_N"))},
                  {"VEC_WIDTH", vec_width},
                  {"PAD", vec_width}})
    set_value(spec.parameters, name, value);
  return spec;
}

/// The row of one n and work-group size, before it is measured.
Row row_of(const ExperimentInfo& info, Index n, std::size_t local, std::string parameters,
           double work) {
  Row row = row_for(info);
  row.rule = "fixed";
  row.n = n;
  row.local = local;
  row.parameters = std::move(parameters);
  row.work = work;
  return row;
}

Case gemm_case(Context& context, const ExperimentInfo& info, const KernelSweep& sweep,
               const Lazy<GemmBench>& bench, Index n, std::size_t local) {
  const auto spec = gemm_simt_spec(sweep.type, local);
  const std::size_t most = context.profile().max_work_group_size;
  Row row = row_of(info, n, local, spec ? parameters_text(spec->parameters) : "", product_flops(n));
  return single_case(std::move(row), [=, timeout_ns = 1e9 * sweep.timeout_s]() -> Prepared {
    if (local > most)
      return {{Status::device_limit,
               fmt::format("{} work-items a work-group, the device takes {}", local, most),
               {}}};
    if (!spec)
      return {
          {Status::constraint,
           fmt::format("every work-item must load the same number of vectors of A, and of B: no "
                       "WG_M x WG_N = {} does with a TILE_K of at most {}",
                       local, kDeepestTile),
           {}}};
    return bench->prepare(*spec, timeout_ns);
  });
}

Case panel_case(Context& context, const ExperimentInfo& info, const KernelSweep& sweep,
                const Lazy<LuBench>& bench, Index n, std::size_t local) {
  LuSpec spec = default_lu_spec(context.profile(), sweep.type, n, LuFamily::gpu);
  for (const auto& [name, value] : Parameters{{"PERSISTENT", 0},
                                              {"GROUP_ROWS", 0},
                                              {"SMALL_N", 0},
                                              {"TOURNAMENT_GROUP", parameter_of(local)}})
    set_value(spec.parameters, name, value);
  Row row = row_of(info, n, local, fmt::format("TOURNAMENT_GROUP={}", local),
                   lu_flops(n) + solve_flops(n, 1));
  row.detail = "the whole LU and its solve";
  return single_case(std::move(row), [=, timeout_ns = 1e9 * sweep.timeout_s] {
    return bench->prepare(spec, timeout_ns);
  });
}

Case trsm_case(Context& context, const ExperimentInfo& info, const KernelSweep& sweep,
               const Lazy<SolveBench>& bench, Index n, std::size_t local) {
  LuSpec spec = default_lu_spec(context.profile(), sweep.type, n, LuFamily::gpu);
  set_value(spec.parameters, "SOLVE_BLOCK", parameter_of(local));
  Row row = row_of(info, n, local, fmt::format("SOLVE_BLOCK={}", local), solve_flops(n, n));
  row.detail = "both solves with n right-hand sides, with the products between their blocks";
  return single_case(std::move(row), [=, timeout_ns = 1e9 * sweep.timeout_s] {
    return bench->prepare(spec, timeout_ns);
  });
}

/// The cases of one kernel; those of one n share a bench.
template <typename Bench, typename MakeBench, typename MakeCase>
std::vector<Case> cases_with(const KernelSweep& sweep, const MakeBench& make_bench,
                             const MakeCase& make_case) {
  std::vector<Case> cases;
  for (const Index n : sweep.sizes) {
    const Lazy<Bench> bench([=] { return make_bench(n); });
    // The middle one twice: the ends are where sizes fail.
    const std::size_t middle = (sweep.locals.size() - 1) / 2;
    for (std::size_t l = 0; l < sweep.locals.size(); ++l) {
      cases.push_back(make_case(bench, n, sweep.locals[l]));
      if (l == middle) cases.push_back(control_of(cases.back()));
    }
  }
  return cases;
}

}  // namespace

const char* kernel_name(SweptKernel kernel) {
  switch (kernel) {
    case SweptKernel::gemm:
      return "gemm_simt";
    case SweptKernel::panel:
      return "lu_panel";
    case SweptKernel::trsm:
      break;
  }
  return "lu_trsm";
}

std::optional<GemmSpec> gemm_simt_spec(RealType type, std::size_t local) {
  const GemmSpec& base = simt_that_runs_everywhere(type);
  if (local > kMostWorkItems) return std::nullopt;
  const int size = static_cast<int>(local), vector = base.value("VEC_WIDTH");
  const int side = static_cast<int>(std::sqrt(static_cast<double>(local)));
  for (int tile_k = base.value("TILE_K"); tile_k <= kDeepestTile; tile_k += 4)
    for (int vec_width = vector; vec_width > 0; vec_width /= 2)
      for (int wg_m = side; wg_m > 0; --wg_m) {
        if (size % wg_m != 0) continue;
        GemmSpec spec = reshaped(base, wg_m, size / wg_m, tile_k, vec_width);
        if (broken_rule(spec).empty()) return spec;
      }
  return std::nullopt;
}

std::vector<Case> kernel_cases(Context& context, const ExperimentInfo& info,
                               const KernelSweep& sweep) {
  const RealType type = sweep.type;
  const auto with = [&](const auto& make) {
    return [&](const auto& bench, Index n, std::size_t local) {
      return make(context, info, sweep, bench, n, local);
    };
  };
  switch (sweep.kernel) {
    case SweptKernel::gemm:
      return cases_with<GemmBench>(
          sweep,
          [&context, type](Index n) {
            return std::make_unique<GemmBench>(context,
                                               GemmTask{type, GemmUse::general, {n, n, n}});
          },
          with(gemm_case));
    case SweptKernel::panel:
      return cases_with<LuBench>(
          sweep, [&context, type](Index n) { return std::make_unique<LuBench>(context, type, n); },
          with(panel_case));
    case SweptKernel::trsm:
      break;
  }
  return cases_with<SolveBench>(
      sweep, [&context, type](Index n) { return std::make_unique<SolveBench>(context, type, n); },
      with(trsm_case));
}

}  // namespace clgauss::tune
