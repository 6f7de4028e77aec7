#include <clgauss/error.hpp>

#include "kernels/gemm_backend.hpp"

namespace clgauss {

const char* tuned_name(GemmUse use) { return use == GemmUse::update ? "gemm_update" : "gemm"; }

KernelBuild build_of(const GemmSpec& spec) { return {spec.name, spec.file, spec.defines()}; }

std::vector<TunedGemm> tuned_gemm_specs(const Context& context, RealType type, GemmUse use) {
  std::vector<TunedGemm> tuned;
  for (const TunedEntry* entry : context.tuning().entries(tuned_name(use), type)) {
    const GemmSpec spec{"tuned_" + entry->kernel, entry->kernel, type, use, entry->parameters};
    try {
      check_gemm_spec(spec);
      tuned.push_back({entry, spec});
    } catch (const UsageError&) {
      // a file that somebody edited: the built-in specs remain
    }
  }
  return tuned;
}

}  // namespace clgauss
