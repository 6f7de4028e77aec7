#pragma once
/// The parameters of the GEMM kernels as spaces: tile, work-group shape and the rest jointly, one space a kernel file.

#include <clgauss/gemm.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/search/space.hpp"

namespace clgauss::tune {

/// What is to be tuned for: C <- A B, or C <- C - A B.
struct GemmTask {
  RealType type = RealType::f32;
  GemmUse use = GemmUse::general;
  GemmShape shape;
};

struct GemmSpace {
  GemmSpec base;  // its file and the parameters that do not vary
  Space space;
  std::vector<std::size_t> seeds;  // the built-in specs that lie in the space

  [[nodiscard]] GemmSpec spec(std::size_t configuration) const;
};

/// Of the family `kernel`: simt, nvidia_f64, nvidia_tf32x3 or cpu; empty = the one that the device takes for the task. `vary`
/// names the parameters that vary, empty = all; the others stay as built in. The valid configurations keep the rules of
/// broken_rule() and the limits of the device as known before a build. Throws UsageError if the family is unknown or not for
/// the type, and for a parameter that it does not have.
[[nodiscard]] GemmSpace gemm_space(Context& context, const GemmTask& task,
                                   std::string_view kernel = {},
                                   const std::vector<std::string>& vary = {});

/// The rule of the kernel's file that the parameters break, in words; empty if none. One more than the file's own #error: a
/// work-item's accumulators must fit its registers.
[[nodiscard]] std::string broken_rule(const GemmSpec& spec);

/// What the device would refuse before it builds: work-items or local memory; empty if nothing.
[[nodiscard]] std::string exceeded_limit(const GemmSpec& spec, const DeviceProfile& device);

/// The spec that Gemm takes by itself for the task.
[[nodiscard]] GemmSpec built_in_gemm_spec(Context& context, const GemmTask& task);

}  // namespace clgauss::tune
