#include "kernel_text.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "build_options.hpp"
#include "macros.hpp"
#include "opencl_names.hpp"
#include "preprocessor.hpp"
#include "program_units.hpp"

namespace clgauss::layer {

namespace {

constexpr int kMostWays = 16;

KernelText cannot_tell(const std::string& why) { return {false, false, "cannot tell: " + why}; }

/// Walks over all that a kernel can reach.
class Judge {
 public:
  explicit Judge(const ProgramUnits& program) : program_(program), tokens_(program.tokens()) {}

  KernelText judge(const std::string& kernel) {
    for (const std::size_t index : program_.units_of(kernel)) {
      if (program_.units()[index].is_kernel) reach(kernel);
    }
    if (waiting_.empty()) return cannot_tell("no kernel " + kernel + " in the text");
    while (next_ < waiting_.size()) walk(program_.units()[waiting_[next_++]]);
    if (has_loop_ && may_wait_) {
      tell_size(*may_wait_, "a loop may wait by it for another work-item");
    }
    KernelText result;
    result.size_is_hidden = size_.empty();
    result.split_is_hidden = size_.empty() && split_.empty();
    result.reason = size_.empty() ? split_ : size_;
    return result;
  }

 private:
  void reach(const std::string& name) {
    for (const std::size_t index : program_.units_of(name)) {
      if (reached_.insert(index).second) waiting_.push_back(index);
    }
  }

  void tell_size(const Token& token, std::string_view why) {
    if (size_.empty()) size_ = finding(token, why);
  }
  void tell_split(const Token& token, std::string_view why) {
    if (split_.empty()) split_ = finding(token, why);
  }
  static std::string finding(const Token& token, std::string_view why) {
    return token.spelling + " (" + place(token) + "): " + std::string(why);
  }

  [[nodiscard]] bool is(std::size_t i, std::string_view what) const {
    return i < tokens_.size() && tokens_[i].is(what);
  }

  void walk(const Unit& unit) {
    for (std::size_t i = unit.begin; i < unit.end; ++i) {
      const Token& token = tokens_[i];
      if (token.is("__attribute__") || token.is("__attribute")) {
        i = walk_attribute(i);
      } else if (token.kind == Token::Kind::name) {
        walk_name(i);
      } else if (token.is("(")) {
        if (i > unit.begin && calls_expression(i))
          tell_size(token, "it calls what an expression gives");
      } else if (token.is("[") && is(i + 1, "[")) {
        tell_size(token, "an attribute in brackets");
      } else if (token.is("::")) {
        tell_size(token, "C++");
      }
    }
  }

  void walk_name(std::size_t i) {
    const Token& token = tokens_[i];
    const std::string& name = token.spelling;
    const bool called = is(i + 1, "(");
    const bool known = is_language_word(name) || is_constant(name) || is_harmless_function(name);
    reach(name);
    has_loop_ =
        has_loop_ || token.is("for") || token.is("while") || token.is("do") || token.is("goto");
    if ((name.find("volatile") != std::string::npos && known) ||
        (is_atomic(name) && !(called && is_statement(i)))) {
      if (may_wait_ == nullptr) may_wait_ = &token;
    }
    if (const Telling* telling = tells(name)) {
      telling->of_size ? tell_size(token, telling->why) : tell_split(token, telling->why);
    } else if (!known && !program_.defines_function(name)) {
      if (called) {
        tell_size(token,
                  "the text does not define it, and it is no function known to tell nothing");
      } else if (may_be_predefined(name) && !program_.is_typedef(name)) {
        tell_size(token, "it may be a name of the compiler");
      }
    }
  }

  /// Whether the call at `i` is a statement of its own: nothing sees what it returns.
  [[nodiscard]] bool is_statement(std::size_t i) const {
    const bool begins = i > 0 && (is(i - 1, ";") || is(i - 1, "{") || is(i - 1, "}"));
    if (!begins || !is(program_.match(i + 1) + 1, ";")) return false;
    std::size_t open = i;  // the bracket around it
    while (open-- > 0) {
      if (is(open, ")") || is(open, "]") || is(open, "}")) {
        open = program_.match(open);
      } else if (is(open, "(") || is(open, "[") || is(open, "{")) {
        return is(open, "{") && !(open > 0 && is(open - 1, "("));
      }
    }
    return false;
  }

