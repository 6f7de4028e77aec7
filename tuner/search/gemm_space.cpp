#include "tuner/search/gemm_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>

#include "tuner/measure/gemm_rules.hpp"

namespace clgauss::tune {

namespace {

struct Choices {
  const char* name;
  std::vector<int> values;
};

struct Family {
  std::string_view name;
  const char* file;
  std::vector<Choices> choices;  // of the parameters that vary
};

const std::vector<Family>& families() {
  static const std::vector<Family> all{{"simt",
                                        "gemm_simt.cl",
                                        {{"TILE_M", {16, 32, 64, 128, 256}},
                                         {"TILE_N", {32, 64, 128, 256}},
                                         {"TILE_K", {8, 16, 32}},
                                         {"WG_M", {4, 8, 16, 32}},
                                         {"WG_N", {4, 8, 16, 32}},
                                         {"LANES_M", {1, 2, 4, 8}},
                                         {"LANES_N", {4, 8, 16, 32}},
                                         {"VEC_WIDTH", {1, 2, 4}},
                                         {"PAD", {0, 1, 2, 4}},
                                         {"RASTER", {1, 4, 8, 16}}}},
                                       {"nvidia_f64",
                                        "gemm_nvidia_f64.cl",
                                        {{"TILE_M", {32, 64, 128, 256}},
                                         {"TILE_N", {32, 64, 128, 256}},
                                         {"TILE_K", {16, 32, 64}},
                                         {"SG_M", {16, 32, 64}},
                                         {"SG_N", {16, 32, 64}},
                                         {"STAGES", {2, 3, 4, 5, 6}},
                                         {"MMA_K", {4, 8}},
                                         {"C_BATCH", {2, 4, 8, 16, 32}},
                                         {"RASTER", {4, 8, 16, 32}}}},
                                       {"nvidia_tf32x3",
                                        "gemm_nvidia_tf32x3.cl",
                                        {{"TILE_M", {32, 64, 128, 256}},
                                         {"TILE_N", {32, 64, 128, 256}},
                                         {"TILE_K", {16, 32, 64}},
                                         {"SG_M", {16, 32, 64}},
                                         {"SG_N", {32, 64}},
                                         {"STAGES", {2, 3, 4, 5, 6}},
                                         {"ACC_K", {8, 16}},
                                         {"RASTER", {4, 8, 16, 32}},
                                         {"PREFETCH_C", {0, 1}}}},
                                       {"cpu",
                                        "gemm_cpu.cl",
                                        {{"VEC_WIDTH", {4, 8, 16}},
                                         {"MR", {4, 6, 8, 10, 12, 14}},
                                         {"NR", {4, 8, 12, 16, 24, 32, 48, 64}},
                                         {"UNROLL", {1, 2, 4, 8}},
                                         {"PACK_STEPS", {4, 8, 16}},
                                         {"KC", {128, 192, 256, 320, 384, 512, 768}},
                                         {"MC", {48, 96, 144, 192, 288}},
                                         {"NC", {128, 256, 512, 1024}}}}};
  return all;
}

const Family& family_of(std::string_view file) {
  return *std::ranges::find_if(families(), [&](const Family& one) { return one.file == file; });
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

/// The built-in spec if it is of the family, else the first of the family that suits the task.
GemmSpec base_of(Context& context, const GemmTask& task, const Family& family,
                 const GemmSpec& built_in) {
  if (built_in.file == family.file) return built_in;
  if (family.name == "cpu") return default_cpu_gemm_spec(context.profile(), task.type);
  for (const GemmSpec& spec : gemm_specs())
    if (spec.file == family.file && spec.type == task.type &&
        (spec.use == task.use || !spec.needs_nvidia()))
      return spec;
  throw UsageError(
      fmt::format("the kernel {} is not for {}", family.name, real_type_name(task.type)));
}

/// The largest vector that the leading dimensions allow.
Index aligned_to(const GemmTask& task) {
  for (const Index vec : {Index{4}, Index{2}})
    if (task.shape.n % vec == 0 && task.shape.k % vec == 0) return vec;
  return 1;
}

/// The family's choices, of those named in `vary` if it names any.
std::vector<Choices> choices_of(const Family& family, const std::vector<std::string>& vary) {
  if (vary.empty()) return family.choices;
  std::vector<Choices> choices;
  for (const std::string& name : vary) {
    const auto found = std::ranges::find(family.choices, name, &Choices::name);
    if (found == family.choices.end())
      throw UsageError(
          fmt::format("the kernel {} has no parameter '{}' to vary", family.name, name));
    choices.push_back(*found);
  }
  return choices;
}

}  // namespace

GemmSpec GemmSpace::spec(std::size_t configuration) const {
  GemmSpec spec = base;
  put(spec.parameters, space.configuration(configuration));
  spec.name = fmt::format("{}_{}", base.name, configuration);
  return spec;
}

GemmSpace gemm_space(Context& context, const GemmTask& task, std::string_view kernel,
                     const std::vector<std::string>& vary) {
  const auto named = std::ranges::find(families(), kernel, &Family::name);
  if (named == families().end() && !kernel.empty())
    throw UsageError(
        fmt::format("the kernel '{}' is not one of: simt, nvidia_f64, nvidia_tf32x3, cpu", kernel));
  const GemmSpec built_in = built_in_gemm_spec(context, task);
  const Family& family = kernel.empty() ? family_of(built_in.file) : *named;
  GemmSpec base = base_of(context, task, family, built_in);
  const Index alignment = aligned_to(task);
  const int nvidia_vec = task.type == RealType::f64 ? 2 : 4;
  if (base.needs_nvidia())
    set_value(base.parameters, "VEC_WIDTH",
              alignment % static_cast<Index>(nvidia_vec) == 0 ? nvidia_vec : 1);
  else if (!base.is_for_cpu())
    set_value(base.parameters, "ALIGNED", alignment == 4 ? 1 : 0);

  const std::vector<Choices> all = choices_of(family, vary);
  std::vector<Parameter> parameters;
  for (const Choices& choices : all)
    parameters.push_back({choices.name, {choices.values.begin(), choices.values.end()}});
  GemmSpec tried = base;
  std::vector<int*> places;
  for (const Choices& choices : all)
    places.push_back(
        &std::ranges::find(tried.parameters, choices.name, &std::pair<std::string, int>::first)
             ->second);
  const auto valid = [&](const Space::Point& point) {
    for (std::size_t p = 0; p < point.size(); ++p) *places[p] = all[p].values[point[p]];
    return broken_rule(tried).empty() && exceeded_limit(tried, context.profile()).empty();
  };
  GemmSpace result{std::move(base), Space(std::move(parameters), valid), {}};
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
