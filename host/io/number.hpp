#pragma once
/// Parses numbers in text: everything that std::from_chars reads, and also a leading '+', the
/// Fortran exponents D and d, and numbers too small for a double (which become 0).

#include <string>
#include <string_view>

namespace clgauss::io {

enum class NumberKind { finite, nonfinite, too_large, malformed };

struct Number {
  double value = 0;
  NumberKind kind = NumberKind::malformed;
};

/// Parses `token`, which must be exactly one number. "nan" and "inf", in any case, are nonfinite.
[[nodiscard]] Number parse_number(std::string_view token);

/// `token` in quotes, for messages. Control characters and bytes beyond ASCII are escaped; a long
/// token is shortened.
[[nodiscard]] std::string in_quotes(std::string_view token);

}  // namespace clgauss::io
