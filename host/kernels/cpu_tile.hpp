#pragma once
/// The register tile that the CPU kernels of GEMM and LU share.

#include <clgauss/context.hpp>
#include <clgauss/lab/parameters.hpp>
#include <clgauss/real_type.hpp>

namespace clgauss {

constexpr cl_uint ceil_div(cl_uint a, cl_uint b) { return (a + b - 1) / b; }
constexpr cl_uint round_up(cl_uint a, cl_uint b) { return ceil_div(a, b) * b; }

/// VEC_WIDTH, MR, NR, UNROLL and USE_FMA of cl/cpu_tile.clh for the device's native vectors: with 64 bytes, 12 rows of 2 vectors
/// fill 27 of AVX-512's 32 registers; with less, 4 rows of 3 vectors fill the 16 of AVX2, SSE and NEON.
[[nodiscard]] Parameters default_cpu_tile(const DeviceProfile& device, RealType type);

/// Throws UsageError unless the tile in `parameters`, each within its own limits, is one that cl/cpu_tile.clh can build.
void check_cpu_tile(const std::string& what, const Parameters& parameters);

/// The macros of cl/cpu_tile.clh and cl/common.clh; other parameters are left out.
[[nodiscard]] Defines cpu_tile_defines(RealType type, const Parameters& parameters);

/// Whether the device is a CPU on which a work-item may do a core's share of the work.
[[nodiscard]] bool suits_cpu_kernels(Context& context);

}  // namespace clgauss
