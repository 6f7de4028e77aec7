#include <algorithm>
#include <clgauss/lab/tuned.hpp>

namespace clgauss {

namespace {

constexpr const char *kMixedFrom = "MIXED_FROM", *kRbtFrom = "RBT_FROM";

/// Where nothing was measured. mixed: PoCL's two more programs to load count for as much as the LU
/// of n = 1500 saves; on an H200, whose f64 is half as fast as its f32, panels and not products are
/// what an LU of less than n = 16384 spends its time on. rbt: where diagonal blocks are factored by
/// sub-groups (lu_diagonal_ptx.cl).
MethodChoice built_in(const DeviceProfile& device) {
  const bool cpu = device.type == DeviceType::cpu;
  const bool butterflies = !cpu && device.fp64 && device.lacks_ptx().empty();
  return {cpu ? Index{1536} : Index{12288}, butterflies ? Index{1536} : MethodChoice::kNever};
}

/// Empty for a file that somebody edited.
std::optional<Index> from_of(const Parameters& parameters, const char* name) {
  const auto found = std::ranges::find(parameters, name, &Parameters::value_type::first);
  if (found == parameters.end() || found->second < 0) return std::nullopt;
  return found->second == 0 ? MethodChoice::kNever : static_cast<Index>(found->second);
}

int number_of(Index from) {
  constexpr auto kMost = static_cast<Index>(std::numeric_limits<int>::max());
  return from > kMost ? 0 : static_cast<int>(from);
}

}  // namespace

MethodChoice method_choice(const DeviceProfile& device, const Tuning& tuning) {
  for (const TunedEntry* entry : tuning.entries(kTunedMethod, RealType::f64)) {
    const auto mixed = from_of(entry->parameters, kMixedFrom),
               rbt = from_of(entry->parameters, kRbtFrom);
    if (mixed && rbt) return {*mixed, *rbt, entry};
  }
  return built_in(device);
}

/// Below, Cholesky's factors save less time than it takes to load their kernels; on GPUs they were
/// not measured beside what is taken else.
Index cholesky_from(const DeviceProfile& device) {
  return device.type == DeviceType::cpu ? Index{1024} : MethodChoice::kNever;
}

Parameters method_parameters(const MethodChoice& choice) {
  return {{kMixedFrom, number_of(choice.mixed_from)}, {kRbtFrom, number_of(choice.rbt_from)}};
}

}  // namespace clgauss
