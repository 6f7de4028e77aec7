#include "tuner/layer/settings.hpp"

#include <unistd.h>

#include <cstdlib>

#include "session/user_folder.hpp"

namespace clgauss::layer {

Settings Settings::from_environment() {
  const auto value_of = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return std::string(value != nullptr ? value : "");
  };
  Settings settings;
  settings.force = value_of("CLGAUSS_LAYER_REPAIR") == "force";
  settings.repair = settings.force || value_of("CLGAUSS_LAYER_REPAIR") == "1";
  settings.json = value_of("CLGAUSS_LAYER_JSON");
  if (const auto at = settings.json.find("%p"); at != std::string::npos)
    settings.json.replace(at, 2, std::to_string(::getpid()));
  settings.explain = value_of("CLGAUSS_LAYER_EXPLAIN");
  if (const auto cache = xdg_folder("XDG_CACHE_HOME", ".cache");
      cache && value_of("CLGAUSS_CACHE") != "off")
    settings.cache_folder = *cache / "clgauss" / "layer";
  return settings;
}

}  // namespace clgauss::layer
