#pragma once
/// The kernels of the LU for CPUs, cl/lu/lu_cpu.cl, and their workspace.

#include <clgauss/context.hpp>
#include <clgauss/lab/lu_spec.hpp>
#include <clgauss/lab/variant.hpp>
#include <cstdint>
#include <functional>
#include <optional>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/number_type.hpp"

namespace clgauss {

[[nodiscard]] const KernelVariant& lu_cpu_variant();

/// Whether its kernels passed their self-test, a whole LU, for a checked spec of the family; see
/// linalg/lu/getrf_cpu.cpp.
[[nodiscard]] bool lu_cpu_works(Context& context, RealType type, const LuSpec& spec);

/// The parameters for complex numbers, each of two of `type`, and lu_cpu_works() of them; see
/// linalg/complex/complex_lu.cpp.
[[nodiscard]] LuSpec complex_lu_cpu_spec(const DeviceProfile& device, RealType type, Index n);
[[nodiscard]] bool complex_lu_cpu_works(Context& context, RealType type, const LuSpec& spec);

/// Whether kernels of the CPU family pass `ask` as the self-test of `variant`. `ask` gets `spec`
/// with narrow panels, and an n of three panels, the last of them partial.
[[nodiscard]] bool works_in_panels(Context& context, const KernelVariant& variant,
                                   NumberType number, const LuSpec& spec,
                                   const std::function<void(const LuSpec& small, Index n)>& ask);

/// The failed column in `info`, for a matrix of n columns; `info` holds n if none failed. Waits.
[[nodiscard]] std::optional<Index> read_failed_column(const cl::CommandQueue& queue,
                                                      const cl::Buffer& info, cl_uint n);

/// How a matrix of n rows is cut. NB, the tiles and SOLVE_BLOCK are kernel arguments; the other
/// parameters are macros.
struct LuCpuBlocking {
  LuCpuBlocking(const Parameters& parameters, Index n);

  cl_uint n, rb, nr, nb, tile_rows, tile_cols, solve_block, panels;

  [[nodiscard]] cl_uint solve_phases(cl_uint rows) const {
    return 2 * ceil_div(rows, solve_block) + 2;
  }
};

/// Bytes of the counters of a phase.
constexpr std::uint64_t kLuCpuCounterBytes = 48 * sizeof(cl_uint);  // COUNTERS

/// Phases of an LU with this many panels: three per panel, and two at the end.
[[nodiscard]] constexpr cl_uint lu_phases(cl_uint panels) { return 3 * panels + 2; }

/// Launches the phases first .. last of a kernel of cl/lu/lu_cpu.cl. `at` is the index of the
/// kernel's argument `first`.
class LuCpuPhases {
 public:
  LuCpuPhases(const Context& context, const Parameters& parameters);

  void launch(const cl::CommandQueue& queue, Kernel& kernel, cl_uint at, cl_uint first,
              cl_uint last) const;

 private:
  bool many_;  // phases per launch
  cl_uint compute_units_;
};

/// Bytes of each buffer that an LU for CPUs needs besides A and B.
struct LuCpuWorkspace {
  LuCpuWorkspace(const LuCpuBlocking& blocking, NumberType number);

  std::uint64_t store, u, scratch, x, ids, pivots, positions, moves, counters, info;

  [[nodiscard]] std::uint64_t sum() const {
    return store + u + scratch + x + ids + pivots + positions + moves + counters + info;
  }
};

/// The kernels of the LU for CPUs.
struct LuCpuKernels {
  LuCpuKernels(Context& context, NumberType number, const Parameters& parameters);

  Kernel extract, phases, solve, diagonal;
};

struct LuCpuBuffers {
  /// Throws OutOfMemory.
  LuCpuBuffers(const Context& context, const LuCpuWorkspace& bytes);

  cl::Buffer store, u, scratch, x, ids, pivots, positions, moves, counters, info;
};

}  // namespace clgauss
