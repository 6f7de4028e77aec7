#pragma once
/// The self-tested kernels as text and JSON.

#include <clgauss/lab/kernel_trials.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace clgauss::cli {

/// A line for each kernel that failed; with `verbose` a line for every kernel, with its full
/// reason.
[[nodiscard]] std::string kernels_text(const std::vector<KernelVerdict>& verdicts, bool verbose);

/// [{kernel, build, usable, reason}]: the kernels in use, and the skipped ones with the reason.
[[nodiscard]] nlohmann::ordered_json kernels_json(const std::vector<KernelVerdict>& verdicts);

}  // namespace clgauss::cli
