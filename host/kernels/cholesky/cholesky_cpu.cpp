#include "kernels/cholesky/cholesky_cpu.hpp"

#include "kernels/common/variants.hpp"

namespace clgauss {

const KernelVariant& cholesky_cpu_variant() {
  static const KernelVariant variant = [] {
    KernelVariant cholesky = lu_cpu_variant();
    cholesky.name = "cholesky_cpu";
    cholesky.file = "cholesky_cpu.cl";
    cholesky.ask = [](Context& context, RealType type) {
      (void)cholesky_cpu_works(context, type,
                               default_lu_spec(context.profile(), type, 1500, LuFamily::cpu));
    };
    cholesky.workspace_bytes = [](const Parameters& parameters, const Setting& at) {
      return CholeskyCpuWorkspace(LuCpuBlocking(parameters, at.n), at.type).sum();
    };
    return cholesky;
  }();
  return variant;
}

CholeskyCpuWorkspace::CholeskyCpuWorkspace(const LuCpuBlocking& cut, RealType type) {
  const LuCpuWorkspace lu(cut, type);
  store = lu.store;
  u = lu.u;
  triangle = (std::uint64_t{cut.nb} + 1) * cut.nb * bytes_of(type);
  tickets = cut.panels * sizeof(cl_uint);
  info = lu.info;
  identity = lu.pivots;
}

CholeskyCpuKernels::CholeskyCpuKernels(Context& context, RealType type,
                                       const Parameters& parameters) {
  const Defines defines = macros_of(cholesky_cpu_variant(), type, parameters);
  const auto kernel = [&](const char* name) {
    return context.programs().kernel(cholesky_cpu_variant().file, name, defines);
  };
  extract = kernel("lu_extract");
  advance = kernel("ldlt_advance");
  rows = kernel("ldlt_rows");
  diagonal = kernel("diagonal");
}

CholeskyCpuBuffers::CholeskyCpuBuffers(const Context& context, const CholeskyCpuWorkspace& bytes) {
  constexpr const char* kWhat = "the workspace of Cholesky's factors";
  context.require_memory(bytes.sum(), kWhat);
  const auto buffer = [&](std::uint64_t size) { return context.allocate(size, kWhat); };
  store = buffer(bytes.store);
  u = buffer(bytes.u);
  triangle = buffer(bytes.triangle);
  tickets = buffer(bytes.tickets);
  info = buffer(bytes.info);
}

}  // namespace clgauss