  /// Whether the parenthesis at `i` holds the arguments of what an expression gives, as in
  /// "(*f)(x)"; not "(float4)(x)", "if (x) (y)++", "f(x)".
  [[nodiscard]] bool calls_expression(std::size_t i) const {
    if (is(i - 1, "]")) return true;
    if (!is(i - 1, ")")) return false;
    const std::size_t open = program_.match(i - 1);
    if (open > 0 && (is(open - 1, "if") || is(open - 1, "while") || is(open - 1, "for") ||
                     is(open - 1, "switch"))) {
      return false;
    }
    for (std::size_t k = open + 1; k + 1 < i; ++k) {
      const Token& token = tokens_[k];
      const bool tag = is(k - 1, "struct") || is(k - 1, "union") || is(k - 1, "enum");
      const bool type = token.kind == Token::Kind::name &&
                        (tag || is_language_word(token.spelling) ||
                         (program_.is_typedef(token.spelling) && !tells(token.spelling)));
      if (!type && !token.is("*")) return true;
    }
    return open + 2 == i;  // "()("
  }

  /// Reads "__attribute__((name, name(values)))"; the index of its end.
  std::size_t walk_attribute(std::size_t at) {
    const Token& token = tokens_[at];
    if (!is(at + 1, "(") || !is(at + 2, "(")) {
      tell_size(token, "an attribute that cannot be read");
      return at;
    }
    const std::size_t end = program_.match(at + 1);
    for (std::size_t i = at + 3; i < end; ++i) {
      if (is(i, "(")) {  // values of an attribute
        const std::size_t values_end = program_.match(i);
        while (++i < values_end) {
          if (tokens_[i].kind == Token::Kind::name) walk_name(i);
        }
      } else if (tokens_[i].kind == Token::Kind::name &&
                 !is_harmless_attribute(tokens_[i].spelling)) {
        const Telling* telling = tells(tokens_[i].spelling);
        tell_size(tokens_[i], telling ? telling->why : "an attribute not known to tell nothing");
      }
    }
    return end;
  }

  const ProgramUnits& program_;
  const std::vector<Token>& tokens_;
  std::set<std::size_t> reached_;
  std::vector<std::size_t> waiting_;  // units in the order they were reached
  std::size_t next_ = 0;
  bool has_loop_ = false;
  const Token* may_wait_ = nullptr;  // the first by which a work-item may see another's progress
  std::string size_, split_;         // the first findings
};

/// Tries every way to take the macros that the device may or may not define.
class Ways {
 public:
  Ways(const std::string& text, const BuildOptions& options, const std::string& kernel,
       const std::vector<std::pair<std::string, std::string>>& device_macros)
      : text_(text), options_(options), kernel_(kernel), device_macros_(device_macros) {}

  /// What holds in every way; nothing where an #error rules all of them out.
  std::optional<KernelText> judge(const Assumptions& assumptions = {}) {
    if (++ways_ > kMostWays) throw Unfollowable{"tests too many macros that the device may define"};
    try {
      const ProgramUnits program(preprocess(text_, options_, device_macros_, assumptions));
      KernelText result = Judge(program).judge(kernel_);
      if (!result.reason.empty()) result.reason += with(assumptions);
      return result;
    } catch (const ErrorDirective& error) {
      last_error_ = error.reason;
      return std::nullopt;
    } catch (const UnknownMacro& unknown) {
      return both(unknown.name, assumptions);
    }
  }

  [[nodiscard]] const std::string& last_error() const { return last_error_; }

 private:
  std::optional<KernelText> both(const std::string& name, Assumptions assumptions) {
    assumptions[name] = false;
    const auto without = judge(assumptions);
    if (without && !without->size_is_hidden) return without;
    assumptions[name] = true;
    const auto with = judge(assumptions);
    if (!with || !without) return with ? with : without;
    return with->size_is_hidden && without->size_is_hidden && !without->split_is_hidden ? without
                                                                                        : with;
  }

  static std::string with(const Assumptions& assumptions) {
    std::string result;
    for (const auto& [name, defined] : assumptions) {
      result +=
          (result.empty() ? ", where the device defines " : ", ") + (defined ? name : "no " + name);
    }
    return result;
  }

  const std::string& text_;
  const BuildOptions& options_;
  const std::string& kernel_;
  const std::vector<std::pair<std::string, std::string>>& device_macros_;
  int ways_ = 0;
  std::string last_error_;
};

}  // namespace

KernelText kernel_text(const std::vector<std::string>& sources, const std::string& options,
                       const std::string& kernel,
                       const std::vector<std::pair<std::string, std::string>>& device_macros) {
  try {
    std::string text;
    for (const std::string& source : sources) text += source;
    const BuildOptions read = parse_build_options(options);
    Ways ways(text, read, kernel, device_macros);
    const auto result = ways.judge();
    return result ? *result : cannot_tell("the text does not build, " + ways.last_error());
  } catch (const Unfollowable& problem) {
    return cannot_tell(problem.reason);
  } catch (const std::bad_alloc&) {  // says nothing of the kernel
    throw;
  } catch (const std::exception& problem) {
    return cannot_tell(problem.what());
  }
}

}  // namespace clgauss::layer
