#pragma once
/// The kernels of A = L D L^T for CPUs, cl/cholesky/cholesky_cpu.cl, and their workspace.

#include <clgauss/context.hpp>
#include <clgauss/lab/lu_spec.hpp>
#include <clgauss/lab/variant.hpp>
#include <cstdint>

#include "kernels/lu/lu_cpu.hpp"

namespace clgauss {

/// Its parameters belong to lu_cpu_variant().
[[nodiscard]] const KernelVariant& cholesky_cpu_variant();

/// Whether its kernels passed their self-test, for a checked spec of the CPU family; see
/// linalg/cholesky/potrf_cpu.cpp.
[[nodiscard]] bool cholesky_cpu_works(Context& context, RealType type, const LuSpec& spec);

/// Bytes of each buffer besides A and B.
struct CholeskyCpuWorkspace {
  CholeskyCpuWorkspace(const LuCpuBlocking& cut, RealType type);

  std::uint64_t store, u, triangle, tickets, info, identity;

  [[nodiscard]] std::uint64_t sum() const {
    return store + u + triangle + tickets + info + identity;
  }
};

struct CholeskyCpuKernels {
  CholeskyCpuKernels(Context& context, RealType type, const Parameters& parameters);

  Kernel extract, advance, rows, diagonal;
};

struct CholeskyCpuBuffers {
  /// Throws OutOfMemory.
  CholeskyCpuBuffers(const Context& context, const CholeskyCpuWorkspace& bytes);

  cl::Buffer store, u, triangle, tickets, info;
};

}  // namespace clgauss
