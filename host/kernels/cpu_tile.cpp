#include "kernels/cpu_tile.hpp"

#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/parameter_rules.hpp"

namespace clgauss {

Parameters default_cpu_tile(const DeviceProfile& device, RealType type) {
  const std::size_t vector_bytes = std::max<std::size_t>(16, device.native_vector_bytes);
  const int width = std::clamp(static_cast<int>(vector_bytes / bytes_of(type)), 4, 16);
  const bool wide = vector_bytes >= 64;
  return {{"VEC_WIDTH", width},
          {"MR", wide ? 12 : 4},
          {"NR", (wide ? 2 : 3) * width},
          {"UNROLL", 4},
          {"USE_FMA", device.fast_fma ? 1 : 0}};
}

void check_cpu_tile(const std::string& what, const Parameters& parameters) {
  const int width = value_of(parameters, "VEC_WIDTH");
  if (width == 12) throw UsageError(what + ": VEC_WIDTH must be 4, 8 or 16");
  check_multiple(what, parameters, "NR", "VEC_WIDTH");
  if (value_of(parameters, "NR") > 4 * width)
    throw UsageError(what + ": NR must be at most 4 VEC_WIDTH");
}

Defines cpu_tile_defines(RealType type, const Parameters& parameters) {
  Defines defines = real_defines(type);
  for (const char* macro : {"VEC_WIDTH", "MR", "NR", "UNROLL", "USE_FMA"})
    defines.emplace_back(macro, std::to_string(value_of(parameters, macro)));
  return defines;
}

bool suits_cpu_kernels(Context& context) {
  return context.profile().type == DeviceType::cpu && context.runs_long_loops();
}

}  // namespace clgauss
