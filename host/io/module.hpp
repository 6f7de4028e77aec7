#pragma once
/// Finds and opens the modules that read and write formats through further libraries.

#include <string>
#include <string_view>

#include "formats/border.hpp"

namespace clgauss::io {

/// A module whose border is this library's. It stays open, because its library may have threads
/// and functions to be called at the end of the program.
struct Module {
  const ForeignFormat* format = nullptr;
  std::string obstacle;  // why there is no format
};

/// Opens libclgauss_`name`.so: from the folder of the file that contains this code, from the folder
/// of installed modules, or by the search path of the dynamic linker. `library` names what the
/// module needs, for the obstacle. libclgauss_core opens none.
[[nodiscard]] Module open_module(std::string_view name, std::string_view library);

}  // namespace clgauss::io
