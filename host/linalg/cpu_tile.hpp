#pragma once
/// The register tile that the CPU kernels of GEMM and LU share.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>

namespace clgauss {

constexpr cl_uint ceil_div(cl_uint a, cl_uint b) { return (a + b - 1) / b; }
constexpr cl_uint round_up(cl_uint a, cl_uint b) { return ceil_div(a, b) * b; }

/// Register tile of the CPU kernels; each member is the macro of the same name in cl/cpu_tile.clh.
struct CpuTile {
  cl_uint vec_width = 8;
  cl_uint mr = 12;
  cl_uint nr = 16;
  cl_uint unroll = 4;

  bool use_fma = true;

  /// The tile for the device's native vectors: with 64 bytes, 12 rows of 2 vectors fill 27 of AVX-512's 32 registers; with
  /// less, 4 rows of 3 vectors fill the 16 of AVX2, SSE and NEON.
  [[nodiscard]] static CpuTile for_device(const DeviceContext& context, RealType type);

  /// The macros of cl/cpu_tile.clh and cl/common.clh.
  [[nodiscard]] Defines defines(RealType type) const;
};

/// Whether the device is a CPU on which a work-item may do a core's share of the work (cl/loop_probe.cl).
[[nodiscard]] bool suits_cpu_kernels(DeviceContext& context);

}  // namespace clgauss
