#pragma once

#include <clgauss/export.hpp>

namespace CLGAUSS_EXPORT clgauss {

/// "0.1.0": the version of the library that is linked.
[[nodiscard]] const char* version();

/// "0.1.0+7695bea": with the commit it was built from, for raw measurements; the version alone
/// where that is not known.
[[nodiscard]] const char* revision();

}  // namespace clgauss
