#pragma once
/// A preprocessor of C99 (translation phase 4) for OpenCL C that gives up rather than guess.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "build_options.hpp"
#include "tokens.hpp"

namespace clgauss::layer {

/// The text tests a macro that the device may or may not define; preprocess() again with an
/// assumption about it.
struct UnknownMacro {
  std::string name;
};

/// An #error: a program that was built cannot come here.
struct ErrorDirective {
  std::string reason;
};

/// Which macros the device is assumed to define; with which value remains unknown.
using Assumptions = std::map<std::string, bool, std::less<>>;

/// Whether a device may define the name as a macro without having said so: reserved names,
/// extensions, OpenCL's own words. A program's other names are taken to be its own; a test
/// of one that ends as the guard of an included file does, "__BLUR_H", is taken to be just that.
[[nodiscard]] bool may_be_predefined(std::string_view name);

/// The tokens of `text` after all directives and macros. #include reads files; `#line` changes
/// nothing, since names cannot depend on it: __LINE__ and __FILE__ become constants that can be
/// neither tested nor pasted. Agrees with GCC and Clang where they agree; throws Unfollowable where
/// they or other compilers may differ, UnknownMacro, ErrorDirective.
[[nodiscard]] std::vector<Token> preprocess(
    const std::string& text, const BuildOptions& options,
    const std::vector<std::pair<std::string, std::string>>& device_macros,
    const Assumptions& assumptions = {});

}  // namespace clgauss::layer
