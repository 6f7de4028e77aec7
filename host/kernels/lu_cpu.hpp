#pragma once
/// The kernels of the LU for CPUs, cl/lu_cpu.cl, and what they work in.

#include <clgauss/context.hpp>
#include <clgauss/lab/lu_spec.hpp>
#include <clgauss/lab/variant.hpp>
#include <cstdint>

#include "kernels/cpu_tile.hpp"

namespace clgauss {

[[nodiscard]] const KernelVariant& lu_cpu_variant();

/// Whether its kernels gave their known answer, a whole LU with them, for a checked spec of the family; linalg/getrf_cpu.cpp.
[[nodiscard]] bool lu_cpu_works(Context& context, RealType type, const LuSpec& spec);

/// How a matrix of n rows is cut. NB, the tiles and SOLVE_BLOCK are arguments of the kernels, the other parameters macros.
struct LuCpuBlocking {
  LuCpuBlocking(const Parameters& parameters, Index n);

  cl_uint n, rb, nr, nb, tile_rows, tile_cols, solve_block, panels;
  bool many_phases;  // a launch
};

/// Of a phase.
constexpr std::uint64_t kLuCpuCounterBytes = 32 * sizeof(cl_uint);  // COUNTERS

/// Bytes of every buffer that an LU for CPUs holds beside A and B.
struct LuCpuWorkspace {
  LuCpuWorkspace(const LuCpuBlocking& blocking, RealType type);

  std::uint64_t store, u, scratch, x, ids, pivots, positions, moves, counters, info;

  [[nodiscard]] std::uint64_t sum() const {
    return store + u + scratch + x + ids + pivots + positions + moves + counters + info;
  }
};

/// The kernels, and the buffers that they share.
struct LuCpuKernels {
  LuCpuKernels(Context& context, RealType type, const Parameters& parameters);

  Kernel reset, extract, phases, find_positions, put_back, permute, forward, backward, diagonal;
};

struct LuCpuBuffers {
  /// Throws OutOfMemory.
  LuCpuBuffers(const Context& context, const LuCpuWorkspace& bytes);

  cl::Buffer store, u, scratch, x, ids, pivots, positions, moves, counters, info;
};

}  // namespace clgauss
