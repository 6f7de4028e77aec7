#pragma once
/// The names that OpenCL C gives a program, and what each lets a work-item see of its launch.

#include <string_view>

namespace clgauss::layer {

/// What a name tells a work-item.
struct Telling {
  std::string_view name;  ///< "get_local_*" is a family
  bool of_size;           ///< of the local size; otherwise only of a split
  std::string_view why;
};

/// Null for a name that is not in the table of what tells.
[[nodiscard]] const Telling* tells(std::string_view name);
/// A name of the atomic functions and types.
[[nodiscard]] bool is_atomic(std::string_view name);
/// A function of OpenCL whose results and effects depend on its arguments, get_global_id and
/// get_work_dim alone.
[[nodiscard]] bool is_harmless_function(std::string_view name);
/// A keyword, qualifier or type of OpenCL C that tells nothing and calls nothing.
[[nodiscard]] bool is_language_word(std::string_view name);
/// A constant of OpenCL C, most often a macro: M_PI, true.
[[nodiscard]] bool is_constant(std::string_view name);
/// "aligned", "__aligned__": an attribute that tells nothing and renames nothing.
[[nodiscard]] bool is_harmless_attribute(std::string_view name);
/// The first word of a #pragma that changes no token of what follows.
[[nodiscard]] bool is_harmless_pragma(std::string_view word);

}  // namespace clgauss::layer
