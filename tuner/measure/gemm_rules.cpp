#include "tuner/measure/gemm_rules.hpp"

namespace clgauss::tune {

namespace {

/// What would build, and be slow: registers that spill.
std::string wasteful(const GemmSpec& spec) {
  const auto v = [&](const char* name) { return spec.value(name); };
  if (spec.is_for_cpu()) {
    const int vectors = v("NR") / v("VEC_WIDTH");
    return v("MR") * vectors + vectors + 1 > 32 ? "the register tile must fit 32 registers" : "";
  }
  const int accumulators = spec.needs_ptx() ? v("SG_M") * v("SG_N") / 32
                                            : v("TILE_M") / v("WG_M") * (v("TILE_N") / v("WG_N"));
  return accumulators * static_cast<int>(bytes_of(spec.type)) > 640
             ? "a work-item's accumulators must fit 160 registers of 4 bytes"
             : "";
}

}  // namespace

std::string broken_rule(const GemmSpec& spec) {
  const std::string rule = spec.variant().broken_rule(spec.parameters, spec.type);
  return rule.empty() ? wasteful(spec) : rule;
}

std::string exceeded_limit(const GemmSpec& spec, const DeviceProfile& device) {
  const KernelVariant* const variant = &spec.variant();
  return exceeded_demand({&variant, 1}, spec.parameters, device, spec.type);
}

}  // namespace clgauss::tune
