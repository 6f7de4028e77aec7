#include "preprocessor.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "condition.hpp"
#include "opencl_names.hpp"

namespace clgauss::layer {

namespace {

using Kind = Token::Kind;
using Tokens = std::vector<Token>;

constexpr std::size_t kMostTokens = 1'000'000;  // of macros that double each other: below a second
constexpr int kDeepest = 100;                   // arguments within arguments, files within files

// Strings or numbers that depend on the place and the time.
constexpr std::array<std::string_view, 4> kPlaces{"__LINE__", "__FILE__", "__DATE__", "__TIME__"};

bool is_place(std::string_view name) {
  return std::find(kPlaces.begin(), kPlaces.end(), name) != kPlaces.end();
}

/// "_BLUR_H", "__blur_cl__": what tells whether a file was included before.
bool guards_file(std::string_view name) {
  name = name.substr(0, name.find_last_not_of('_') + 1);
  constexpr std::array<std::string_view, 8> endings{"_H",   "_h",   "_CL",  "_cl",
                                                    "_CLH", "_clh", "_INC", "_INCLUDED"};
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) {
    return name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending;
  });
}

struct Macro {
  bool is_function = false;
  bool is_variadic = false;
  std::vector<std::string> parameters;
  Tokens body;
  std::string odd;  // why an expansion could not be followed; empty where it can
};

[[noreturn]] void give_up(const std::string& what, const Token& token) {
  throw Unfollowable{what + " (" + place(token) + ")"};
}

std::shared_ptr<const Paint> with_paint(const std::shared_ptr<const Paint>& a,
                                        const std::shared_ptr<const Paint>& b) {
  if (!a || !b || a == b) return a ? a : b;
  Paint both = *a;
  both.hidden.insert(b->hidden.begin(), b->hidden.end());
  both.unspecified.insert(b->unspecified.begin(), b->unspecified.end());
  return std::make_shared<const Paint>(std::move(both));
}

/// What hides macros in a replacement that begins at `first` and ends at `last`: names that only
/// one of them carries are those of nested replacements whose hiding the standard leaves open.
Paint common_paint(const Token& first, const Token& last) {
  static const Paint none;
  const Paint& a = first.paint ? *first.paint : none;
  const Paint& b = last.paint ? *last.paint : none;
  Paint result;
  result.unspecified = a.unspecified;
  result.unspecified.insert(b.unspecified.begin(), b.unspecified.end());
  std::set_intersection(a.hidden.begin(), a.hidden.end(), b.hidden.begin(), b.hidden.end(),
                        std::inserter(result.hidden, result.hidden.end()));
  std::set_symmetric_difference(a.hidden.begin(), a.hidden.end(), b.hidden.begin(), b.hidden.end(),
                                std::inserter(result.unspecified, result.unspecified.end()));
  return result;
}

class Preprocessor {
 public:
  Preprocessor(const BuildOptions& options, const Assumptions& assumptions)
      : options_(options), assumptions_(assumptions) {}

  void predefine(const std::string& name, const std::string& value) {
    Tokens line = tokens_of(name + " " + value);
    if (line.empty() || line[0].kind != Kind::name) throw Unfollowable{"macro " + name};
    define(line, 0);
  }

  void include(const std::string& text, const std::shared_ptr<const std::string>& file) {
    if (++depth_ > kDeepest) throw Unfollowable{"files that include each other"};
    const std::size_t outer = groups_.size();
    Tokens tokens = tokens_of(text, file);
    Tokens segment;  // of text without directives
    for (auto begin = tokens.begin(); begin != tokens.end();) {
      const auto end = std::find_if(begin + 1, tokens.end(),
                                    [](const Token& token) { return token.begins_line; });
      const auto moved = [](auto at) { return std::make_move_iterator(at); };
      if (begin->is("#")) {
        flush(segment);
        directive(Tokens(moved(begin), moved(end)));
      } else if (active()) {
        segment.insert(segment.end(), moved(begin), moved(end));
      }
      begin = end;
    }
    flush(segment);
    if (groups_.size() != outer) throw Unfollowable{"an #if without #endif"};
    --depth_;
  }

  Tokens take_output() { return std::move(output_); }

 private:
  struct Group {  // of #if .. #endif
    bool enclosing_active;
    bool taken;   // one of its branches was
    bool active;  // this branch is
    bool else_seen;
  };

  [[nodiscard]] bool active() const { return groups_.empty() || groups_.back().active; }

