#pragma once
/// The user's own folders, according to the XDG base directory specification.

#include <filesystem>
#include <optional>

namespace clgauss {

/// The folder that `variable` names, or else `below_home` in the home folder. Relative paths are
/// ignored, as the specification demands. Empty if neither variable is set.
[[nodiscard]] std::optional<std::filesystem::path> xdg_folder(const char* variable,
                                                              const char* below_home);

}  // namespace clgauss
