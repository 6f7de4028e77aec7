#include <clgauss/error.hpp>
#include <clgauss/lab/kernel_survey.hpp>
#include <clgauss/lab/variant.hpp>

#include "opencl_error.hpp"

namespace clgauss {

namespace {

/// Leaves a verdict about the variant in the context's trials, whatever the outcome.
void ask(Context& context, const KernelVariant& variant, RealType type) {
  try {
    const std::string lacks = variant.lacks(context);
    if (lacks.empty())
      translate_opencl_errors([&] { variant.ask(context, type); });
    else
      context.trials().pass_over({variant.name, variant.file, {}}, lacks);
  } catch (const NoUsableKernel&) {  // also a verdict, which is recorded already
  }
}

}  // namespace

void survey_kernels(Context& context, const ProgressCallback& progress) {
  std::vector<RealType> types{RealType::f32};
  if (context.profile().fp64) types.push_back(RealType::f64);
  for (const RealType type : types)
    for (const KernelVariant* variant : kernel_variants()) {
      if (progress)
        progress(std::string("asking ") + variant->name + ", " + std::string(real_type_name(type)),
                 0);
      ask(context, *variant, type);
    }
}

}  // namespace clgauss
