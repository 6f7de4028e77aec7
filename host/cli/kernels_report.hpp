#pragma once
/// What is said of the kernels that were self-tested.

#include <clgauss/lab/kernel_trials.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace clgauss::cli {

/// A line for each kernel that was tried and failed; with `verbose` for every kernel, with all of
/// its reason.
[[nodiscard]] std::string kernels_text(const std::vector<KernelVerdict>& verdicts, bool verbose);

/// [{kernel, build, usable, reason}]: of those in use, and of those skipped and why.
[[nodiscard]] nlohmann::ordered_json kernels_json(const std::vector<KernelVerdict>& verdicts);

}  // namespace clgauss::cli
