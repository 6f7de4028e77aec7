#pragma once
/// The numbers that the LU is built with, as data, so that a tuner can vary them.

#include <clgauss/context.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/lab/parameters.hpp>
#include <clgauss/pivoting.hpp>
#include <clgauss/real_type.hpp>
#include <string_view>

namespace clgauss {

/// The two implementations of Lu.
enum class LuFamily {
  cpu,  // panels of local work, one work-item a core; true partial pivoting (cl/lu_cpu.cl)
  gpu   // panels by work-groups, tiles in local memory or on the matrix units
};

/// "cpu" or "gpu".
[[nodiscard]] std::string_view lu_family_name(LuFamily family);

/// How one LU is cut up. Parameters of the family gpu:
///
///     NB                columns per trailing update, a multiple of the panel's 32
///     PERSISTENT        1: panels by the kernel whose work-groups wait for each other, where a probe allows it; NVIDIA only
///     ROWS_1 .. ROWS_4, SUB_GROUPS_1 .. SUB_GROUPS_5   sub-groups of its work-groups for panels of up to so many rows, each
///                       ROWS above the one before; SUB_GROUPS_5 for all higher ones
///     SPIN_LIMIT        polls after which a kernel gives up waiting
///     GROUP_ROWS        without it: up to so many rows the panel is one work-group's; 0 = never
///     TOURNAMENT_GROUP  above: rows that a work-group of the tournament takes
///     STRIP             columns a work-group of the row exchanges and triangular solves takes, a power of two
///     SOLVE_BLOCK       rows of a diagonal block when solving with many right-hand sides
///     SMALL_N           up to this n one work-group factors and solves in one launch; 0 = never
///     SMALL_GROUP       work-items of that group
///
/// and of the family cpu:
///
///     VEC_WIDTH, MR, NR, UNROLL, USE_FMA   the register tile of cl/cpu_tile.clh
///     RB                rows of a chunk of the panel store: a multiple of MR, VEC_WIDTH and 8, at most 4 vectors
///     NB                panel width, a multiple of RB and NR
///     TILE_ROWS, TILE_COLS   tile of the trailing update, multiples of RB and NR
///     SOLVE_BLOCK       rows solved by one work-item in a substitution step
struct LuSpec {
  LuFamily family = LuFamily::gpu;
  Parameters parameters;

  /// Throws UsageError if the family has no such parameter.
  [[nodiscard]] int value(std::string_view name) const { return value_of(parameters, name); }
};

/// What make_lu() takes for an n-by-n matrix when nothing else is asked for and nothing is tuned.
[[nodiscard]] LuSpec default_lu_spec(Context& context, RealType type, Index n,
                                     Pivoting pivoting = Pivoting::partial);

/// The same from a device's data alone, for one family.
[[nodiscard]] LuSpec default_lu_spec(const DeviceProfile& device, RealType type, Index n,
                                     LuFamily family);

/// Throws UsageError for parameters that are missing, unknown or contradict each other, DeviceLimit for those that the device
/// forbids. Nothing is ever changed to fit.
void check_lu_spec(const LuSpec& spec, const DeviceProfile& device, RealType type);

}  // namespace clgauss
