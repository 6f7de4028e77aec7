#include "preprocessor.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "condition.hpp"

namespace clgauss::layer {

namespace {

using Kind = Token::Kind;
using Tokens = Macros::Tokens;

constexpr int kDeepestFile = 50;

class Preprocessor {
 public:
  Preprocessor(const BuildOptions& options, const Assumptions& assumptions)
      : options_(options), macros_(assumptions) {}

  void predefine(const std::string& name, const std::string& value) {
    Tokens line = tokens_of(name + " " + value);
    if (line.empty() || line[0].kind != Kind::name) throw Unfollowable{"macro " + name};
    macros_.define(line, 0);
  }

  void include(const std::string& text, const std::shared_ptr<const std::string>& file) {
    if (++depth_ > kDeepestFile) throw Unfollowable{"files that include each other"};
    const std::size_t outer = groups_.size();
    Tokens tokens = tokens_of(text, file);
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
    if (name == "pragma") return pragma(line);
    refuse_stray(line);
    if (name == "define") {
      macros_.define(line, 2);
    } else if (name == "undef") {
      macros_.undefine(Macros::name_in(line, 2));
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

  void pragma(const Tokens& line) {
    if (line.size() == 3 && line[2].is("once")) {
      if (line[0].file) once_.insert(*line[0].file);
    } else {
      judge_pragma(Tokens(line.begin() + 2, line.end()), line[0]);
    }
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

  const BuildOptions& options_;
  Macros macros_;
  std::set<std::string> once_;  // files with #pragma once
  std::vector<Group> groups_;
  Tokens output_;
  int depth_ = 0;  // of files
};

}  // namespace

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
