#pragma once
/// What a user sets for the layer, by the environment, as it has no command line.

#include <filesystem>
#include <optional>
#include <string>

namespace clgauss::layer {

struct Settings {
  bool repair = false;  // CLGAUSS_LAYER_REPAIR=1 or =force
  bool force = false;   // =force, for tests: unmeasured, and the program's own sizes, too
  std::string json;     // CLGAUSS_LAYER_JSON, %p there replaced; empty: the table
  std::string explain;  // CLGAUSS_LAYER_EXPLAIN, a kernel's name
  std::optional<std::filesystem::path> cache_folder;  // empty with CLGAUSS_CACHE=off

  [[nodiscard]] static Settings from_environment();
};

}  // namespace clgauss::layer
