#include "session/user_folder.hpp"

#include <cstdlib>

namespace clgauss {

std::optional<std::filesystem::path> xdg_folder(const char* variable, const char* below_home) {
  const auto absolute = [](const char* name) -> std::optional<std::filesystem::path> {
    const char* const value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    const std::filesystem::path path(value);
    return path.is_absolute() ? std::optional(path) : std::nullopt;
  };
  if (const auto folder = absolute(variable)) return folder;
  if (const auto home = absolute("HOME")) return *home / below_home;
  return std::nullopt;
}

}  // namespace clgauss
