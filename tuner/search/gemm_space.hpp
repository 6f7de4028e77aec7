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

/// The names of the variants that a product can be by.
[[nodiscard]] std::vector<std::string> gemm_kernel_names();

/// Of the variant `kernel`; empty = the one that the device takes for the task. `vary` names the
/// parameters that vary, empty = all; the others stay as built in. The valid configurations keep
/// the rules of broken_rule() and the limits of the device as known before a build. Throws
/// UsageError if the variant is unknown or not for the type, and for a parameter that it does not
/// have.
[[nodiscard]] GemmSpace gemm_space(Context& context, const GemmTask& task,
                                   std::string_view kernel = {},
                                   const std::vector<std::string>& vary = {});

}  // namespace clgauss::tune
