#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/gemm/gemm_backend.hpp"

namespace clgauss {

const char* tuned_name(GemmUse use) {
  return use == GemmUse::update ? kTunedGemmUpdate : kTunedGemm;
}

KernelBuild build_of(const GemmSpec& spec) { return {spec.name, spec.file, spec.defines()}; }

std::vector<TunedGemm> tuned_gemm_specs(const Context& context, RealType type, GemmUse use) {
  std::vector<TunedGemm> tuned;
  for (const TunedEntry* entry : context.tuning().entries(tuned_name(use), type)) {
    const GemmSpec spec{"tuned_" + entry->kernel, entry->kernel, type, use, entry->parameters};
    try {
      check_gemm_spec(spec);
      tuned.push_back({entry, spec});
    } catch (const UsageError&) {
      // somebody edited the file: the built-in specs are used
    }
  }
  return tuned;
}

const GemmSpec* nearest_tuned_gemm(const std::vector<TunedGemm>& specs, Index n) {
  std::vector<const TunedEntry*> entries;
  for (const TunedGemm& tuned : specs) entries.push_back(tuned.entry);
  const TunedEntry* nearest = nearest_tuned(entries, n);
  const auto found = std::ranges::find(specs, nearest, &TunedGemm::entry);
  return found == specs.end() ? nullptr : &found->spec;
}

GemmOptions gemm_options_for_lu(const Context& context, RealType type, Index n,
                                GemmOptions options) {
  const auto tuned = tuned_gemm_specs(context, type, GemmUse::update);
  if (const GemmSpec* nearest = nearest_tuned_gemm(tuned, n)) options.preferred.push_back(*nearest);
  return options;
}

}  // namespace clgauss
