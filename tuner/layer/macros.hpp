#pragma once
/// The macros of a program and what they replace (C99 6.10.3).

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tokens.hpp"

namespace clgauss::layer {

/// The text tests a macro that the device may or may not define; preprocess() again with an
/// assumption about it.
struct UnknownMacro {
  std::string name;
};

/// Which macros the device is assumed to define; with which value remains unknown.
using Assumptions = std::map<std::string, bool, std::less<>>;

/// Whether a device may define the name as a macro without having said so: reserved names,
/// extensions, OpenCL's own words. A program's other names are taken to be its own; a test of one
/// that ends as the guard of an included file does, "__BLUR_H", is taken to be just that.
[[nodiscard]] bool may_be_predefined(std::string_view name);

/// Throws Unfollowable for the reason and the token's place.
[[noreturn]] void give_up(const std::string& what, const Token& token);

/// Throws Unfollowable where the words of a pragma may change what follows, or allow function
/// pointers.
void judge_pragma(const std::vector<Token>& words, const Token& where);

/// All throw Unfollowable where GCC and Clang, or other compilers, may differ.
class Macros {
 public:
  using Tokens = std::vector<Token>;

  explicit Macros(const Assumptions& assumptions) : assumptions_(assumptions) {}

  /// "NAME body" or "NAME(parameters) body" from `line[at]` on.
  void define(const Tokens& line, std::size_t at);
  void undefine(const std::string& name);
  /// Throws UnknownMacro where an assumption is missing.
  [[nodiscard]] bool is_defined(const std::string& name) const;
  /// The name at `line[at]`, which a macro may have.
  [[nodiscard]] static const std::string& name_in(const Tokens& line, std::size_t at);

  /// Where tokens come from. At the end of an argument a name waits for its parentheses; at the end
  /// of a stretch of text a directive stands between.
  enum class Where { text, argument, condition };
  /// The tokens with all macros replaced, and without _Pragma.
  [[nodiscard]] Tokens expand(Tokens input, Where where);

 private:
  struct Macro {
    bool is_function = false;
    bool is_variadic = false;
    std::vector<std::string> parameters;
    Tokens body;
    std::string odd;  // why an expansion could not be followed; empty where it can

    [[nodiscard]] std::optional<std::size_t> parameter(const Token& token) const;
    [[nodiscard]] std::string what_is_odd() const;
  };

  static std::size_t read_parameters(const Tokens& line, std::size_t at, Macro& macro);
  bool expand_name(Token& token, Tokens& input, Where where);
  bool replace(const Token& token, const Macro& macro, Tokens& input, Where where);
  std::vector<Tokens> take_arguments(const Token& name, const Macro& macro, Tokens& input,
                                     Token& last);
  Tokens substitute(const Macro& macro, const std::vector<Tokens>& arguments, const Token& name);
  [[nodiscard]] Token paste(const Token& left, const Token& right, const Token& name) const;
  [[nodiscard]] bool may_be_replaced(const Token& token) const;
  void work(std::size_t tokens);

  const Assumptions& assumptions_;
  std::unordered_map<std::string, Macro> macros_;
  std::unordered_set<std::string> undefined_;
  int depth_ = 0;
  std::size_t work_ = 0;
};

}  // namespace clgauss::layer
