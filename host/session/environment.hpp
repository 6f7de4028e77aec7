#pragma once
/// Settings that users make for the programs.

#include <filesystem>
#include <optional>
#include <string>

namespace clgauss {

/// The folder where clgauss-tune keeps its results: XDG_DATA_HOME/clgauss/tuned. Empty if there is
/// no such folder (see xdg_folder()).
[[nodiscard]] std::optional<std::filesystem::path> user_tuned_folder();

/// CLGAUSS_DEVICE; empty if it is not set.
[[nodiscard]] std::string device_of_environment();

}  // namespace clgauss
