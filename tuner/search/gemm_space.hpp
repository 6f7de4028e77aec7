#pragma once
/// The parameters of the GEMM kernels as spaces: tile, work-group shape and the rest jointly, one
/// space a kernel file.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/measure/gemm_bench.hpp"
#include "tuner/search/space.hpp"

namespace clgauss::tune {

struct GemmSpace {
  GemmSpec base;  // its file and the parameters that do not vary
  Space space;
  std::vector<std::size_t> seeds;  // the built-in specs that lie in the space

  [[nodiscard]] GemmSpec spec(std::size_t configuration) const;
};

/// Of the family `kernel`: simt, mma_f64, mma_tf32x3 or cpu; empty = the one that the device takes
/// for the task. `vary` names the parameters that vary, empty = all; the others stay as built in.
/// The valid configurations keep the rules of broken_rule() and the limits of the device as known
/// before a build. Throws UsageError if the family is unknown or not for the type, and for a
/// parameter that it does not have.
[[nodiscard]] GemmSpace gemm_space(Context& context, const GemmTask& task,
                                   std::string_view kernel = {},
                                   const std::vector<std::string>& vary = {});

}  // namespace clgauss::tune
