#include <clgauss/lab/lu_spec.hpp>

#include <array>
#include <clgauss/context.hpp>
#include <clgauss/error.hpp>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/laswp_trsm.hpp"
#include "kernels/lu/lu_cpu.hpp"
#include "kernels/lu/lu_small.hpp"
#include "kernels/lu/panel.hpp"
#include "kernels/substitution/trsv.hpp"

namespace clgauss {

Variants lu_cpu_variants() {
  static const std::array<const KernelVariant*, 1> variants{&lu_cpu_variant()};
  return variants;
}

Variants lu_gpu_variants() {
  static const std::array variants{&panel_columns_variant(),    &panel_persistent_variant(),
                                   &panel_group_variant(),      &panel_waiting_variant(),
                                   &panel_tournament_variant(), &laswp_trsm_variant(),
                                   &trsv_persistent_variant(),  &trsv_variant(),
                                   &lu_small_columns_variant(), &lu_small_variant()};
  return variants;
}

Variants variants_of(LuFamily family) {
  return family == LuFamily::cpu ? lu_cpu_variants() : lu_gpu_variants();
}

std::string_view lu_family_name(LuFamily family) { return family == LuFamily::cpu ? "cpu" : "gpu"; }

LuSpec default_lu_spec(const DeviceProfile& device, RealType type, Index n, LuFamily family) {
  return {family, usual_parameters(variants_of(family), {device, type, n})};
}

LuSpec default_lu_spec(Context& context, RealType type, Index n, Pivoting pivoting) {
  const bool cpu = pivoting == Pivoting::partial && suits_cpu_kernels(context);
  return default_lu_spec(context.profile(), type, n, cpu ? LuFamily::cpu : LuFamily::gpu);
}

void check_lu_spec(const LuSpec& spec, const DeviceProfile& device, RealType type) {
  const Variants variants = variants_of(spec.family);
  check_parameters("the spec of an LU", variants, spec.parameters, type);
  if (const std::string more = exceeded_demand(variants, spec.parameters, device, type);
      !more.empty())
    throw DeviceLimit(more);
  if (spec.family == LuFamily::gpu && spec.value("PERSISTENT") == 1 && !device.lacks_ptx().empty())
    throw DeviceLimit("PERSISTENT = 1 on " + device.name + ": " + device.lacks_ptx());
  if (spec.family == LuFamily::cpu && spec.value("OPENCL_C") == 300 && !device.device_fences)
    throw DeviceLimit("OPENCL_C = 300 on " + device.name +
                      ": it has no fences that reach other work-groups");
}

}  // namespace clgauss
