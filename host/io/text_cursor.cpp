#include "io/text_cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <clgauss/error.hpp>
#include <cmath>
#include <cstring>

#include "io/number.hpp"

namespace clgauss::io {

TextCursor::TextCursor(const Input& input, const ReadOptions& options,
                       const CharacterClass& characters)
    : TextCursor(input, options, characters, input.bytes()) {
  if (input.bytes().starts_with("\xFF\xFE") || input.bytes().starts_with("\xFE\xFF")) {
    fail("the text is in UTF-16: save it as UTF-8 or ASCII");
  }
}

TextCursor::TextCursor(const Input& input, const ReadOptions& options,
                       const CharacterClass& characters, std::string_view part)
    : file_(input.name()),
      characters_(characters),
      allow_nonfinite_(options.allow_nonfinite),
      begin_(part.data()),
      at_(begin_),
      end_(begin_ + part.size()),
      line_begin_(begin_),
      side_by_side_(part.empty() ? 1 : (input.bytes().size() + part.size() / 2) / part.size()),
      progress_(options.progress, input.name(), input.bytes().size()) {}

std::string_view TextCursor::rest_of_line() const {
  const std::string_view rest(at_, bytes_left());
  return rest.substr(0, rest.find('\n'));
}

std::string_view TextCursor::token() const {
  const char* stop = std::find_if(at_, end_, [this](char c) { return characters_.stop(c); });
  if (stop == at_ && at_ != end_ && *at_ == '\r') {
    ++stop;
  }
  return {at_, static_cast<std::size_t>(stop - at_)};
}

void TextCursor::skip_blanks() {
  while (at_ != end_ && characters_.blank(*at_)) {
    ++at_;
  }
  if (at_ != end_ && *at_ == '\r' && (at_ + 1 == end_ || at_[1] == '\n')) {
    ++at_;
  }
}

bool TextCursor::skip_to_content() {
  skip_blanks();
  if (at_ != end_ && characters_.comment(*at_)) {
    const void* newline = std::memchr(at_, '\n', bytes_left());
    at_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
  }
  return at_ == end_ || *at_ == '\n';
}

bool TextCursor::skip_to_next_line_with_content() {
  while (skip_to_content()) {
    if (at_end()) {
      return false;
    }
    finish_line();
  }
  return true;
}

void TextCursor::finish_line() {
  if (at_ != end_) {
    ++at_;
    ++line_;
    line_begin_ = at_;
  }
  progress_.at(side_by_side_ * static_cast<std::size_t>(at_ - begin_));
}

void TextCursor::skip_rest_of_line() { at_ += rest_of_line().size(); }

bool TextCursor::read_plain_number(double& value) {
  const bool plus = bytes_left() >= 2 && at_[0] == '+' && at_[1] != '-';
  const auto read = std::from_chars(plus ? at_ + 1 : at_, end_, value);
  const bool complete = read.ptr == end_ || characters_.stop(*read.ptr);
  if (read.ec != std::errc{} || !complete || !std::isfinite(value)) {
    return false;
  }
  at_ = read.ptr;
  return true;
}

std::optional<double> TextCursor::unusual_number() {
  const std::string_view text = token();
  const std::optional<double> value = unusual_number_in(text);
  if (value) at_ += text.size();
  return value;
}

std::optional<double> TextCursor::unusual_number_in(std::string_view text) const {
  const Number number = parse_number(text);
  switch (number.kind) {
    case NumberKind::malformed:
      return std::nullopt;
    case NumberKind::too_large:
      fail(in_quotes(text) + " is beyond the range of f64 (about 1.8e308)");
    case NumberKind::nonfinite:
      if (!allow_nonfinite_) {
        fail(in_quotes(text) + " is not finite (--allow-nonfinite accepts it)");
      }
      break;
    case NumberKind::finite:
      break;
  }
  return number.value;
}

Index TextCursor::whole_number(std::string_view meaning) {
  const std::string_view text = token();
  Index value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc::result_out_of_range && read.ptr == end) {
    fail(fmt::format("{} is too large for {}", in_quotes(text), meaning));
  }
  if (read.ec != std::errc{} || read.ptr != end) {
    fail(fmt::format("{} is not {}", text.empty() ? "the end of the line" : in_quotes(text),
                     meaning));
  }
  at_ += text.size();
  return value;
}

TextProblem TextCursor::problem_at(const char* at, const std::string& reason) const {
  return {file_, line_, static_cast<std::size_t>(at - line_begin_) + 1, reason};
}

void TextCursor::fail_at(const char* at, const std::string& reason) const {
  throw problem_at(at, reason);
}

void TextCursor::fail_no_number(std::string_view token, const std::string& hint) const {
  const auto control = std::find_if(token.begin(), token.end(), [](char c) {
    return (c >= 0 && c < ' ' && c != '\t') || c == '\x7f';
  });
  if (control != token.end()) {
    throw TextProblem(file_, line_, static_cast<std::size_t>(control - line_begin_) + 1,
                      fmt::format("byte 0x{:02x} is not text: is this a binary or compressed file?",
                                  static_cast<unsigned char>(*control)),
                      false);
  }
  fail_at(token.data(), in_quotes(token) + " is not a number" + hint);
}

}  // namespace clgauss::io
