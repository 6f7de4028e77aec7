#pragma once
/// The options of a command, in groups: the one source of what is read, of help, man pages and
/// completion.

#include <array>
#include <boost/program_options.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clgauss::cli {

namespace po = boost::program_options;

/// What can stand for a value.
struct ValueHint {
  enum class Kind { anything, words, file, folder, words_or_file };
  Kind kind = Kind::anything;
  std::vector<std::string> words = {};
  bool written = false;  // a file that the command writes, not one that it reads
};

/// A value of text that knows what can stand for it.
class TextValue : public po::typed_value<std::string> {
 public:
  TextValue(const char* name, ValueHint hint) : typed_value(nullptr), hint_(std::move(hint)) {
    value_name(name);
  }
  [[nodiscard]] const ValueHint& hint() const { return hint_; }

 private:
  ValueHint hint_;
};

[[nodiscard]] inline TextValue* text(const char* name) { return new TextValue(name, {}); }
[[nodiscard]] inline TextValue* file(const char* name) {
  return new TextValue(name, {ValueHint::Kind::file});
}
[[nodiscard]] inline TextValue* output_file(const char* name) {
  return new TextValue(name, {ValueHint::Kind::file, {}, true});
}
[[nodiscard]] inline TextValue* folder(const char* name) {
  return new TextValue(name, {ValueHint::Kind::folder});
}
/// A file that may be left out, which then is standard output: `--json`, `--json FILE`,
/// `--json=FILE`.
[[nodiscard]] po::typed_value<std::string>* optional_file(const char* name);
/// A list of words between commas is a value as well, where the option takes one.
[[nodiscard]] inline TextValue* words(const char* name, std::vector<std::string> words) {
  return new TextValue(name, {ValueHint::Kind::words, std::move(words)});
}

[[nodiscard]] inline TextValue* words_or_file(const char* name, std::vector<std::string> words) {
  return new TextValue(name, {ValueHint::Kind::words_or_file, std::move(words)});
}

/// The words that an option takes, and what they mean.
template <typename T>
using WordTable = std::vector<std::pair<std::string_view, T>>;

template <typename T, std::size_t Count>
[[nodiscard]] WordTable<T> word_table(
    const std::array<std::pair<std::string_view, T>, Count>& names) {
  return {names.begin(), names.end()};
}

template <typename T>
std::vector<std::string> words_in(const WordTable<T>& table) {
  std::vector<std::string> known;
  for (const auto& [word, value] : table) known.emplace_back(word);
  return known;
}

template <typename T>
[[nodiscard]] TextValue* words(const char* name, const WordTable<T>& table) {
  return words(name, words_in(table));
}

/// All that the parts of the program say of one option.
struct OptionView {
  std::string name;             // without dashes
  std::string short_name;       // without its dash; empty if there is none
  std::string value;            // FILE; empty for a switch
  bool optional_value = false;  // a value may be left out
  bool required = false;
  std::string initial;  // the default, if there is one to show
  std::string about;
  ValueHint hint;
  std::size_t positional = 0;  // given without its name: the first or the second; 0: by its name

  /// "-o, --output FILE", "SYSTEM".
  [[nodiscard]] std::string usage() const;
};

/// Options that mean something in some of the command's modes alone.
struct Scope {
  unsigned modes;                    // bits, which the command defines
  std::string belongs_to;            // those modes, as a message says them: "--method gauss"
  std::vector<std::string> options;  // "pivot", or "pivot=none" for one of its values
};

/// The same as part of one option's row, of all its values or of one.
struct Where {
  unsigned modes;
  std::string belongs_to;
  std::string value = {};
};

/// What a run is, as far as its options say it.
struct Mode {
  unsigned bits;
  std::string with;  // how a message says it: "with --batched"; empty: `belongs_to` says enough
};

struct CommandTable;

struct OptionGroup {
  std::string caption;
  po::options_description options;

  [[nodiscard]] std::vector<OptionView> view(const CommandTable& table) const;
};

/// Takes the options of a group, a row each.
class OptionRows {
 public:
  OptionRows(CommandTable& table, std::size_t group) : table_(&table), group_(group) {}

  /// `name` may end in ",n", a short one. Without `where` the option means something in every mode;
  /// else all of `where` have to allow a mode.
  OptionRows& operator()(const char* name, const po::value_semantic* value, const char* about,
                         const std::vector<Where>& where = {});

 private:
  CommandTable* table_;
  std::size_t group_;
};

/// A command's line: its options, those that are given without their names, and what is told about
/// it.
struct CommandTable {
  std::string_view usage;     // after the names of program and command: "SYSTEM [options]"
  std::string_view about;     // paragraphs, each on one line, and lines "  word  meaning"
  std::string_view examples;  // one command a line
  std::vector<OptionGroup> groups;
  const char* positional = nullptr;  // names in their order, blanks between
  const char* extra = nullptr;       // the option that an argument too many was likely meant for
  std::vector<Scope> scopes = {};    // an option that stands in none means something in every mode
  Mode (*mode)(const po::variables_map& values) = nullptr;  // if there are scopes
  bool is_before_program = false;  // what stands behind "--" is another program and its arguments

  /// Begins a group of options, or goes on with the one of that caption.
  OptionRows group(const char* caption);
  /// What Where of its row says of an option, of one whose row stands in another command's, too.
  void restrict_option(std::string_view name, const Where& where);
  [[nodiscard]] po::options_description all() const;
  [[nodiscard]] std::vector<OptionView> options() const;
  [[nodiscard]] std::vector<std::string> positionals() const;
  /// What the user calls the option `name`: "SYSTEM" for a positional one, else "--name".
  [[nodiscard]] std::string called(const std::string& name) const;
};

}  // namespace clgauss::cli
