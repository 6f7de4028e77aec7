#pragma once
/// The options of clBuildProgram that change what a program's text says.

#include <string>
#include <utility>
#include <vector>

namespace clgauss::layer {

struct BuildOptions {
  std::vector<std::pair<std::string, std::string>> macros;  ///< of -D, name and value
};

/// Reads "-D N=4 -Include -cl-std=CL1.2". Throws Unfollowable for quotes, escapes, an option that
/// is not known to leave the text as it is, a name defined twice with two values, and C++ for
/// OpenCL.
[[nodiscard]] BuildOptions parse_build_options(const std::string& options);

}  // namespace clgauss::layer
