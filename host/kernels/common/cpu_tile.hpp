#pragma once
/// The register tile shared by the CPU kernels of GEMM, LU and batches.

#include <clgauss/context.hpp>
#include <clgauss/lab/variant.hpp>
#include <clgauss/real_type.hpp>
#include <concepts>
#include <type_traits>

namespace clgauss {

template <std::unsigned_integral T>
constexpr T ceil_div(T a, std::type_identity_t<T> b) {
  return (a + b - 1) / b;
}
template <std::unsigned_integral T>
constexpr T round_up(T a, std::type_identity_t<T> b) {
  return ceil_div(a, b) * b;
}

/// VEC_WIDTH, MR, NR, UNROLL and USE_FMA, the macros of cl/common/cpu_tile.clh, chosen for the
/// device's native vectors. With 64-byte vectors, 12 rows of 2 vectors use 27 of AVX-512's 32
/// registers. With shorter ones, 4 rows of 3 vectors use all 16 of AVX2, SSE and NEON.
[[nodiscard]] std::vector<ParameterSpec> cpu_tile_parameters();

/// The tile's parameters, which a tuner does not change, followed by `more`.
[[nodiscard]] std::vector<ParameterSpec> with_cpu_tile(std::vector<ParameterSpec> more);

/// The usual value of one of the tile's parameters.
[[nodiscard]] int usual_tile(const Setting& setting, std::string_view name);

/// The usual OPENCL_C of kernels whose work-groups wait for each other (cl/common/fences.clh): 300
/// where the device has fences for that, else 120.
[[nodiscard]] int usual_language(const Setting& setting);

/// KernelVariant::broken_rule for the tile's parameters.
[[nodiscard]] std::string broken_tile_rule(const Parameters& parameters, RealType type);

/// KernelVariant::lacks for the CPU kernels.
[[nodiscard]] std::string lacks_long_loops(Context& context);

/// Whether the device is a CPU where one work-item may do a core's whole share of the work.
[[nodiscard]] inline bool suits_cpu_kernels(Context& context) {
  return lacks_long_loops(context).empty();
}

}  // namespace clgauss
