#include "preprocessor.hpp"

#include <algorithm>
#include <iterator>

#include "condition.hpp"

namespace clgauss::layer {

namespace {

using Kind = Token::Kind;
using Tokens = Macros::Tokens;

class Preprocessor {
 public:
  explicit Preprocessor(const Assumptions& assumptions) : macros_(assumptions) {}

  void predefine(const std::string& name, const std::string& value) {
    Tokens line = tokens_of(name + " " + value);
    if (line.empty() || line[0].kind != Kind::name) throw Unfollowable{"macro " + name};
    macros_.define(line, 0);
  }

  Tokens process(const std::string& text) {
    Tokens tokens = tokens_of(text);
    Tokens segment;  // of text without directives
    for (auto begin = tokens.begin(); begin != tokens.end();) {
      const auto end = std::find_if(begin + 1, tokens.end(),
                                    [](const Token& token) { return token.begins_line; });
      const auto moved = [](auto at) { return std::make_move_iterator(at); };
      if (begin->kind == Kind::stray && (begin->is("%:") || begin->is("?")))
        give_up("what may be a directive", *begin);
      if (begin->is("#")) {
        flush(segment);
        directive(Tokens(moved(begin), moved(end)));
      } else if (active()) {
        segment.insert(segment.end(), moved(begin), moved(end));
      }
      begin = end;
    }
    flush(segment);
    if (!groups_.empty()) throw Unfollowable{"an #if without #endif"};
    return std::move(output_);
  }

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
    Tokens expanded = macros_.expand(std::move(segment), Macros::Where::text);
    std::move(expanded.begin(), expanded.end(), std::back_inserter(output_));
    segment.clear();
  }

  void directive(const Tokens& line) {
    if (line.size() == 1) return;
    const std::string& name = line[1].spelling;
    if (name == "elifdef" || name == "elifndef") give_up("#" + name, line[1]);
    if (conditional(name, line) || !active()) return;
    if (name == "error") throw ErrorDirective{"#error (" + place(line[0]) + ")"};
    if (name == "warning" || name == "line" || line[1].kind == Kind::number) return;
    if (name == "pragma") return judge_pragma(Tokens(line.begin() + 2, line.end()), line[0]);
    refuse_stray(line);
    if (name == "define") {
      macros_.define(line, 2);
    } else if (name == "undef") {
      macros_.undefine(Macros::name_in(line, 2));
    } else if (name == "include") {
      give_up("#include: only the compiler knows what it read", line[0]);
    } else {
      give_up("#" + name, line[1]);
    }
  }

  /// Whether the directive was one of #if .. #endif.
  bool conditional(const std::string& name, const Tokens& line) {
    const auto condition = [&] {
      refuse_stray(line);
      if (name == "ifdef" || name == "ifndef") {
        return macros_.is_defined(Macros::name_in(line, 2)) == (name == "ifdef");
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
      condition.push_back(defined_token(line[i], Macros::name_in(line, at)));
      i = at + (bracket ? 1 : 0);
      if (bracket && (i >= line.size() || !line[i].is(")"))) give_up("defined without )", line[0]);
    }
    const Tokens expanded = macros_.expand(std::move(condition), Macros::Where::condition);
    for (const Token& token : expanded) {
      if (token.is("defined")) give_up("a macro that makes 'defined'", token);
    }
    return condition_holds(expanded, line[0],
                           {[this](const std::string& name) { return macros_.is_defined(name); },
                            [this](const Token& token) {
                              if (!macros_.is_defined(token.spelling)) return;
                              give_up("the value of " + token.spelling + " is not known", token);
                            }});
  }

  Macros macros_;
  std::vector<Group> groups_;
  Tokens output_;
};

}  // namespace

std::vector<Token> preprocess(const std::string& text, const BuildOptions& options,
                              const std::vector<std::pair<std::string, std::string>>& device_macros,
                              const Assumptions& assumptions) {
  Preprocessor preprocessor(assumptions);
  for (const auto& [name, value] : device_macros) {
    // Which features a device has depends on the version of the language that the options ask for.
    if (name.rfind("__opencl_c_", 0) != 0) preprocessor.predefine(name, value);
  }
  for (const auto& [name, value] : options.macros) preprocessor.predefine(name, value);
  return preprocessor.process(text);
}

}  // namespace clgauss::layer
