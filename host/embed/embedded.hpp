#pragma once
/// Files embedded in the library at build time; embed_files.cmake writes the definitions.

#include <functional>
#include <map>
#include <string>

namespace clgauss {

/// Contents by path.
using EmbeddedFiles = std::map<std::string, std::string, std::less<>>;

/// cl/*/*.cl and cl/*/*.clh, by file name.
[[nodiscard]] const EmbeddedFiles& embedded_kernels();

/// data/tuned/VENDOR/DEVICE.json: the tuning results shipped with clgauss.
[[nodiscard]] const EmbeddedFiles& embedded_tuning();

/// data/published/*.csv, by file name: in clgauss-tune only.
[[nodiscard]] const EmbeddedFiles& embedded_published();

}  // namespace clgauss
