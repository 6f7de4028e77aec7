#include "tuner/search/gemm_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>

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

/// Rules as "what", or empty.
std::string broken_simt_rule(const GemmSpec& spec) {
  const auto v = [&](const char* name) { return spec.value(name); };
  const int vec = v("VEC_WIDTH"), wg = v("WG_M") * v("WG_N"), k = v("TILE_K");
  if (v("TILE_M") % (v("WG_M") * vec) != 0 || v("TILE_N") % (v("WG_N") * vec) != 0 ||
      k % vec != 0 || v("PAD") % vec != 0)
    return "VEC_WIDTH must divide TILE_M / WG_M, TILE_N / WG_N, TILE_K and PAD";
  if (v("WG_M") % v("LANES_M") != 0 || v("WG_N") % v("LANES_N") != 0)
    return "LANES_M must divide WG_M, LANES_N must divide WG_N";
  if (v("TILE_M") * k % (vec * wg) != 0 || v("TILE_N") * k % (vec * wg) != 0)
    return "every work-item must load the same number of vectors of A, and of B";
  const int accumulators = v("TILE_M") / v("WG_M") * (v("TILE_N") / v("WG_N"));
  if (accumulators * static_cast<int>(bytes_of(spec.type)) > 640)
    return "a work-item's accumulators must fit 160 registers of 4 bytes";
  return {};
}

std::string broken_nvidia_rule(const GemmSpec& spec) {
  const auto v = [&](const char* name) { return spec.value(name); };
  const bool f64 = spec.type == RealType::f64;
  const int chunk = f64 ? 2 : 4, tile_k = v("TILE_K");
  if (v("TILE_M") % v("SG_M") != 0 || v("TILE_N") % v("SG_N") != 0)
    return "the sub-group tile must divide the tile";
  const int wg = static_cast<int>(spec.work_group_size());
  const int chunks_a = tile_k / chunk, chunks_b = v("TILE_N") / chunk;
  if (wg % chunks_a != 0 || wg % chunks_b != 0 || v("TILE_M") % (wg / chunks_a) != 0 ||
      tile_k % (wg / chunks_b) != 0)
    return "the work-group must copy whole rows, and a whole number of times";
  const int rows_a = wg / chunks_a, rows_b = wg / chunks_b;
  if (f64 && (rows_a % 4 != 0 || rows_b % 4 != 0))
    return "the work-group must copy a multiple of 4 rows of A, and of B, at once";
  if (!f64 && (rows_a % 2 != 0 || (rows_b & (rows_b - 1)) != 0))
    return "the work-group must copy an even number of rows of A and a power of two of rows of B "
           "at once";
  if (f64 && v("TILE_M") % (v("C_BATCH") * rows_b) != 0)
    return "TILE_M must be a multiple of C_BATCH times the rows of C that are moved at once";
  if (f64 && v("TILE_M") * (v("TILE_N") + 8) > v("STAGES") * tile_k * (v("TILE_M") + v("TILE_N")))
    return "the tile of C does not fit the slots";
  if (v("SG_M") * v("SG_N") / 32 * static_cast<int>(bytes_of(spec.type)) > 640)
    return "a work-item's accumulators must fit 160 registers of 4 bytes";
  return {};
}

std::string broken_cpu_rule(const GemmSpec& spec) {
  const auto v = [&](const char* name) { return spec.value(name); };
  const int vectors = v("NR") / v("VEC_WIDTH");
  if (v("NR") % v("VEC_WIDTH") != 0 || vectors > 4) return "NR must be 1, 2, 3 or 4 vectors";
  if (v("KC") % v("PACK_STEPS") != 0) return "PACK_STEPS must divide KC";
  if (v("MR") * vectors + vectors + 1 > 32) return "the register tile must fit 32 registers";
  return {};
}

/// Local memory that NVIDIA's driver gives statically beyond the 48 KiB that it reports.
constexpr std::size_t kNvidiaLocalBytes = 200 * 1024;

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

std::string broken_rule(const GemmSpec& spec) {
  if (spec.is_for_cpu()) return broken_cpu_rule(spec);
  return spec.needs_nvidia() ? broken_nvidia_rule(spec) : broken_simt_rule(spec);
}

std::string exceeded_limit(const GemmSpec& spec, const DeviceProfile& device) {
  if (spec.is_for_cpu()) return {};
  if (spec.work_group_size() > device.max_work_group_size)
    return fmt::format("{} work-items a work-group, the device takes {}", spec.work_group_size(),
                       device.max_work_group_size);
  const std::size_t local = spec.needs_nvidia() ? kNvidiaLocalBytes : device.local_mem_bytes;
  if (spec.local_bytes() > local)
    return fmt::format("{} bytes of local memory, the device has {}", spec.local_bytes(), local);
  return {};
}

GemmSpec built_in_gemm_spec(Context& context, const GemmTask& task) {
  Gemm gemm(context, task.type);
  const bool update = task.use == GemmUse::update;
  const MatrixView a{{}, 0, task.shape.k}, b{{}, 0, task.shape.n}, c = b;
  const std::string name = gemm.kernel_name(task.shape, a, b, c, update ? -1 : 1, update ? 1 : 0);
  const auto found = std::ranges::find(gemm_specs(), name, &GemmSpec::name);
  return found == gemm_specs().end() ? default_cpu_gemm_spec(context.profile(), task.type) : *found;
}

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
