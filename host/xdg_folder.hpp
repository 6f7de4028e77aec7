#pragma once
/// Where a user's files lie (XDG base directories).

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace clgauss {

/// The folder that `variable` names, else `below_home` in the home folder; relative ones are to be ignored.
[[nodiscard]] inline std::optional<std::filesystem::path> xdg_folder(const char* variable,
                                                                     const char* below_home) {
  const auto absolute = [](const char* name) -> std::optional<std::filesystem::path> {
    const char* value = std::getenv(name);
    if (value == nullptr || !std::filesystem::path(value).is_absolute()) return std::nullopt;
    return std::filesystem::path(value);
  };
  if (const auto folder = absolute(variable)) return folder;
  if (const auto home = absolute("HOME")) return *home / below_home;
  return std::nullopt;
}

}  // namespace clgauss
