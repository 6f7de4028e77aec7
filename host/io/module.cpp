#include "io/module.hpp"

#ifndef CLGAUSS_WITHOUT_MODULES

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <shared_mutex>
#include <vector>

#include "io/child.hpp"
#include "operating_system.hpp"

namespace clgauss::io {

namespace {

namespace fs = std::filesystem;

/// The path of a module. Without one, its name, which the dynamic linker looks for.
fs::path module_file(const std::string& name) {
  const fs::path folder = operating_system::own_folder();
  std::vector<fs::path> places{CLGAUSS_MODULE_FOLDER};
  if (!folder.empty())
    places.insert(places.begin(), {folder, folder / "clgauss", folder / CLGAUSS_LIBRARY_FOLDER});
  for (const fs::path& place : places) {
    std::error_code none;
    if (fs::exists(place / name, none)) return place / name;
  }
  return name;
}

}  // namespace

Module open_module(std::string_view name, std::string_view library) {
  const fs::path file = module_file(fmt::format("libclgauss_{}.so", name));
  const auto without = [&](const std::string& reason) {
    return Module{nullptr,
                  fmt::format("{}, which reads and writes it, {}: install the Debian package "
                              "libclgauss-formats, or build clgauss where {} is installed",
                              file.string(), reason, library)};
  };
  const std::shared_lock no_fork(forking());  // a child could inherit the dynamic linker's locks
  void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return without(fmt::format("cannot be opened ({})", dlerror()));
  const auto* const its_border = static_cast<const char*>(dlsym(module, "clgauss_border"));
  const auto* const format = static_cast<const ForeignFormat*>(dlsym(module, "clgauss_format"));
  if (its_border == nullptr || format == nullptr ||
      std::string_view(its_border) != CLGAUSS_BORDER_HERE)
    return without("is of another version of clgauss");
  return {format, {}};
}

}  // namespace clgauss::io

#else

namespace clgauss::io {

Module open_module(std::string_view /*name*/, std::string_view library) {
  return {nullptr,
          "libclgauss_core neither reads nor writes it, as that takes " + std::string(library)};
}

}  // namespace clgauss::io

#endif
