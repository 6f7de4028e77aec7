#include "kernels/elimination/iterations.hpp"

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>

#include "kernels/common/variants.hpp"
#include "kernels/elimination/known_answers.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

namespace {

Parameters usual(const Context& context, RealType type) {
  return usual_parameters(iteration_variants(), {context.profile(), type, 1});
}

}  // namespace

const KernelVariant& iterations_variant() {
  static const KernelVariant variant{
      .name = "iterations",
      .file = "iterations.cl",
      .parameters = {{.name = "WG_SIZE",
                      .least = 1,
                      .most = 256,
                      .usual =
                          [](const Setting& at) {
                            return usual_group(at, at.device.type == DeviceType::cpu ? 16 : 256);
                          }}},
      .lacks = lacks_nothing,
      .ask = [](Context& context, RealType type) { (void)iterations_work(context, type); },
      .broken_rule = [](const Parameters& parameters, RealType) -> std::string {
        return not_power_of_two(parameters, "WG_SIZE");
      }};
  return variant;
}

Variants iteration_variants() {
  static const std::array<const KernelVariant*, 1> variants{&iterations_variant()};
  return variants;
}

IterationKernels::IterationKernels(Context& context, RealType type, Unchecked /*unchecked*/)
    : context_(context) {
  const Parameters parameters = usual(context, type);
  const Defines defines = macros_of(iterations_variant(), type, parameters);
  jacobi_ = context.programs().kernel(iterations_variant().file, "jacobi_sweep", defines);
  seidel_ = context.programs().kernel(iterations_variant().file, "seidel_sweep", defines);
  group_ = static_cast<std::size_t>(value_of(parameters, "WG_SIZE"));
}

IterationKernels::IterationKernels(Context& context, RealType type)
    : IterationKernels(context, type, [&] {
        if (!iterations_work(context, type))
          throw NoUsableKernel("no kernel for the iterations of Jacobi and Seidel works on " +
                               context.profile().name + ": " +
                               context.trials().reasons({iterations_variant().name}));
        return Unchecked{};
      }()) {}

void IterationKernels::jacobi(const Operands& operands, const cl::Buffer& next) {
  const auto& [a, b, x, n, nrhs] = operands;
  jacobi_.set_arguments(a.buffer, cl_ulong{a.ld}, n, nrhs, b, x, next);
  launch_groups(context_.queue(), jacobi_, n, group_);
}

void IterationKernels::seidel(const Operands& operands) {
  const auto& [a, b, x, n, nrhs] = operands;
  // Launches are kept short, because some devices end long loops early (llvmpipe: after 2^16
  // steps).
  constexpr cl_uint kSteps = 1U << 15U;
  const cl_uint of_row = n / static_cast<cl_uint>(group_) + 10,
                rows = std::max(1U, kSteps / of_row);
  seidel_.set_arguments(a.buffer, cl_ulong{a.ld}, n, b, x);
  for (cl_uint first = 0; first < n; first += rows) {
    seidel_.set_arguments_from(5, first, std::min(n, first + rows));
    launch_groups(context_.queue(), seidel_, nrhs, group_);
  }
}

bool iterations_work(Context& context, RealType type) {
  const KernelVariant& variant = iterations_variant();
  const KernelBuild build{variant.name, variant.file,
                          macros_of(variant, type, usual(context, type))};
  return context.trials().passes(build, [&] {
    IterationKernels kernels(context, type, IterationKernels::Unchecked{});
    for (const bool seidel : {false, true})
      require_sweep(context, type, seidel, [&](const SweepQuestion& q) {
        const IterationKernels::Operands operands{q.a, q.b, q.x, q.n, q.nrhs};
        if (seidel)
          kernels.seidel(operands);
        else
          kernels.jacobi(operands, q.next);
      });
  });
}

}  // namespace clgauss
