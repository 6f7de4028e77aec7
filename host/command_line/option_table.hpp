#pragma once
/// The options of a command, in groups: the single source for parsing, help, man pages and
/// completion.

#include <array>
#include <boost/program_options.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clgauss::cli {

namespace po = boost::program_options;

/// What an option's value can be.
struct ValueHint {
  enum class Kind { anything, words, file, folder, words_or_file };
  Kind kind = Kind::anything;
  std::vector<std::string> words = {};
  bool written = false;  // the command writes the file instead of reading it
};

/// A text value that knows what it can be.
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
/// A file that may be left out, which means standard output: `--json`, `--json FILE`,
/// `--json=FILE`.
[[nodiscard]] po::typed_value<std::string>* optional_file(const char* name);
/// A value that is one of `words`, or a comma-separated list of them where the option accepts
/// lists.
[[nodiscard]] inline TextValue* words(const char* name, std::vector<std::string> words) {
  return new TextValue(name, {ValueHint::Kind::words, std::move(words)});
}

[[nodiscard]] inline TextValue* words_or_file(const char* name, std::vector<std::string> words) {
  return new TextValue(name, {ValueHint::Kind::words_or_file, std::move(words)});
}

/// The words that an option accepts, with their values.
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

/// What parsing, help, man pages and completion need to know about an option.
struct OptionView {
  std::string name;             // without dashes
  std::string short_name;       // without its dash; empty if there is none
  std::string value;            // FILE; empty for a switch
  bool optional_value = false;  // a value may be left out
  bool required = false;
  std::string initial;  // the default, if there is one to show
  std::string about;
  ValueHint hint;
  std::size_t positional = 0;  // position (1 or 2) if given without a name; else 0

  /// "-o, --output FILE", "SYSTEM".
  [[nodiscard]] std::string usage() const;
};

/// Options that have an effect only in some of the command's modes.
struct Scope {
  unsigned modes;                    // bits, defined by the command
  std::string belongs_to;            // those modes, for messages: "--method gauss"
  std::vector<std::string> options;  // "pivot", or "pivot=none" for one of its values
};

/// The scope of a single option, in its own row: for all its values, or for one `value`.
struct Where {
  unsigned modes;
  std::string belongs_to;
  std::string value = {};
};

/// The mode of a run, as far as its options determine it.
struct Mode {
  unsigned bits;
  std::string with;  // for messages: "with --batched"; may be empty
};

struct CommandTable;

struct OptionGroup {
  std::string caption;
  po::options_description options;

  [[nodiscard]] std::vector<OptionView> view(const CommandTable& table) const;
};

/// Adds the options of a group, one row each.
class OptionRows {
 public:
  OptionRows(CommandTable& table, std::size_t group) : table_(&table), group_(group) {}

  /// `name` may end in ",n", which adds the short name -n. Without `where`, the option has an
  /// effect in every mode; otherwise only in modes that all of `where` allow.
  OptionRows& operator()(const char* name, const po::value_semantic* value, const char* about,
                         const std::vector<Where>& where = {});

 private:
  CommandTable* table_;
  std::size_t group_;
};

/// A command's options, its positional arguments and its help texts.
struct CommandTable {
  std::string_view usage;     // after the names of program and command: "SYSTEM [options]"
  std::string_view about;     // paragraphs, each on one line, and lines "  word  meaning"
  std::string_view examples;  // one command per line
  std::vector<OptionGroup> groups;
  const char* positional = nullptr;  // positional names in order, separated by blanks
  const char* extra = nullptr;       // the option that a surplus argument was probably meant for
  std::vector<Scope> scopes = {};    // an option without a scope has an effect in every mode
  Mode (*mode)(const po::variables_map& values) = nullptr;  // if there are scopes
  bool is_before_program = false;  // what follows "--" is another program and its arguments

  /// Starts a group of options, or continues the one with that caption.
  OptionRows group(const char* caption);
  /// Restricts an option as a Where in its row does, also if the row belongs to another command's
  /// table.
  void restrict_option(std::string_view name, const Where& where);
  [[nodiscard]] po::options_description all() const;
  [[nodiscard]] std::vector<OptionView> options() const;
  [[nodiscard]] std::vector<std::string> positionals() const;
  /// The name that the user sees: "SYSTEM" for a positional option, otherwise "--name".
  [[nodiscard]] std::string called(const std::string& name) const;
};

}  // namespace clgauss::cli
