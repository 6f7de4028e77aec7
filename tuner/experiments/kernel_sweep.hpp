#pragma once
/// The engine's own kernels against the work-group size.

#include <clgauss/context.hpp>
#include <clgauss/lab/gemm_spec.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/experiments/case.hpp"

namespace clgauss::tune {

enum class SweptKernel {
  gemm,   // gemm_simt.cl, the portable product
  panel,  // lu_panel_tournament.cl, the portable panel, within the whole LU
  trsm    // laswp_trsm.cl, the triangular solves with n right-hand sides
};

/// As in the rows: gemm_simt, lu_panel or lu_trsm.
[[nodiscard]] const char* kernel_name(SweptKernel kernel);

struct KernelSweep {
  SweptKernel kernel = SweptKernel::gemm;
  RealType type = RealType::f32;
  std::vector<std::size_t> sizes, locals;
  double timeout_s = 60;
};

/// A case for each n with each work-group size L, checked before it is timed:
///
///     gemm   C <- A B of n-by-n matrices by gemm_simt_spec(): 2 n^3 flops
///     panel  factorisation and solve, every panel by a tournament with TOURNAMENT_GROUP = L: 2/3
///            n^3 + 2 n^2 flops
///     trsm   the solves with n right-hand sides after a factorisation, SOLVE_BLOCK = L: 2 n^3
///            flops
///
/// An L that the kernel's rules exclude gives a row of status constraint. `context` must outlive
/// the cases.
[[nodiscard]] std::vector<Case> kernel_cases(Context& context, const ExperimentInfo& info,
                                             const KernelSweep& sweep);

/// gemm_simt.cl with WG_M x WG_N = `local` and the micro-tile of the spec that runs everywhere: of
/// the shapes that load their tiles evenly the one with the least TILE_K from that spec's on, then
/// the widest vectors, then the nearest to a square. Empty if there is none with a TILE_K of at
/// most 64.
[[nodiscard]] std::optional<GemmSpec> gemm_simt_spec(RealType type, std::size_t local);

}  // namespace clgauss::tune
