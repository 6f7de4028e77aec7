#include <clgauss/error.hpp>
#include <clgauss/lab/gauss.hpp>
#include <clgauss/lab/kernel_survey.hpp>

#include "kernels/batched_backend.hpp"
#include "kernels/cpu_tile.hpp"
#include "kernels/gemm_backend.hpp"
#include "kernels/lu_backend.hpp"
#include "kernels/lu_parts.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

constexpr const char* kForCpus = "it is for CPUs whose work-items may run long loops";

/// That nothing is left to choose from is a verdict, too, and noted by then.
void ask(const std::function<void()>& kernels) {
  try {
    translate_opencl_errors(kernels);
  } catch (const NoUsableKernel&) {
  }
}

void ask_lu(Context& context, RealType type) {
  constexpr Index kSmall = 100, kLarge = 1500, kLd = 1536;  // kLarge takes every kind of panel
  const LuSpec cpu = default_lu_spec(context.profile(), type, kLarge, LuFamily::cpu);
  if (suits_cpu_kernels(context))
    (void)lu_cpu_works(context, type, cpu);
  else
    context.trials().pass_over({"lu_cpu", "lu_cpu.cl", {}}, kForCpus);
  const std::string lacks = context.profile().lacks_compute_capability(kPersistentCapability);
  for (const char* name : {"lu_panel_persistent", "trsv_persistent"})
    if (!lacks.empty()) context.trials().pass_over({name, std::string(name) + ".cl", {}}, lacks);
  for (const Pivoting pivoting : {Pivoting::partial, Pivoting::tournament})
    for (const auto& [n, nrhs] : {std::pair(kSmall, Index{1}), {kLarge, 1}, {kLarge, 9}})
      ask([&] {
        LuOptions options;
        options.pivoting = pivoting;
        options.spec = default_lu_spec(context.profile(), type, n, LuFamily::gpu);
        const auto lu = make_lu_gpu(context, type, n, options);
        lu->prepare({context.allocate(n * kLd * bytes_of(type), "a survey of kernels"), 0, kLd},
                    nrhs);
      });
}

void ask_gemm(Context& context, RealType type) {
  if (suits_cpu_kernels(context))
    ask([&] { (void)make_gemm_cpu(context, type, {}); });
  else
    context.trials().pass_over({"cpu_packed", "gemm_cpu.cl", {}}, kForCpus);
  constexpr Index kSize = 1024;
  const MatrixView view{context.allocate(kSize * kSize * bytes_of(type), "a survey of kernels"), 0,
                        kSize};
  for (const GemmSpec& spec : gemm_specs()) {
    if (spec.type != type) continue;
    GemmOptions options;
    options.preferred.push_back(spec);
    ask([&] {
      (void)make_gemm_gpu(context, type, options)
          ->kernel_name({{kSize, kSize, kSize}, -1, view, view, 1, view});
    });
  }
}

void ask_batched(Context& context, RealType type) {
  constexpr Index kN = 24;
  if (suits_cpu_kernels(context))
    ask([&] { make_batched_cpu(context, type, kN)->prepare(1); });
  else
    context.trials().pass_over({"batched_cpu", "batched_cpu.cl", {}}, kForCpus);
  ask([&] { (void)make_batched_nvidia(context, type, kN); });
  ask([&] { make_batched_tile(context, type, kN, 0)->prepare(1); });
}

}  // namespace

void survey_kernels(Context& context, const ProgressCallback& progress) {
  std::vector<RealType> types{RealType::f32};
  if (context.profile().fp64) types.push_back(RealType::f64);
  for (const RealType type : types) {
    const auto report = [&](const char* what) {
      if (progress)
        progress(std::string("asking ") + what + ", " + std::string(real_type_name(type)), 0);
    };
    report("LU");
    ask_lu(context, type);
    report("GEMM");
    ask_gemm(context, type);
    report("batched solves");
    ask_batched(context, type);
    report("the elimination");
    ask([&] { require_gauss_kernels(context, type, {WorkGroupPolicy::Rule::lcm}); });
  }
}

}  // namespace clgauss
