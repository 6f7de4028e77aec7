#pragma once
/// Program text as the tokens of C99's translation phases 1 to 3.

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace clgauss::layer {

/// A text that cannot be followed, with the reason; kernel_text() makes it "cannot tell".
struct Unfollowable {
  std::string reason;
};

/// The macros that a token must not be replaced by any more (C99 6.10.3.4).
struct Paint {
  std::set<std::string, std::less<>> hidden;
  std::set<std::string, std::less<>> unspecified;  ///< where the standard leaves it to the compiler
};

struct Token {
  enum class Kind {
    name,
    number,
    text,  ///< a string or a character
    punctuator,
    stray  ///< what compilers read differently or not at all: $ @ \ non-ASCII, digraphs, a lone quote
  };
  Kind kind = Kind::stray;
  std::string spelling;
  int line = 0;  ///< from 1; #line does not change it
  bool begins_line = false;
  bool after_space = false;
  bool passed = false;  ///< was part of a macro's argument whose macros were replaced
  std::shared_ptr<const Paint> paint;  ///< null where no macro is hidden

  [[nodiscard]] bool is(std::string_view other) const {
    return spelling == other && kind != Kind::text;
  }
};

/// "line 12".
[[nodiscard]] std::string place(const Token& token);

/// The tokens of `text` without comments and line splices. Throws Unfollowable for what compilers
/// read differently: "??/", a backslash and blanks at a line's end, a lone carriage return, a zero,
/// raw strings, an unterminated comment, a lone quote before a comment.
[[nodiscard]] std::vector<Token> tokens_of(const std::string& text);

}  // namespace clgauss::layer
