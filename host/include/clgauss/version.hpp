#pragma once

#include <clgauss/export.hpp>

namespace CLGAUSS_EXPORT clgauss {

/// "0.1.0": the version of the linked library.
[[nodiscard]] const char* version();

/// "0.1.0+7695bea": with the commit it was built from, for raw measurements; only the version if
/// the commit is unknown.
[[nodiscard]] const char* revision();

}  // namespace clgauss
