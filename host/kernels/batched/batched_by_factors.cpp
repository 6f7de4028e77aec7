#include "kernels/batched/batched_by_factors.hpp"

#include <algorithm>
#include <clgauss/lab/launch.hpp>

#include "kernels/batched/known_answers.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"

namespace clgauss {

void BatchedByFactors::factor_and_solve(const cl::CommandQueue& queue, const BatchView& a,
                                        const BatchView& b, Index nrhs, Index batch,
                                        const cl::Buffer& info) {
  prepare(nrhs);  // first, because self-tests use the workspace too
  const Index chunk = std::min(batch, fitting());
  reserve(chunk);
  for (Index first = 0; first < batch; first += chunk) {
    const Part part{{{lu_, 0, ld_, ld_ * n_}, std::min(chunk, batch - first), permutation_, info},
                    first};
    factor_part(queue, a, part);
    if (nrhs > 0) solve_part(queue, part, b, nrhs);
  }
}

void BatchedByFactors::solve_part(const cl::CommandQueue& queue, const Part& part,
                                  const BatchView& b, Index nrhs) {
  const KernelBuild build = solve_build(nrhs);
  Kernel solve = context_.programs().kernel(build.file, "batched_solve", build.defines);
  cl_uint index = 0;
  pass_batch(solve, index, part.factors.lu);
  solve.set_arguments_from(index++, part.factors.permutation);
  pass_batch(solve, index, b);
  solve.set_arguments_from(index, static_cast<cl_uint>(nrhs), n_, cl_ulong{part.first},
                           part.factors.info);
  const auto group = static_cast<std::size_t>(value_of(panels_, "GROUP"));
  const cl_uint rhs = rhs_for(nrhs);
  enqueue_kernel(queue, solve, cl::NDRange(part.factors.batch * group, (nrhs + rhs - 1) / rhs),
                 cl::NDRange(group, 1));
}

cl_uint BatchedByFactors::rhs_for(Index nrhs) const {
  // One work-item a right-hand side solves with a block at the diagonal while others wait, so 16
  // are faster than 8 with few rows; more rows were measured with 8.
  const std::uint64_t most = n_ <= 128 && nrhs > 8 ? 16 : 8;
  const std::uint64_t fitting =
      context_.profile().static_local_bytes() / 2 / (round_up(n_, kRowsStep) * number_.bytes());
  return nrhs <= 1 ? 1 : static_cast<cl_uint>(std::clamp<std::uint64_t>(fitting, 1, most));
}

KernelBuild BatchedByFactors::solve_build(Index nrhs) const {
  KernelBuild build = panels_build(2);
  build.defines.emplace_back("RHS", std::to_string(rhs_for(nrhs)));
  return build;
}

KernelBuild BatchedByFactors::build_of(const KernelVariant& variant,
                                       const Parameters& parameters) const {
  KernelBuild build{variant.name, variant.file, macros_of(variant, number_.real, parameters)};
  build.defines.emplace_back("ROWS", std::to_string(round_up(n_, kRowsStep)));
  if (number_.complex) build.defines.emplace_back("COMPLEX", "1");
  return build;
}

KernelBuild BatchedByFactors::panels_build(int which) const {
  KernelBuild build = build_of(batched_panels_variant(), panels_);
  build.defines.emplace_back("KERNEL", std::to_string(which));
  return build;
}

bool BatchedByFactors::works(const KernelBuild& build, Index nrhs) {
  if (asks_) return true;
  return context_.trials().passes(build, [&] {
    asks_ = true;
    try {
      ask(nrhs);
    } catch (...) {
      asks_ = false;
      throw;
    }
    asks_ = false;
  });
}

void BatchedByFactors::note_works(const KernelBuild& build) {
  if (!asks_) (void)context_.trials().passes(build, [] {});
}

void BatchedByFactors::none_works(const KernelBuild& build) {
  throw NoUsableKernel("the batched kernels do not work on " + context_.profile().name + ": " +
                       context_.trials().reasons({build.name}));
}

void BatchedByFactors::ask(Index nrhs) {
  reserved_ = 0;  // another queue may still use the present workspace
  require_batched(context_, number_, n_, nrhs, definite_, [&](const BatchedQuestion& q) {
    factor_and_solve(context_.queue(), q.a, q.b, q.nrhs, q.batch, q.info);
  });
  require_batched_factors(context_, number_, n_, nrhs, definite_, *this);
}

Index BatchedByFactors::fitting() const {
  const DeviceProfile& device = context_.profile();
  const std::uint64_t limit =
      std::min({workspace_, device.max_alloc_bytes, device.global_mem_bytes / 8});
  return std::max<Index>(1, limit / (ld_ * n_ * number_.bytes()));
}

void BatchedByFactors::reserve(Index systems) {
  if (systems <= reserved_) return;
  lu_ = context_.allocate(systems * ld_ * n_ * number_.bytes(), "the workspace of a batched solve");
  permutation_ = context_.allocate(systems * n_ * sizeof(cl_int), "the pivots of a batched solve");
  reserved_ = systems;
}

}  // namespace clgauss
