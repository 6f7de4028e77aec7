#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/gemm/gemm_backend.hpp"

namespace clgauss {

namespace {

ParameterSpec number(const char* name, std::vector<int> tried = {}) {
  return {.name = name, .least = 1, .most = 1024, .tried = std::move(tried)};
}

ParameterSpec flag(const char* name, std::vector<int> tried = {}) {
  return {.name = name, .least = 0, .most = 1, .tried = std::move(tried)};
}

/// Self-tests every spec of the file for the type.
template <const KernelVariant& (*variant)()>
void ask_specs(Context& context, RealType type) {
  for (const GemmSpec& spec : gemm_specs())
    if (spec.file == variant().file && spec.type == type) ask_gemm_gpu(context, spec);
}

Demand of_group(int work_items, int local_elements, RealType type) {
  return {"TILE_M", static_cast<std::size_t>(work_items),
          static_cast<std::uint64_t>(local_elements) * bytes_of(type)};
}

std::vector<Demand> simt_demands(const Parameters& parameters, RealType type) {
  const auto v = [&](const char* name) { return value_of(parameters, name); };
  const int tiles = v("TILE_K") * (v("TILE_M") + v("TILE_N"));
  return {of_group(v("WG_M") * v("WG_N"), 2 * (tiles + 2 * v("TILE_K") * v("PAD")), type)};
}

std::string broken_simt_rule(const Parameters& parameters, RealType /*type*/) {
  const auto v = [&](const char* name) { return value_of(parameters, name); };
  const int vec = v("VEC_WIDTH"), wg = v("WG_M") * v("WG_N"), k = v("TILE_K");
  if (v("TILE_M") % (v("WG_M") * vec) != 0 || v("TILE_N") % (v("WG_N") * vec) != 0 ||
      k % vec != 0 || v("PAD") % vec != 0)
    return "VEC_WIDTH must divide TILE_M / WG_M, TILE_N / WG_N, TILE_K and PAD";
  if (v("WG_M") % v("LANES_M") != 0 || v("WG_N") % v("LANES_N") != 0)
    return "LANES_M must divide WG_M, LANES_N must divide WG_N";
  if (v("TILE_M") * k % (vec * wg) != 0 || v("TILE_N") * k % (vec * wg) != 0)
    return "every work-item must load the same number of vectors of A, and of B";
  return {};
}

int sub_groups(const Parameters& parameters) {
  const auto v = [&](const char* name) { return value_of(parameters, name); };
  return (v("TILE_M") / v("SG_M")) * (v("TILE_N") / v("SG_N"));
}

std::vector<Demand> mma_demands(const Parameters& parameters, RealType type) {
  const auto v = [&](const char* name) { return value_of(parameters, name); };
  return {of_group(32 * sub_groups(parameters),
                   v("STAGES") * v("TILE_K") * (v("TILE_M") + v("TILE_N")), type)};
}

std::string broken_mma_rule(const Parameters& parameters, RealType type) {
  const auto v = [&](const char* name) { return value_of(parameters, name); };
  const bool f64 = type == RealType::f64;
  const int chunk = f64 ? 2 : 4, tile_k = v("TILE_K");
  for (const auto& [tile, part] : {std::pair("TILE_M", "SG_M"), {"TILE_N", "SG_N"}})
    if (const std::string rule = not_multiple(parameters, tile, part); !rule.empty()) return rule;
  const int wg = 32 * sub_groups(parameters);
  const int chunks_a = tile_k / chunk, chunks_b = v("TILE_N") / chunk;
  if (chunks_a == 0 || chunks_b == 0 || wg % chunks_a != 0 || wg % chunks_b != 0 ||
      v("TILE_M") % (wg / chunks_a) != 0 || tile_k % (wg / chunks_b) != 0)
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
  return {};
}

/// The work-group and sub-group tiles, common to the kernels for matrix units, followed by `more`,
/// the parameters that only the file has.
std::vector<ParameterSpec> mma_parameters(std::vector<int> sg_n, std::vector<ParameterSpec> more) {
  std::vector<ParameterSpec> all{number("TILE_M", {32, 64, 128, 256}),
                                 number("TILE_N", {32, 64, 128, 256}),
                                 number("TILE_K", {16, 32, 64}),
                                 number("SG_M", {16, 32, 64}),
                                 number("SG_N", std::move(sg_n)),
                                 number("STAGES", {2, 3, 4, 5, 6}),
                                 number("VEC_WIDTH"),
                                 flag("UPDATE"),
                                 number("RASTER", {4, 8, 16, 32})};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

const KernelVariant& gemm_simt_variant() {
  static const KernelVariant variant{
      .name = "gemm_simt",
      .file = "gemm_simt.cl",
      .parameters = {number("TILE_M", {16, 32, 64, 128, 256}),
                     number("TILE_N", {32, 64, 128, 256}),
                     number("TILE_K", {4, 8, 16, 32}),
                     number("WG_M", {4, 8, 16, 32}),
                     number("WG_N", {4, 8, 16, 32}),
                     number("LANES_M", {1, 2, 4, 8}),
                     number("LANES_N", {4, 8, 16, 32}),
                     number("VEC_WIDTH", {1, 2, 4}),
                     {.name = "PAD", .least = 0, .most = 1024, .tried = {0, 1, 2, 4}},
                     flag("ALIGNED"),
                     flag("TRANS_A"),
                     flag("TRANS_B"),
                     number("RASTER", {1, 4, 8, 16})},
      .lacks = lacks_nothing,
      .ask = ask_specs<gemm_simt_variant>,
      .broken_rule = broken_simt_rule,
      .demands = simt_demands};
  return variant;
}

const KernelVariant& gemm_mma_f64_variant() {
  static const KernelVariant variant{
      .name = "gemm_mma_f64",
      .file = "gemm_mma_f64.cl",
      .parameters = mma_parameters({16, 32, 64},
                                   {number("MMA_K", {4, 8}), number("C_BATCH", {2, 4, 8, 16, 32})}),
      .lacks = lacks_ptx,
      .ask = ask_specs<gemm_mma_f64_variant>,
      .broken_rule = broken_mma_rule,
      .demands = mma_demands};
  return variant;
}

const KernelVariant& gemm_mma_tf32x3_variant() {
  static const KernelVariant variant{
      .name = "gemm_mma_tf32x3",
      .file = "gemm_mma_tf32x3.cl",
      .parameters =
          mma_parameters({32, 64}, {number("ACC_K", {8, 16}), flag("PREFETCH_C", {0, 1})}),
      .lacks = lacks_ptx,
      .ask = ask_specs<gemm_mma_tf32x3_variant>,
      .broken_rule = broken_mma_rule,
      .demands = mma_demands};
  return variant;
}

const KernelVariant& gemm_cpu_variant() {
  // The best values of a search on 2 cores with AVX-512. KC, MC and NC are the blocks into which
  // the host cuts k, m and n.
  static const KernelVariant variant{
      .name = "gemm_cpu",
      .file = "gemm_cpu.cl",
      .parameters =
          [] {
            std::vector<ParameterSpec> all = cpu_tile_parameters();
            const std::vector<ParameterSpec> blocks{
                {.name = "PACK_STEPS",
                 .least = 1,
                 .most = 1024,
                 .usual = [](const Setting&) { return 8; },
                 .tried = {4, 8, 16}},
                {.name = "KC",
                 .least = 1,
                 .most = 1 << 16,
                 .usual = [](const Setting& at) { return at.type == RealType::f32 ? 512 : 320; },
                 .tried = {128, 192, 256, 320, 384, 512, 768},
                 .macro = false},
                {.name = "MC",
                 .least = 1,
                 .most = 1 << 20,
                 .usual = [](const Setting&) { return 144; },
                 .tried = {48, 96, 144, 192, 288},
                 .macro = false},
                {.name = "NC",
                 .least = 1,
                 .most = 1 << 20,
                 .usual = [](const Setting& at) { return 16 * usual_tile(at, "NR"); },
                 .tried = {128, 256, 512, 1024},
                 .macro = false}};
            all.insert(all.end(), blocks.begin(), blocks.end());
            return all;
          }(),
      .lacks = lacks_long_loops,
      .ask = ask_gemm_cpu,
      .broken_rule = [](const Parameters& parameters, RealType type) -> std::string {
        const std::string rule = broken_tile_rule(parameters, type);
        return rule.empty() ? not_multiple(parameters, "KC", "PACK_STEPS") : rule;
      }};
  return variant;
}

}  // namespace clgauss
