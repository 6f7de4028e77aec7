#include "kernels/common/cpu_tile.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/common/variants.hpp"

namespace clgauss {

namespace {

int vector_bytes(const Setting& at) {
  return static_cast<int>(std::max<std::size_t>(16, at.device.native_vector_bytes));
}

int vec_width(const Setting& at) {
  return std::clamp(vector_bytes(at) / static_cast<int>(bytes_of(at.type)), 4, 16);
}

bool is_wide(const Setting& at) { return vector_bytes(at) >= 64; }

}  // namespace

std::vector<ParameterSpec> cpu_tile_parameters() {
  return {{.name = "VEC_WIDTH",
           .least = 4,
           .most = 16,
           .step = 4,
           .usual = vec_width,
           .tried = {4, 8, 16}},
          {.name = "MR",
           .least = 4,
           .most = 14,
           .step = 2,
           .usual = [](const Setting& at) { return is_wide(at) ? 12 : 4; },
           .tried = {4, 6, 8, 10, 12, 14}},
          {.name = "NR",
           .least = 4,
           .most = 64,
           .step = 4,
           .usual = [](const Setting& at) { return (is_wide(at) ? 2 : 3) * vec_width(at); },
           .tried = {4, 8, 12, 16, 24, 32, 48, 64}},
          {.name = "UNROLL",
           .least = 1,
           .most = 64,
           .usual = [](const Setting&) { return 4; },
           .tried = {1, 2, 4, 8}},
          {.name = "USE_FMA", .least = 0, .most = 1, .usual = [](const Setting& at) {
             return at.device.fast_fma ? 1 : 0;
           }}};
}

std::vector<ParameterSpec> with_cpu_tile(std::vector<ParameterSpec> more) {
  std::vector<ParameterSpec> all = cpu_tile_parameters();
  for (ParameterSpec& of_tile : all) of_tile.tried.clear();
  std::ranges::move(more, std::back_inserter(all));
  return all;
}

int usual_tile(const Setting& setting, std::string_view name) {
  const auto all = cpu_tile_parameters();
  return std::ranges::find(all, name, [](const auto& of) { return std::string_view(of.name); })
      ->usual(setting);
}

int usual_language(const Setting& setting) { return setting.device.device_fences ? 300 : 120; }

std::string broken_tile_rule(const Parameters& parameters, RealType /*type*/) {
  const int width = value_of(parameters, "VEC_WIDTH");
  if (width == 12) return "VEC_WIDTH must be 4, 8 or 16";
  if (value_of(parameters, "NR") > 4 * width) return "NR must be at most 4 VEC_WIDTH";
  return not_multiple(parameters, "NR", "VEC_WIDTH");
}

std::string lacks_long_loops(Context& context) {
  return context.profile().type == DeviceType::cpu && context.runs_long_loops()
             ? ""
             : "it is for CPUs whose work-items may run long loops";
}

}  // namespace clgauss
