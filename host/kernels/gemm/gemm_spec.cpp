#include <clgauss/lab/gemm_spec.hpp>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>

#include "kernels/common/variants.hpp"
#include "kernels/gemm/gemm_backend.hpp"

namespace clgauss {

namespace {

/// A kernel for the matrix units. `tile`: {work-group tile m, n, k, sub-group tile m, n, stages};
/// `more`: the parameters that only this file has.
GemmSpec mma_spec(const char* name, RealType type, GemmUse use, const std::array<int, 6>& tile,
                  int vec_width, const Parameters& more) {
  Parameters parameters{{"TILE_M", tile[0]},      {"TILE_N", tile[1]},
                        {"TILE_K", tile[2]},      {"SG_M", tile[3]},
                        {"SG_N", tile[4]},        {"STAGES", tile[5]},
                        {"VEC_WIDTH", vec_width}, {"UPDATE", use == GemmUse::update ? 1 : 0}};
  parameters.insert(parameters.end(), more.begin(), more.end());
  const char* file = type == RealType::f64 ? "gemm_mma_f64.cl" : "gemm_mma_tf32x3.cl";
  return {name, file, type, use, std::move(parameters)};
}

/// The portable kernel. `shape`: {work-group tile m, n, k, work-group m, n, lanes m, n}.
GemmSpec simt_spec(const char* name, RealType type, const std::array<int, 7>& shape, int vec_width,
                   bool aligned) {
  return {name,
          "gemm_simt.cl",
          type,
          GemmUse::general,
          {{"TILE_M", shape[0]},
           {"TILE_N", shape[1]},
           {"TILE_K", shape[2]},
           {"WG_M", shape[3]},
           {"WG_N", shape[4]},
           {"LANES_M", shape[5]},
           {"LANES_N", shape[6]},
           {"VEC_WIDTH", vec_width},
           {"PAD", vec_width},
           {"ALIGNED", aligned ? 1 : 0},
           {"TRANS_A", 0},
           {"TRANS_B", 0},
           {"RASTER", 8}}};
}

/// Numbers in the comments: medians on an H200 in Tflop/s, with cuBLAS in the same run in brackets;
/// fp32 without TF32.
std::vector<GemmSpec> make_specs() {
  using enum GemmUse;
  using enum RealType;
  constexpr std::array<int, 6> f64_tile{128, 64, 16, 64, 32, 4}, f64_small{64, 64, 16, 32, 32, 4};
  constexpr std::array<int, 6> tf32_tile{128, 64, 32, 64, 32, 3}, tf32_small{64, 64, 32, 32, 32, 3};
  constexpr std::array<int, 7> simt_large{128, 256, 16, 16, 16, 4, 8},
      simt_small{64, 64, 16, 16, 16, 4, 8};
  const Parameters mma{{"MMA_K", 8}, {"C_BATCH", 32}, {"RASTER", 8}},
      mma_small{{"MMA_K", 8}, {"C_BATCH", 16}, {"RASTER", 8}};
  const Parameters mma_update{{"MMA_K", 8}, {"C_BATCH", 32}, {"RASTER", 16}};
  const Parameters tf32{{"ACC_K", 16}, {"PREFETCH_C", 1}, {"RASTER", 8}};
  return {
      // n = 2048, 4096, 8192: 56.0, 58.2, 58.6 (58.7, 59.7, 60.3)
      mma_spec("gemm_mma_f64", f64, general, f64_tile, 2, mma),
      // n = 1024: 48.5; the large tile reaches 43.2 (51.5)
      mma_spec("gemm_mma_f64_small", f64, general, f64_small, 2, mma_small),
      // odd offset or leading dimension; n = 8192: 49.3
      mma_spec("gemm_mma_f64_any", f64, general, f64_tile, 1, mma),
      // C 8192 x 8192, k = 128, 256, 512: 40.2, 49.7, 55.1 (34.8, 50.1, 52.4). Without builds of
      // their own, for which RASTER = 8 is slower, LU takes 1.5 % longer at n = 8192.
      mma_spec("gemm_mma_f64_update", f64, update, f64_tile, 2, mma_update),
      // C 2048 x 2048, k = 256: 42.9; the large tile reaches 42.1 (41.2)
      mma_spec("gemm_mma_f64_update_small", f64, update, f64_small, 2, mma_small),
      // C 8192 x 8192, k = 256: 41.7
      mma_spec("gemm_mma_f64_update_any", f64, update, f64_tile, 1, mma_update),
      // n = 1024 .. 8192: 55.2, 69.0, 71.8, 73.9 (37.6, 49.5, 50.5, 50.7); C 8192 x 8192, k =
      // 128, 256, 512: 52.5, 62.4, 67.9 (35.8, 39.6, 44.0)
      mma_spec("gemm_mma_tf32x3", f32, general, tf32_tile, 4, tf32),
      // C 960 x 64, k = 64
      mma_spec("gemm_mma_tf32x3_small", f32, general, tf32_small, 4, tf32),
      // no alignment to 4 elements; n = 8192: 60.4; C 8192 x 8192, k = 256: 44.2
      mma_spec("gemm_mma_tf32x3_any", f32, general, tf32_tile, 1, tf32),
      // 50176 bytes of local memory; n = 2048, 4096, 8192: 46.1, 47.5, 47.9 (49.5, 50.5, 50.7)
      simt_spec("gemm_simt_f32", f32, simt_large, 4, true),
      // 25 KiB; n = 8192: 47.2 (50.7)
      simt_spec("gemm_simt_f32_k8", f32, {128, 256, 8, 16, 16, 4, 8}, 4, true),
      // 17 KiB; 64 accumulators instead of 128, so that AMD's GPUs with 256 registers do not
      // spill
      simt_spec("gemm_simt_f32_medium", f32, {128, 128, 8, 16, 16, 4, 8}, 4, true),
      // 17 KiB; n = 1024: 29.6 (37.6)
      simt_spec("gemm_simt_f32_small", f32, simt_small, 4, true),
      // no alignment to 4 elements; n = 8192: 45.0
      simt_spec("gemm_simt_f32_any", f32, simt_large, 4, false),
      // runs everywhere; n = 8192: 26.4
      simt_spec("gemm_simt_f32_small_any", f32, simt_small, 4, false),
      // 25 KiB; n = 8192: 23.4 of the 33 without matrix units
      simt_spec("gemm_simt_f64", f64, {128, 64, 8, 16, 8, 4, 8}, 2, true),
      // 17 KiB; runs everywhere
      simt_spec("gemm_simt_f64_small_any", f64, {64, 64, 8, 16, 16, 4, 8}, 2, false)};
}

}  // namespace

const std::vector<GemmSpec>& gemm_specs() {
  static const std::vector<GemmSpec> specs = make_specs();
  return specs;
}

GemmSpec default_cpu_gemm_spec(const DeviceProfile& device, RealType type) {
  const KernelVariant& variant = gemm_cpu_variant();
  return {variant.name, variant.file, type, GemmUse::general,
          usual_parameters(std::array{&variant}, {device, type, 0})};
}

Variants gemm_variants() {
  static const std::array variants{&gemm_cpu_variant(), &gemm_mma_f64_variant(),
                                   &gemm_mma_tf32x3_variant(), &gemm_simt_variant()};
  return variants;
}

void check_gemm_spec(const GemmSpec& spec) {
  const std::string what = "the GEMM spec " + spec.name + " (" + spec.file + ")";
  const KernelVariant* const variant = &spec.variant();
  check_parameters(what, {&variant, 1}, spec.parameters, spec.type);
  if (spec.is_for_cpu() && spec.use != GemmUse::general)
    throw UsageError(what + " is for general use only");
  if (spec.has("UPDATE") && spec.value("UPDATE") == 1 && spec.use != GemmUse::update)
    throw UsageError(what + ": with UPDATE = 1 it is for updates only");
  const RealType other = spec.type == RealType::f32 ? RealType::f64 : RealType::f32;
  if (spec.needs_ptx() && std::ranges::none_of(gemm_specs(), [&](const GemmSpec& known) {
        return known.file == spec.file && known.type == spec.type;
      }))
    throw UsageError(what + " is for " + std::string(real_type_name(other)) + " only");
}

const KernelVariant& GemmSpec::variant() const {
  for (const KernelVariant* variant : gemm_variants())
    if (file == variant->file) return *variant;
  throw UsageError("there is no GEMM kernel " + file);
}

bool GemmSpec::has(std::string_view name) const {
  return std::ranges::any_of(variant().parameters,
                             [&](const ParameterSpec& of) { return of.name == name; });
}

bool GemmSpec::is_for_cpu() const { return file == gemm_cpu_variant().file; }

bool GemmSpec::needs_ptx() const { return variant().lacks == lacks_ptx; }

Defines GemmSpec::defines() const { return macros_of(variant(), type, parameters); }

std::size_t GemmSpec::work_group_size() const {
  return variant().demands(parameters, type).front().work_items;
}

std::size_t GemmSpec::tiles(Index m, Index n) const {
  const auto across = [](Index extent, int tile) {
    const auto size = static_cast<Index>(tile);
    return (extent + size - 1) / size;
  };
  return across(m, value("TILE_M")) * across(n, value("TILE_N"));
}

std::size_t GemmSpec::local_bytes() const {
  return variant().demands(parameters, type).front().local_bytes;
}

Index GemmSpec::alignment() const {
  if (has("ALIGNED") && value("ALIGNED") == 0) return 1;
  return static_cast<Index>(value("VEC_WIDTH"));
}

GemmSpec transposed(GemmSpec spec, bool transpose_a, bool transpose_b) {
  if (!spec.transposes()) return spec;
  set_value(spec.parameters, "TRANS_A", transpose_a ? 1 : 0);
  set_value(spec.parameters, "TRANS_B", transpose_b ? 1 : 0);
  return spec;
}

}  // namespace clgauss
