#pragma once
/// The kernel files as they were when the library was built.

#include <functional>
#include <map>
#include <string>

namespace clgauss {

/// Text by file name; defined in a source that the build generates from cl/.
[[nodiscard]] const std::map<std::string, std::string, std::less<>>& embedded_kernels();

}  // namespace clgauss
