#pragma once

namespace clgauss {

/// "0.1.0": the version of the library that is linked.
[[nodiscard]] const char* version();

}  // namespace clgauss
