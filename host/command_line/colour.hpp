#pragma once
/// Colours for messages on stderr, if it is a terminal.

#include <string>
#include <string_view>

namespace clgauss::cli {

enum class Colour { red, yellow, green };

/// `text` in that colour if stderr is a terminal, NO_COLOR is unset or empty and TERM is not
/// "dumb"; otherwise `text` unchanged.
[[nodiscard]] std::string painted(std::string_view text, Colour colour);

/// The lines of a summary, with titles coloured by the outcome.
[[nodiscard]] std::string painted_summary(std::string_view text);

}  // namespace clgauss::cli
