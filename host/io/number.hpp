#pragma once
/// Numbers in text: what std::from_chars reads, and also a leading '+', the Fortran exponents D and
/// d, and numbers too small for a double (they become 0).

#include <string>
#include <string_view>

namespace clgauss::io {

enum class NumberKind { finite, nonfinite, too_large, malformed };

struct Number {
  double value = 0;
  NumberKind kind = NumberKind::malformed;
};

/// Reads `token`, which must be one number from its first to its last character. "nan" and "inf" in
/// any case are nonfinite.
[[nodiscard]] Number parse_number(std::string_view token);

/// `token` in quotes for a message: control characters and bytes beyond ASCII escaped, long ones
/// cut.
[[nodiscard]] std::string in_quotes(std::string_view token);

}  // namespace clgauss::io
