#include "tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace clgauss::layer {

namespace {

using Kind = Token::Kind;

// Longest first.
constexpr std::array<std::string_view, 24> kPunctuators{
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&",  "||",  "*=",  "/=", "%=", "+=", "-=", "&=", "^=", "|=", "##", "::"};
constexpr std::array<std::string_view, 5> kDigraphs{"<%", "%>", "<:", ":>", "%:"};
constexpr std::string_view kPunctuation = "[](){}.&*+-~!/%<>^|?:;=,#";

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool continues_name(char c) { return begins_name(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }

/// Text without line splices, and the line of each of its characters.
struct Spliced {
  std::string text;
  std::vector<int> lines;
};

Unfollowable at_line(const std::string& what, int line) {
  return {what + " (line " + std::to_string(line) + ")"};
}

Spliced splice(const std::string& text) {
  Spliced result;
  int line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\0') throw at_line("a zero in the text", line);
    if (c == '\r') {
      if (i + 1 == text.size() || text[i + 1] != '\n') {
        throw at_line("a carriage return within a line", line);
      }
      continue;
    }
    if (text.compare(i, 3, "?\?/") == 0) throw at_line("the trigraph of a backslash", line);
    if (c == '\\') {
      std::size_t end = i + 1;
      while (end < text.size() && is_blank(text[end])) ++end;
      const bool blanks = end > i + 1;
      if (end < text.size() && text[end] == '\r') ++end;
      if (end == text.size() || text[end] == '\n') {
        if (blanks) throw at_line("blanks between a backslash and the line's end", line);
        if (end == text.size()) throw at_line("a backslash at the text's end", line);
        ++line;
        i = end;
        continue;
      }
    }
    result.text += c;
    result.lines.push_back(line);
    if (c == '\n') ++line;
  }
  return result;
}

class Lexer {
 public:
  explicit Lexer(const std::string& text) : spliced_(splice(text)) {}

  std::vector<Token> tokens() {
    while (skip_space(), position_ < text().size()) {
      Token token;
      token.line = spliced_.lines[position_];
      token.begins_line = begins_line_;
      token.after_space = after_space_;
      const std::size_t begin = position_;
      token.kind = scan();
      token.spelling = text().substr(begin, position_ - begin);
      begins_line_ = after_space_ = false;
      tokens_.push_back(std::move(token));
    }
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] const std::string& text() const { return spliced_.text; }
  [[nodiscard]] bool here(std::string_view what) const {
    return text().compare(position_, what.size(), what) == 0;
  }

  void skip_space() {
    for (;;) {
      if (here("//")) {
        position_ = std::min(text().find('\n', position_), text().size());
      } else if (here("/*")) {
        const std::size_t end = text().find("*/", position_ + 2);
        if (end == std::string::npos) {
          throw at_line("a comment without an end", spliced_.lines[position_]);
        }
        position_ = end + 2;
      } else if (position_ < text().size() && text()[position_] == '\n') {
        begins_line_ = true;
        ++position_;
      } else if (position_ < text().size() && is_blank(text()[position_])) {
        ++position_;
      } else {
        return;
      }
      after_space_ = true;
    }
  }

  Kind scan() {
    const char c = text()[position_];
    if (begins_name(c)) return scan_name();
    if (is_digit(c) ||
        (c == '.' && position_ + 1 < text().size() && is_digit(text()[position_ + 1])))
      return scan_number();
    if (c == '"' || c == '\'') return scan_text(c);
    for (const auto digraph : kDigraphs) {
      if (here(digraph)) return advance(digraph.size(), Kind::stray);
    }
    for (const auto punctuator : kPunctuators) {
      if (here(punctuator)) return advance(punctuator.size(), Kind::punctuator);
    }
    const bool known = kPunctuation.find(c) != std::string_view::npos && !here("?\?");
    return advance(1, known ? Kind::punctuator : Kind::stray);
  }

  Kind advance(std::size_t characters, Kind kind) {
    position_ += characters;
    return kind;
  }

  Kind scan_name() {
    while (position_ < text().size() && continues_name(text()[position_])) ++position_;
    if (here("\"") && text()[position_ - 1] == 'R') {
      throw at_line("a raw string", spliced_.lines[position_]);
    }
    return Kind::name;
  }

  Kind scan_number() {
    for (; position_ < text().size(); ++position_) {
      const char c = text()[position_];
      const bool sign =
          (c == '+' || c == '-') &&
          std::string_view("eEpP").find(text()[position_ - 1]) != std::string_view::npos;
      if (!continues_name(c) && c != '.' && !sign) break;
    }
    return Kind::number;
  }

  Kind scan_text(char quote) {
    const std::size_t begin = position_;
    for (++position_; position_ < text().size() && text()[position_] != '\n'; ++position_) {
      if (text()[position_] == quote) return advance(1, Kind::text);
      if (text()[position_] == '\\') ++position_;
    }
    position_ = std::min(text().find('\n', begin), text().size());
    const std::string_view rest = std::string_view(text()).substr(begin, position_ - begin);
    if (rest.find("/*") != std::string_view::npos) {
      throw at_line("a lone quote before a comment", spliced_.lines[begin]);
    }
    return Kind::stray;
  }

  Spliced spliced_;
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  bool begins_line_ = true;
  bool after_space_ = false;
};

}  // namespace

std::string place(const Token& token) { return "line " + std::to_string(token.line); }

std::vector<Token> tokens_of(const std::string& text) { return Lexer(text).tokens(); }

}  // namespace clgauss::layer
