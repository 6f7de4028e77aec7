#pragma once
/// The user's own folders, by the XDG base directories.

#include <filesystem>
#include <optional>

namespace clgauss {

/// The folder that `variable` names, else `below_home` in the home folder; relative ones are to be
/// ignored (XDG base directories). Empty if neither is set.
[[nodiscard]] std::optional<std::filesystem::path> xdg_folder(const char* variable,
                                                              const char* below_home);

}  // namespace clgauss
