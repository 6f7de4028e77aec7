#include <clgauss/lab/variant.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/context.hpp>
#include <clgauss/error.hpp>

#include "kernels/common/variants.hpp"

namespace clgauss {

namespace {

/// For const and for mutable lists.
template <typename List>
auto& find(List& parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, name, &Parameters::value_type::first);
  if (found == parameters.end())
    throw UsageError(fmt::format("there is no parameter {} in the list", name));
  return found->second;
}

const ParameterSpec* find_spec(Variants variants, std::string_view name) {
  for (const KernelVariant* variant : variants)
    for (const ParameterSpec& spec : variant->parameters)
      if (spec.name == name) return &spec;
  return nullptr;
}

void check_value(const std::string& what, const ParameterSpec& spec, int value) {
  if (value >= spec.least && value <= spec.most && value % spec.step == 0) return;
  throw UsageError(fmt::format(
      "{}: {} = {} must lie in {} .. {}{}", what, spec.name, value, spec.least, spec.most,
      spec.step > 1 ? fmt::format(" and be a multiple of {}", spec.step) : ""));
}

}  // namespace

int value_of(const Parameters& parameters, std::string_view name) { return find(parameters, name); }

void set_value(Parameters& parameters, std::string_view name, int value) {
  find(parameters, name) = value;
}

std::span<const KernelVariant* const> kernel_variants() {
  static const std::vector<const KernelVariant*> all = [] {
    std::vector<const KernelVariant*> list;
    for (const Variants group :
         {lu_cpu_variants(), lu_gpu_variants(), lu_columns_variants(), gemm_variants(),
          batched_variants(), rbt_variants(), gauss_variants(), condition_variants(),
          trsm_variants(), residual_variants(), residual_integer_variants(), refine_variants(),
          inverse_variants(), cholesky_variants(), ldlt_variants(), iteration_variants(),
          qr_variants(), complex_variants()})
      list.insert(list.end(), group.begin(), group.end());
    return list;
  }();
  return all;
}

Parameters usual_parameters(Variants variants, const Setting& setting) {
  Parameters parameters;
  for (const KernelVariant* variant : variants)
    for (const ParameterSpec& spec : variant->parameters)
      parameters.emplace_back(spec.name, spec.usual(setting));
  return parameters;
}

void check_parameters(const std::string& what, Variants variants, const Parameters& parameters,
                      RealType type) {
  for (const auto& [name, value] : parameters) {
    const ParameterSpec* spec = find_spec(variants, name);
    if (spec == nullptr) throw UsageError(fmt::format("{} has no parameter {}", what, name));
    if (std::ranges::count(parameters, name, &Parameters::value_type::first) > 1)
      throw UsageError(fmt::format("{} gives {} twice", what, name));
    check_value(what, *spec, value);
  }
  for (const KernelVariant* variant : variants) {
    for (const ParameterSpec& spec : variant->parameters)
      if (!std::ranges::count(parameters, spec.name, &Parameters::value_type::first))
        throw UsageError(fmt::format("{} needs the parameter {}", what, spec.name));
    if (variant->broken_rule == nullptr) continue;
    if (const std::string rule = variant->broken_rule(parameters, type); !rule.empty())
      throw UsageError(what + ": " + rule);
  }
}

std::string exceeded_demand(Variants variants, const Parameters& parameters,
                            const DeviceProfile& device, RealType type) {
  const auto text = [&](const char* name, std::uint64_t needed, std::uint64_t there,
                        const char* unit) {
    return fmt::format("{} = {} needs {} {}, {} allows {}", name, value_of(parameters, name),
                       needed, unit, device.name, there);
  };
  for (const KernelVariant* variant : variants) {
    if (variant->demands == nullptr) continue;
    for (const auto& [name, work_items, local_bytes] : variant->demands(parameters, type)) {
      if (work_items > device.max_work_group_size)
        return text(name, work_items, device.max_work_group_size, "work-items a group");
      if (local_bytes > device.static_local_bytes())
        return text(name, local_bytes, device.static_local_bytes(), "bytes of local memory");
    }
  }
  return {};
}

std::uint64_t workspace_bytes(Variants variants, const Parameters& parameters,
                              const Setting& setting) {
  std::uint64_t bytes = 0;
  for (const KernelVariant* variant : variants)
    if (variant->workspace_bytes != nullptr) bytes += variant->workspace_bytes(parameters, setting);
  return bytes;
}

std::string not_multiple(const Parameters& parameters, const char* name, const char* of) {
  const int value = value_of(parameters, name), unit = value_of(parameters, of);
  return value % unit == 0
             ? ""
             : fmt::format("{} = {} must be a multiple of {} = {}", name, value, of, unit);
}

std::string not_power_of_two(const Parameters& parameters, const char* name) {
  const int value = value_of(parameters, name);
  return (value & (value - 1)) == 0 ? "" : fmt::format("{} must be a power of two", name);
}

Defines with_parameters(const KernelVariant& variant, const Parameters& parameters, Defines own) {
  for (const ParameterSpec& spec : variant.parameters)
    if (spec.macro) own.emplace_back(spec.name, std::to_string(value_of(parameters, spec.name)));
  return own;
}

Defines macros_of(const KernelVariant& variant, RealType type, const Parameters& parameters) {
  return with_parameters(variant, parameters, real_defines(type));
}

std::string lacks_nothing(Context& /*context*/) { return {}; }

std::string lacks_fp64(Context& context) {
  return context.profile().fp64 ? std::string() : "the device has no fp64";
}
std::string lacks_ptx(Context& context) { return context.profile().lacks_ptx(); }

}  // namespace clgauss
