#pragma once
/// What users set for the programs.

#include <filesystem>
#include <optional>
#include <string>

namespace clgauss {

/// Where clgauss-tune keeps what it found: XDG_DATA_HOME/clgauss/tuned; empty if no folder can be
/// named.
[[nodiscard]] std::optional<std::filesystem::path> user_tuned_folder();

/// CLGAUSS_DEVICE; empty if it is not set.
[[nodiscard]] std::string device_of_environment();

}  // namespace clgauss