  static void refuse_stray(const Tokens& line) {
    for (const Token& token : line) {
      if (token.kind == Kind::stray) {
        give_up("compilers differ about '" + token.spelling + "'", token);
      }
    }
  }

  void flush(Tokens& segment) {
    refuse_stray(segment);
    Tokens expanded = expand(std::move(segment), Where::text);
    std::move(expanded.begin(), expanded.end(), std::back_inserter(output_));
    segment.clear();
  }

  // --- directives

  void directive(const Tokens& line) {
    if (line.size() == 1) return;
    const std::string& name = line[1].spelling;
    if (name == "elifdef" || name == "elifndef") give_up("#" + name, line[1]);
    if (conditional(name, line) || !active()) return;
    if (name == "error") throw ErrorDirective{"#error (" + place(line[0]) + ")"};
    if (name == "warning" || name == "line" || line[1].kind == Kind::number) return;
    if (name == "pragma") return pragma(line);
    refuse_stray(line);
    if (name == "define") {
      define(line, 2);
    } else if (name == "undef") {
      const std::string& macro = macro_name(line, 2);
      macros_.erase(macro);
      undefined_.insert(macro);
    } else if (name == "include") {
      include_file(line);
    } else {
      give_up("#" + name, line[1]);
    }
  }

  /// Whether the directive was one of #if .. #endif.
  bool conditional(const std::string& name, const Tokens& line) {
    const auto condition = [&] {
      refuse_stray(line);
      if (name == "ifdef" || name == "ifndef") {
        return is_defined(macro_name(line, 2)) == (name == "ifdef");
      }
      return holds(line);
    };
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      const bool enclosing = active();
      const bool value = enclosing && condition();
      groups_.push_back({enclosing, value, value, false});
      return true;
    }
    if (name != "elif" && name != "else" && name != "endif") return false;
    if (groups_.empty()) give_up("#" + name + " without #if", line[1]);
    Group& group = groups_.back();
    if (name == "endif") {
      groups_.pop_back();
      return true;
    }
    if (group.else_seen) give_up("#" + name + " after #else", line[1]);
    group.active = group.enclosing_active && !group.taken && (name == "else" || condition());
    group.taken = group.taken || group.active;
    group.else_seen = name == "else";
    return true;
  }

  bool holds(const Tokens& line) {
    Tokens condition;
    for (std::size_t i = 2; i < line.size(); ++i) {
      if (!line[i].is("defined")) {
        condition.push_back(line[i]);
        continue;
      }
      const bool bracket = i + 1 < line.size() && line[i + 1].is("(");
      const std::size_t at = i + (bracket ? 2 : 1);
      condition.push_back(defined_token(line[i], macro_name(line, at)));
      i = at + (bracket ? 1 : 0);
      if (bracket && (i >= line.size() || !line[i].is(")"))) give_up("defined without )", line[0]);
    }
    const Tokens expanded = expand(std::move(condition), Where::condition);
    for (const Token& token : expanded) {
      if (token.is("defined")) give_up("a macro that makes 'defined'", token);
    }
    return condition_holds(expanded, line[0],
                           {[this](const std::string& name) { return is_defined(name); },
                            [this](const Token& token) {
                              if (!is_defined(token.spelling)) return;
                              give_up("the value of " + token.spelling + " is not known", token);
                            }});
  }

  static const std::string& macro_name(const Tokens& line, std::size_t at) {
    if (at >= line.size() || line[at].kind != Kind::name) give_up("no macro's name", line[0]);
    const std::string& name = line[at].spelling;
    if (name == "defined" || name == "__VA_ARGS__" || is_place(name)) give_up(name, line[at]);
    return name;
  }

  bool is_defined(const std::string& name) const {
    if (macros_.count(name) != 0) return true;
    if (undefined_.count(name) != 0 || !may_be_predefined(name) || guards_file(name)) {
      return false;
    }
    const auto assumed = assumptions_.find(name);
    if (assumed == assumptions_.end()) throw UnknownMacro{name};
    return assumed->second;
  }

  /// A macro of the device, perhaps, whose replacement is not known.
  bool may_be_macro(const Token& token) const {
    if (token.kind != Kind::name || macros_.count(token.spelling) != 0 ||
        undefined_.count(token.spelling) != 0 || !may_be_predefined(token.spelling)) {
      return false;
    }
    const auto assumed = assumptions_.find(token.spelling);
    return assumed == assumptions_.end() || assumed->second;
  }

  void pragma(const Tokens& line) {
    if (line.size() == 3 && line[2].is("once")) {
      if (line[0].file) once_.insert(*line[0].file);
    } else {
      judge_pragma(Tokens(line.begin() + 2, line.end()), line[0]);
    }
  }

  /// Gives up where the words of a pragma may change what follows, or allow function pointers.
  static void judge_pragma(const Tokens& words, const Token& where) {
    const bool pointers = std::any_of(words.begin(), words.end(), [](const Token& word) {
      return word.spelling.find("function_pointers") != std::string::npos;
    });
    if (pointers) give_up("function pointers, by #pragma", where);
    if (!words.empty() && !is_harmless_pragma(words[0].spelling)) {
      give_up("#pragma " + words[0].spelling, where);
    }
  }

  void define(const Tokens& line, std::size_t at) {
    const std::string name = macro_name(line, at);
    Macro macro;
    std::size_t body = at + 1;
    if (body < line.size() && line[body].is("(") && !line[body].after_space) {
      macro.is_function = true;
      body = parameters(line, body + 1, macro);
    }
    macro.body.assign(line.begin() + static_cast<std::ptrdiff_t>(body), line.end());
    if (macro.odd.empty()) macro.odd = what_is_odd(macro);
    macros_[name] = std::move(macro);
  }

  /// Reads "a, b, ...)" from `at` on; the index behind it.
  static std::size_t parameters(const Tokens& line, std::size_t at, Macro& macro) {
    if (at < line.size() && line[at].is(")")) return at + 1;
    for (;;) {
      if (at + 1 >= line.size()) give_up("a macro's parameters", line[0]);
      if (line[at].is("...")) {
        macro.is_variadic = true;
        macro.parameters.emplace_back("__VA_ARGS__");
      } else {
        macro.parameters.push_back(macro_name(line, at));
      }
      ++at;
      if (line[at].is("...")) {  // a named rest, of GNU C
        macro.odd = "variadic parameters with a name";
        if (++at >= line.size()) give_up("a macro's parameters", line[0]);
      }
      if (line[at].is(")")) return at + 1;
      if (!line[at].is(",") || macro.is_variadic) give_up("a macro's parameters", line[at]);
      ++at;
    }
  }

  static std::string what_is_odd(const Macro& macro) {
    const auto& body = macro.body;
    if (!body.empty() && (body.front().is("##") || body.back().is("##"))) {
      return "## at an end of a macro";
    }
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (body[i].is("__VA_OPT__")) return "__VA_OPT__";
      if (body[i].is("__VA_ARGS__") && !macro.is_variadic) return "__VA_ARGS__";
      if (body[i].is("#") && macro.is_function &&
          (i + 1 == body.size() || !parameter_of(macro, body[i + 1]))) {
        return "# without a parameter";
      }
      if (i >= 2 && body[i].is("__VA_ARGS__") && body[i - 1].is("##") && body[i - 2].is(",")) {
        return ", ## __VA_ARGS__";
      }
    }
    return {};
  }

  static std::optional<std::size_t> parameter_of(const Macro& macro, const Token& token) {
    if (token.kind != Kind::name || !macro.is_function) return std::nullopt;
    const auto found = std::find(macro.parameters.begin(), macro.parameters.end(), token.spelling);
    if (found == macro.parameters.end()) return std::nullopt;
    return static_cast<std::size_t>(found - macro.parameters.begin());
  }

  void include_file(const Tokens& line) {
    namespace fs = std::filesystem;
    std::string name;
    if (line.size() == 3 && line[2].kind == Kind::text && line[2].spelling.size() > 2) {
      name = line[2].spelling.substr(1, line[2].spelling.size() - 2);
    } else if (line.size() > 4 && line[2].is("<") && line.back().is(">")) {
      for (std::size_t i = 3; i + 1 < line.size(); ++i) name += line[i].spelling;
    } else {
      give_up("#include of no plain name", line[0]);
    }
    std::vector<fs::path> folders(options_.include_folders.begin(), options_.include_folders.end());
    folders.emplace_back(".");
    if (line[0].file) folders.push_back(fs::path(*line[0].file).parent_path());
    std::set<fs::path> found;
    for (const fs::path& folder : folders) {
      std::error_code error;
      const fs::path file = fs::canonical(folder / name, error);
      if (!error && fs::is_regular_file(file, error)) found.insert(file);
    }
    if (found.size() != 1) {
      give_up((found.empty() ? "no file " : "several files ") + name + " to include", line[0]);
    }
    const std::string file = *found.begin();
    if (once_.count(file) != 0) return;
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in) give_up("cannot read " + file, line[0]);
    include(text, std::make_shared<const std::string>(file));
  }

  // --- macros

  enum class Where { text, argument, condition };

  /// The tokens with all macros replaced (C99 6.10.3). A name without its parentheses at the end of
  /// an argument waits for them; at the end of a stretch of text a directive stands between.
  Tokens expand(Tokens input, Where where) {
    if (++depth_ > kDeepest) throw Unfollowable{"macros within macros, too deep"};
    std::reverse(input.begin(), input.end());  // the next token is the last
    Tokens output;
    while (!input.empty()) {
      if (++work_ > kMostTokens) throw Unfollowable{"more than a million tokens"};
      Token token = std::move(input.back());
      input.pop_back();
      if (token.kind == Kind::name && expand_name(token, input, where)) continue;
      output.push_back(std::move(token));
    }
    --depth_;
    return output;
  }

  /// Whether `token` is gone, with what belongs to it; its replacement is the next of `input`.
  bool expand_name(Token& token, Tokens& input, Where where) {
    if (is_place(token.spelling)) {
      token.kind = token.is("__LINE__") ? Kind::number : Kind::text;
      return false;
    }
    const auto found = macros_.find(token.spelling);
    if (found != macros_.end()) return replace(token, found->second, input, where);
    if (!token.is("_Pragma") && !token.is("__pragma")) return false;
    take_pragma(token, input);
    return true;
  }

  /// Takes the rest of _Pragma("words").
  static void take_pragma(const Token& token, Tokens& input) {
    const std::size_t n = input.size();
    if (!token.is("_Pragma") || n < 3 || !input[n - 1].is("(") || !input[n - 3].is(")") ||
        input[n - 2].kind != Kind::text || input[n - 2].spelling.find('\\') != std::string::npos) {
      give_up(token.spelling, token);
    }
    const std::string& text = input[n - 2].spelling;
    judge_pragma(tokens_of(text.substr(1, text.size() - 2)), token);
    input.resize(n - 3);
  }

  /// Puts the replacement of `token` before `input`; false where it stays as it is.
  bool replace(const Token& token, const Macro& macro, Tokens& input, Where where) {
    if (token.paint && token.paint->hidden.count(token.spelling) != 0) return false;
    std::vector<Tokens> arguments;
    Token last = token;
    if (macro.is_function) {
      if (input.empty() && where == Where::text) {
        give_up("a directive may stand between " + token.spelling + " and its arguments", token);
      }
      if (input.empty() || !input.back().is("(")) return false;
      arguments = take_arguments(token, macro, input, last);
    }
    if (token.paint && token.paint->unspecified.count(token.spelling) != 0) {
      give_up("compilers may differ about the nested " + token.spelling, token);
    }
    if (!macro.odd.empty()) give_up(macro.odd + ", by " + token.spelling, token);
    Paint paint = common_paint(token, last);
    paint.hidden.insert(token.spelling);
    Tokens body = substitute(macro, arguments, token);
    const auto shared = std::make_shared<const Paint>(std::move(paint));
    for (Token& part : body) part.paint = with_paint(part.paint, shared);
    input.insert(input.end(), std::make_move_iterator(body.rbegin()),
                 std::make_move_iterator(body.rend()));
    return true;
  }

  std::vector<Tokens> take_arguments(const Token& name, const Macro& macro, Tokens& input,
                                     Token& last) {
    input.pop_back();  // (
    std::vector<Tokens> arguments(1);
    for (int open = 1;;) {
      if (input.empty()) give_up("no ) for the macro " + name.spelling, name);
      Token token = std::move(input.back());
      input.pop_back();
      ++work_;
      if (token.is("(")) ++open;
      if (token.is(")") && --open == 0) {
        last = std::move(token);
        break;
      }
      const bool in_rest = macro.is_variadic && arguments.size() == macro.parameters.size();
      if (token.is(",") && open == 1 && !in_rest) {
        arguments.emplace_back();
      } else {
        arguments.back().push_back(std::move(token));
      }
    }
    if (macro.parameters.empty() && arguments.size() == 1 && arguments[0].empty()) {
      arguments.clear();
    }
    if (macro.is_variadic && arguments.size() + 1 == macro.parameters.size()) {
      arguments.emplace_back();
    }
    if (arguments.size() != macro.parameters.size()) {
      give_up("the number of arguments of the macro " + name.spelling, name);
    }
    return arguments;
  }

  Tokens substitute(const Macro& macro, const std::vector<Tokens>& arguments, const Token& name) {
    const auto& body = macro.body;
    std::vector<std::optional<Tokens>> expanded(arguments.size());
    std::size_t i = 0;
    // The tokens that the next part of the body stands for; none for an empty argument beside ##.
    const auto operand = [&]() -> Tokens {
      const bool pasted =
          (i > 0 && body[i - 1].is("##")) || (i + 1 < body.size() && body[i + 1].is("##"));
      if (body[i].is("#") && macro.is_function) {
        Token text = body[i];
        text.kind = Kind::text;
        text.spelling = "\"an argument's text\"";
        i += 2;
        return {text};
      }
      const auto parameter = parameter_of(macro, body[i]);
      const Token& token = body[i++];
      if (!parameter) return {token};
      const Tokens& argument = arguments[*parameter];
      if (pasted) return argument;
      auto& cached = expanded[*parameter];
      if (!cached) cached = expand(argument, Where::argument);
      return *cached;
    };
    Tokens result;
    while (i < body.size()) {
      Tokens part = operand();
      while (i < body.size() && body[i].is("##")) {
        ++i;
        Tokens right = operand();
        if (!part.empty() && !right.empty()) {
          part.back() = paste(part.back(), right.front(), name);
          right.erase(right.begin());
        }
        part.insert(part.end(), right.begin(), right.end());
      }
      work_ += part.size();
      if (work_ > kMostTokens) throw Unfollowable{"more than a million tokens"};
      result.insert(result.end(), part.begin(), part.end());
    }
    return result;
  }

  Token paste(const Token& left, const Token& right, const Token& name) {
    for (const Token* side : {&left, &right}) {
      if (side->kind == Kind::text || (side->kind == Kind::number && side->is("__LINE__")) ||
          may_be_macro(*side)) {
        give_up("## with " + side->spelling + ", by " + name.spelling, name);
      }
    }
    Tokens made = tokens_of(left.spelling + right.spelling);
    if (made.size() != 1 || made[0].kind == Kind::stray) {
      give_up("## of " + left.spelling + " and " + right.spelling, name);
    }
    Token result = left;
    result.kind = made[0].kind;
    result.spelling = made[0].spelling;
    Paint paint = common_paint(left, right);
    result.paint =
        left.paint || right.paint ? std::make_shared<const Paint>(std::move(paint)) : nullptr;
    return result;
  }

  const BuildOptions& options_;
  const Assumptions& assumptions_;
  std::unordered_map<std::string, Macro> macros_;
  std::unordered_set<std::string> undefined_;  // by #undef
  std::set<std::string> once_;                 // files with #pragma once
  std::vector<Group> groups_;
  Tokens output_;
  int depth_ = 0;
  std::size_t work_ = 0;
};

}  // namespace

bool may_be_predefined(std::string_view name) {
  constexpr std::array<std::string_view, 3> of_gnu_c{"linux", "unix", "i386"};
  constexpr std::array<std::string_view, 5> families{"__", "cl_", "CL_", "FP_", "POCL_"};
  const bool reserved = name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z';
  return reserved || is_language_word(name) || is_harmless_function(name) || tells(name) ||
         std::find(of_gnu_c.begin(), of_gnu_c.end(), name) != of_gnu_c.end() ||
         std::any_of(families.begin(), families.end(),
                     [&](auto family) { return name.substr(0, family.size()) == family; });
}

std::vector<Token> preprocess(const std::string& text, const BuildOptions& options,
                              const std::vector<std::pair<std::string, std::string>>& device_macros,
                              const Assumptions& assumptions) {
  Preprocessor preprocessor(options, assumptions);
  for (const auto& [name, value] : device_macros) {
    // Which features a device has depends on the version of the language that the options ask for.
    if (name.rfind("__opencl_c_", 0) != 0) preprocessor.predefine(name, value);
  }
  for (const auto& [name, value] : options.macros) preprocessor.predefine(name, value);
  preprocessor.include(text, {});
  return preprocessor.take_output();
}

}  // namespace clgauss::layer
