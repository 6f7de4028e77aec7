#pragma once
/// A position in a text file with its line and column; used by the parsers of tables and of Matrix
/// Market.

#include <array>
#include <clgauss/error.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "io/input.hpp"
#include "io/progress.hpp"

namespace clgauss::io {

/// Which characters end a number, begin a comment up to the end of the line, or count as blanks
/// between numbers.
class CharacterClass {
 public:
  constexpr CharacterClass(std::string_view comments, std::string_view delimiters) {
    mark(" \t", stop_flag | blank_flag);
    mark("\r\n", stop_flag);
    mark(comments, stop_flag | comment_flag);
    mark(delimiters, stop_flag);  // a tab that is a delimiter is not a blank
  }
  [[nodiscard]] constexpr bool stop(char c) const { return has(c, stop_flag); }
  [[nodiscard]] constexpr bool comment(char c) const { return has(c, comment_flag); }
  [[nodiscard]] constexpr bool blank(char c) const { return has(c, blank_flag); }

 private:
  static constexpr unsigned char stop_flag = 1;
  static constexpr unsigned char comment_flag = 2;
  static constexpr unsigned char blank_flag = 4;

  constexpr void mark(std::string_view set, unsigned char flags) {
    for (const char c : set) {
      flags_[static_cast<unsigned char>(c)] = flags;
    }
  }
  [[nodiscard]] constexpr bool has(char c, unsigned char flag) const {
    return (flags_[static_cast<unsigned char>(c)] & flag) != 0;
  }

  std::array<unsigned char, 256> flags_{};
};

/// An error at a place in a text.
class TextProblem : public FormatError {
 public:
  TextProblem(const std::string& file, std::size_t line, std::size_t column, std::string reason,
              bool is_text = true)
      : FormatError(file, line, column, reason), reason_(std::move(reason)), is_text_(is_text) {}
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  /// False if the file is binary, so that the rest need not be read.
  [[nodiscard]] bool is_text() const noexcept { return is_text_; }

 private:
  std::string reason_;
  bool is_text_;
};

class TextCursor {
 public:
  /// Throws FormatError if the file begins like UTF-16. `characters`, `input` and `options` must
  /// outlive the cursor.
  TextCursor(const Input& input, const ReadOptions& options, const CharacterClass& characters);
  /// For a part of the lines of `input`, numbered from 1, while other cursors read the other parts.
  /// Its progress is reported as that of all parts, which are assumed to be of equal size.
  TextCursor(const Input& input, const ReadOptions& options, const CharacterClass& characters,
             std::string_view part);

  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] char peek() const { return *at_; }  // must not be at the end
  [[nodiscard]] const char* position() const { return at_; }
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }
  [[nodiscard]] std::string_view rest_of_line() const;
  /// The characters up to the next one that ends a number. A misplaced carriage return is a token
  /// of its own.
  [[nodiscard]] std::string_view token() const;

  void advance(std::size_t count = 1) { at_ += count; }
  /// Skips blanks, and the carriage return of a line that ends in CR LF.
  void skip_blanks();
  /// Skips a comment that begins here. True at the end of the line or of the file.
  [[nodiscard]] bool skip_to_content();
  /// Skips blank lines and comments. False if nothing else is left.
  [[nodiscard]] bool skip_to_next_line_with_content();
  void finish_line();  // to the beginning of the next line
  void skip_rest_of_line();

  /// Reads a finite number that ends at a character that ends numbers. For anything else it returns
  /// false and does not move; unusual_number() then reads or refuses it. Nearly all numbers of a
  /// large file are plain.
  [[nodiscard]] bool read_plain_number(double& value);
  /// Reads a number as parse_number() does; empty if token() is not a number. Throws FormatError if
  /// the number is beyond the range of a double, or is infinite or NaN and that is not allowed.
  [[nodiscard]] std::optional<double> unusual_number();
  /// The same for `text` instead of token(). Does not move.
  [[nodiscard]] std::optional<double> unusual_number_in(std::string_view text) const;
  /// Reads a non-negative integer; `meaning` says in messages what it stands for.
  [[nodiscard]] Index whole_number(std::string_view meaning);

  /// An error at `at`, a place in the current line.
  [[nodiscard]] TextProblem problem_at(const char* at, const std::string& reason) const;
  /// Throws an error at `at`, or at the cursor.
  [[noreturn]] void fail(const std::string& reason) const { fail_at(at_, reason); }
  [[noreturn]] void fail_at(const char* at, const std::string& reason) const;
  /// Throws FormatError for `token`, which stands in the current line and is not a number.
  [[noreturn]] void fail_no_number(std::string_view token, const std::string& hint = "") const;

  void finish_progress() const { progress_.finish(); }

 private:
  const std::string& file_;
  const CharacterClass& characters_;
  bool allow_nonfinite_;
  const char* begin_;
  const char* at_;
  const char* end_;
  const char* line_begin_;
  std::size_t line_ = 1;
  std::size_t side_by_side_;  // number of parts, of which this is one
  Progress progress_;
};

}  // namespace clgauss::io
