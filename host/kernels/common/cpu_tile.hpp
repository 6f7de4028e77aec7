#pragma once
/// The register tile that the kernels for CPUs of GEMM, LU and batches share.

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

/// VEC_WIDTH, MR, NR, UNROLL and USE_FMA, the macros of cl/common/cpu_tile.clh, for the device's
/// native vectors: with 64 bytes, 12 rows of 2 vectors fill 27 of AVX-512's 32 registers; with
/// less, 4 rows of 3 vectors fill the 16 of AVX2, SSE and NEON.
[[nodiscard]] std::vector<ParameterSpec> cpu_tile_parameters();

/// The tile's parameters, which a tuner leaves as they are, then `more`.
[[nodiscard]] std::vector<ParameterSpec> with_cpu_tile(std::vector<ParameterSpec> more);

/// The usual value of one of them.
[[nodiscard]] int usual_tile(const Setting& setting, std::string_view name);

/// KernelVariant::broken_rule of the tile.
[[nodiscard]] std::string broken_tile_rule(const Parameters& parameters, RealType type);

/// KernelVariant::lacks of the kernels for CPUs.
[[nodiscard]] std::string lacks_long_loops(Context& context);

/// Whether the device is a CPU on which a work-item may do a core's share of the work.
[[nodiscard]] inline bool suits_cpu_kernels(Context& context) {
  return lacks_long_loops(context).empty();
}

}  // namespace clgauss
