#include "tuner/search/gemm_space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <clgauss/error.hpp>

#include "tuner/measure/gemm_rules.hpp"

namespace clgauss::tune {

namespace {

/// The variant of this name. Throws UsageError unless there is one.
const KernelVariant& variant_named(std::string_view kernel) {
  for (const KernelVariant* variant : gemm_variants())
    if (kernel == variant->name) return *variant;
  throw UsageError(fmt::format("the kernel '{}' is not one of: {}", kernel,
                               fmt::join(gemm_kernel_names(), ", ")));
}

void put(Parameters& parameters, const Configuration& configuration) {
  for (const auto& [name, value] : configuration)
    set_value(parameters, name, static_cast<int>(std::get<std::int64_t>(value)));
}

Configuration configuration_of(const Parameters& parameters) {
  Configuration configuration;
  for (const auto& [name, value] : parameters) configuration.emplace_back(name, value);
  return configuration;
}

/// The built-in spec if it is of the variant, else the first of the variant and the type.
GemmSpec base_of(Context& context, const GemmTask& task, const KernelVariant& variant,
                 const GemmSpec& built_in) {
  if (built_in.file == variant.file) return built_in;
  const GemmSpec cpu = default_cpu_gemm_spec(context.profile(), task.type);
  if (cpu.file == variant.file) return cpu;
  for (const GemmSpec& spec : gemm_specs())
    if (spec.file == variant.file && spec.type == task.type) return spec;
  throw UsageError(
      fmt::format("the kernel {} is not for {}", variant.name, real_type_name(task.type)));
}

/// The largest vector that the leading dimensions allow.
Index aligned_to(const GemmTask& task) {
  for (const Index vec : {Index{4}, Index{2}})
    if (task.shape.n % vec == 0 && task.shape.k % vec == 0) return vec;
  return 1;
}

/// The parameters that a tuner varies, of those named in `vary` if it names any.
std::vector<Parameter> choices_of(const KernelVariant& variant,
                                  const std::vector<std::string>& vary) {
  std::vector<Parameter> choices;
  for (const ParameterSpec& spec : variant.parameters)
    if (!spec.tried.empty() && (vary.empty() || std::ranges::count(vary, spec.name) > 0))
      choices.push_back({spec.name, {spec.tried.begin(), spec.tried.end()}});
  for (const std::string& name : vary)
    if (std::ranges::find(choices, name, &Parameter::name) == choices.end())
      throw UsageError(
          fmt::format("the kernel {} has no parameter '{}' to vary", variant.name, name));
  return choices;
}

}  // namespace

std::vector<std::string> gemm_kernel_names() {
  std::vector<std::string> names;
  for (const KernelVariant* variant : gemm_variants()) names.emplace_back(variant->name);
  return names;
}

GemmSpec GemmSpace::spec(std::size_t configuration) const {
  GemmSpec spec = base;
  put(spec.parameters, space.configuration(configuration));
  spec.name = fmt::format("{}_{}", base.name, configuration);
  return spec;
}

GemmSpace gemm_space(Context& context, const GemmTask& task, std::string_view kernel,
                     const std::vector<std::string>& vary) {
  const GemmSpec built_in = built_in_gemm_spec(context, task);
  const KernelVariant& variant = kernel.empty() ? built_in.variant() : variant_named(kernel);
  GemmSpec base = base_of(context, task, variant, built_in);
  const Index alignment = aligned_to(task);
  const int mma_vec = task.type == RealType::f64 ? 2 : 4;
  if (base.needs_ptx())
    set_value(base.parameters, "VEC_WIDTH",
              alignment % static_cast<Index>(mma_vec) == 0 ? mma_vec : 1);
  else if (!base.is_for_cpu())
    set_value(base.parameters, "ALIGNED", alignment == 4 ? 1 : 0);

  std::vector<Parameter> all = choices_of(variant, vary);
  GemmSpec tried = base;
  std::vector<int*> places;
  for (const Parameter& choice : all)
    places.push_back(
        &std::ranges::find(tried.parameters, choice.name, &std::pair<std::string, int>::first)
             ->second);
  const auto valid = [&](const Space::Point& point) {
    for (std::size_t p = 0; p < point.size(); ++p)
      *places[p] = static_cast<int>(std::get<std::int64_t>(all[p].values[point[p]]));
    return broken_rule(tried).empty() && exceeded_limit(tried, context.profile()).empty();
  };
  GemmSpace result{std::move(base), Space(all, valid), {}};
  const auto add_seed = [&](const GemmSpec& spec) {
    if (const auto number = result.space.find(configuration_of(spec.parameters)))
      result.seeds.push_back(*number);
  };
  add_seed(built_in);
  for (const GemmSpec& spec : gemm_specs())
    if (spec.file == result.base.file && spec.type == task.type) add_seed(spec);
  if (result.base.is_for_cpu()) add_seed(default_cpu_gemm_spec(context.profile(), task.type));
  return result;
}

}  // namespace clgauss::tune
