#include <clgauss/lab/lu_spec.hpp>

#include <array>
#include <clgauss/context.hpp>
#include <clgauss/error.hpp>
#include <vector>

#include "device/quirks.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/laswp_trsm.hpp"
#include "kernels/lu/lu_cpu.hpp"
#include "kernels/lu/lu_panels.hpp"
#include "kernels/lu/lu_small.hpp"
#include "kernels/substitution/trsv.hpp"

namespace clgauss {

namespace {

/// The parameters of the blocked LU itself. The exchanges of a block use work-groups with one
/// work-item per row of the block.
const KernelVariant& lu_blocks_variant() {
  static const KernelVariant variant{
      .name = "lu_blocks",
      .file = "",
      .parameters =
          {// On an H200, up to n = 2048 the panel takes most of the time, and a wider block only
           // costs launches. Above, 128 columns keep the update's memory traffic below its
           // arithmetic. For a large matrix, twice as many halve how often it is read and written
           // (n = 32768: 663 ms instead of 775 in f64, 526 instead of 582 in f32).
           {.name = "NB",
            .least = 32,
            .most = 1024,
            .step = kPanelWidth,
            .usual =
                [](const Setting& at) {
                  return laswp_trsm_rows(at.n <= 2048    ? 32
                                         : at.n <= 12288 ? 128
                                                         : 256,
                                         at.device, at.type);
                },
            .tried = {32, 64, 96, 128, 192, 256},
            .macro = false},
           // Look-ahead: from this many remaining rows on, the update takes longer than the panels
           // of the next block, which are therefore factored during it; 0 = never. On an H200, f64
           // and f32, in ms (without look-ahead in brackets): n = 3072 7.1 (7.2) and 7.0 (7.0),
           // 4096 9.8 (10.6) and 9.7 (10.0), 8192 23.6 (28.7) and 22.7 (27.0), 16384 91 (110) and
           // 76 (93). A wrong value costs time: with 12000, n = 8192 takes 30.7 and 28.6. Devices
           // that were not measured therefore do without.
           {.name = "AHEAD",
            .least = 0,
            .most = 1 << 30,
            .usual =
                [](const Setting& at) {
                  return at.n > 3072 && gains_by_look_ahead(at.device) ? 8192 : 0;
                },
            .tried = {0, 2048, 4096, 8192},
            .macro = false}},
      .lacks = lacks_nothing,
      .ask = [](Context&, RealType) {},
      .workspace_bytes = [](const Parameters& parameters, const Setting& at) -> std::uint64_t {
        const auto nb = static_cast<Index>(value_of(parameters, "NB"));  // a tile counter per block
        return value_of(parameters, "AHEAD") == 0 ? 0 : (at.n + nb - 1) / nb * sizeof(cl_uint);
      }};
  return variant;
}

}  // namespace

Variants lu_cpu_variants() {
  static const std::array<const KernelVariant*, 1> variants{&lu_cpu_variant()};
  return variants;
}

Variants lu_gpu_variants() {
  static const std::vector<const KernelVariant*> variants = [] {
    std::vector<const KernelVariant*> all = panel_variants();
    all.insert(all.end(), {&lu_blocks_variant(), &laswp_trsm_variant(), &trsv_persistent_variant(),
                           &trsv_variant(), &lu_small_columns_variant(), &lu_small_variant()});
    return all;
  }();
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
