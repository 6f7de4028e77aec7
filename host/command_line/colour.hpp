#pragma once
/// Colours of what is told on stderr, where a person reads it.

#include <string>
#include <string_view>

namespace clgauss::cli {

enum class Colour { red, yellow, green };

/// `text` in that colour if stderr is a terminal, and neither NO_COLOR is set nor TERM is dumb;
/// else as it is.
[[nodiscard]] std::string painted(std::string_view text, Colour colour);

/// The lines of a summary, the titles of which say how it went.
[[nodiscard]] std::string painted_summary(std::string_view text);

}  // namespace clgauss::cli
