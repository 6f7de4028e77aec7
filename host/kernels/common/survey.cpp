#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/kernel_survey.hpp>
#include <clgauss/lab/variant.hpp>
#include <vector>

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
  ProgramStore& programs = context.programs();
  if (progress) programs.announce_to([progress](const std::string& what) { progress(what, 0); });
  std::vector<RealType> types{RealType::f32};
  if (context.profile().fp64) types.push_back(RealType::f64);
  const auto for_each = [&](const auto& what) {
    for (const RealType type : types)
      for (const KernelVariant* variant : kernel_variants()) what(*variant, type);
  };
  programs.guard_builds();  // many kernels are for other devices
  std::vector<ProgramRequest> needed;
  for_each([&](const KernelVariant& variant, RealType type) {
    const auto some = programs.rehearse([&] { ask(context, variant, type); });
    needed.insert(needed.end(), some.begin(), some.end());
  });
  programs.build_all(needed);
  for_each([&](const KernelVariant& variant, RealType type) {
    if (progress) progress(fmt::format("asking {}, {}", variant.name, real_type_name(type)), 0);
    ask(context, variant, type);
  });
}

}  // namespace clgauss
