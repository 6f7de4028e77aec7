#pragma once
/// A preprocessor of C99 (translation phase 4) for OpenCL C that gives up rather than guess.

#include <string>
#include <utility>
#include <vector>

#include "build_options.hpp"
#include "macros.hpp"
#include "tokens.hpp"

namespace clgauss::layer {

/// An #error: a program that was built cannot come here.
struct ErrorDirective {
  std::string reason;
};

/// The tokens of `text` after all directives and macros. `#line` changes nothing, since names
/// cannot depend on it: __LINE__ and __FILE__ become constants that can be neither tested nor
/// pasted. Agrees with GCC and Clang where they agree; throws Unfollowable for #include and where
/// they or other compilers may differ, UnknownMacro, ErrorDirective.
[[nodiscard]] std::vector<Token> preprocess(
    const std::string& text, const BuildOptions& options,
    const std::vector<std::pair<std::string, std::string>>& device_macros,
    const Assumptions& assumptions = {});

}  // namespace clgauss::layer
