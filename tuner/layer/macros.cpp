#include "macros.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "opencl_names.hpp"

namespace clgauss::layer {

namespace {

using Kind = Token::Kind;
using Tokens = Macros::Tokens;

constexpr std::size_t kMostTokens = 1'000'000;  // of macros that double each other: below a second
constexpr int kDeepestArgument = 100;

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

/// Takes the rest of _Pragma("words").
void take_pragma(const Token& token, Tokens& input) {
  const std::size_t n = input.size();
  if (!token.is("_Pragma") || n < 3 || !input[n - 1].is("(") || !input[n - 3].is(")") ||
      input[n - 2].kind != Kind::text || input[n - 2].spelling.find('\\') != std::string::npos) {
    give_up(token.spelling, token);
  }
  const std::string& text = input[n - 2].spelling;
  judge_pragma(tokens_of(text.substr(1, text.size() - 2)), token);
  input.resize(n - 3);
}

}  // namespace

bool may_be_predefined(std::string_view name) {
  constexpr std::array<std::string_view, 3> of_gnu_c{"linux", "unix", "i386"};
  constexpr std::array<std::string_view, 5> families{"__", "cl_", "CL_", "FP_", "POCL_"};
  const bool reserved = name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z';
  return reserved || is_language_word(name) || is_constant(name) || is_harmless_function(name) ||
         tells(name) || std::find(of_gnu_c.begin(), of_gnu_c.end(), name) != of_gnu_c.end() ||
         std::any_of(families.begin(), families.end(),
                     [&](auto family) { return name.substr(0, family.size()) == family; });
}

void give_up(const std::string& what, const Token& token) {
  throw Unfollowable{what + " (" + place(token) + ")"};
}

void judge_pragma(const Tokens& words, const Token& where) {
  const bool pointers = std::any_of(words.begin(), words.end(), [](const Token& word) {
    return word.spelling.find("function_pointers") != std::string::npos;
  });
  if (pointers) give_up("function pointers, by #pragma", where);
  if (!words.empty() && !is_harmless_pragma(words[0].spelling)) {
    give_up("#pragma " + words[0].spelling, where);
  }
}

const std::string& Macros::name_in(const Tokens& line, std::size_t at) {
  if (at >= line.size() || line[at].kind != Kind::name) give_up("no macro's name", line[0]);
  const std::string& name = line[at].spelling;
  if (name == "defined" || name == "__VA_ARGS__" || is_place(name)) give_up(name, line[at]);
  return name;
}

bool Macros::is_defined(const std::string& name) const {
  if (macros_.count(name) != 0) return true;
  if (undefined_.count(name) != 0 || !may_be_predefined(name) || guards_file(name)) {
    return false;
  }
  const auto assumed = assumptions_.find(name);
  if (assumed == assumptions_.end()) throw UnknownMacro{name};
  return assumed->second;
}

/// Whether a macro of the device may have stood in its place before it became part of an argument.
bool Macros::may_be_replaced(const Token& token) const {
  const std::string& name = token.spelling;
  if (!token.passed || macros_.count(name) != 0 || undefined_.count(name) != 0 ||
      !may_be_predefined(name) || is_language_word(name) || is_harmless_function(name)) {
    return false;
  }
  const auto assumed = assumptions_.find(name);
  return assumed == assumptions_.end() || assumed->second;
}

void Macros::work(std::size_t tokens) {
  work_ += tokens;
  if (work_ > kMostTokens) throw Unfollowable{"more than a million tokens"};
}

void Macros::define(const Tokens& line, std::size_t at) {
  const std::string name = name_in(line, at);
  Macro macro;
  std::size_t body = at + 1;
  if (body < line.size() && line[body].is("(") && !line[body].after_space) {
    macro.is_function = true;
    body = read_parameters(line, body + 1, macro);
  }
  macro.body.assign(line.begin() + static_cast<std::ptrdiff_t>(body), line.end());
  if (macro.odd.empty()) macro.odd = macro.what_is_odd();
  macros_[name] = std::move(macro);
}

/// Reads "a, b, ...)" from `at` on; the index behind it.
std::size_t Macros::read_parameters(const Tokens& line, std::size_t at, Macro& macro) {
  if (at < line.size() && line[at].is(")")) return at + 1;
  for (;;) {
    if (at + 1 >= line.size()) give_up("a macro's parameters", line[0]);
    if (line[at].is("...")) {
      macro.is_variadic = true;
      macro.parameters.emplace_back("__VA_ARGS__");
    } else {
      macro.parameters.push_back(name_in(line, at));
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

std::string Macros::Macro::what_is_odd() const {
  if (!body.empty() && (body.front().is("##") || body.back().is("##"))) {
    return "## at an end of a macro";
  }
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i].is("__VA_OPT__")) return "__VA_OPT__";
    if (body[i].is("__VA_ARGS__") && !is_variadic) return "__VA_ARGS__";
    if (body[i].is("#") && is_function && (i + 1 == body.size() || !parameter(body[i + 1]))) {
      return "# without a parameter";
    }
    if (i >= 2 && body[i].is("__VA_ARGS__") && body[i - 1].is("##") && body[i - 2].is(",")) {
      return ", ## __VA_ARGS__";
    }
  }
  return {};
}

std::optional<std::size_t> Macros::Macro::parameter(const Token& token) const {
  if (token.kind != Kind::name || !is_function) return std::nullopt;
  const auto found = std::find(parameters.begin(), parameters.end(), token.spelling);
  if (found == parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(found - parameters.begin());
}

void Macros::undefine(const std::string& name) {
  macros_.erase(name);
  undefined_.insert(name);
}

Tokens Macros::expand(Tokens input, Where where) {
  if (++depth_ > kDeepestArgument) throw Unfollowable{"macros within macros, too deep"};
  std::reverse(input.begin(), input.end());  // the next token is the last
  Tokens output;
  while (!input.empty()) {
    work(1);
    Token token = std::move(input.back());
    input.pop_back();
    if (token.kind == Kind::name && expand_name(token, input, where)) continue;
    token.passed = token.passed || where == Where::argument;
    output.push_back(std::move(token));
  }
  --depth_;
  return output;
}

/// Whether `token` is gone, with what belongs to it; its replacement is the next of `input`.
bool Macros::expand_name(Token& token, Tokens& input, Where where) {
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

/// Puts the replacement of `token` before `input`; false where it stays as it is.
bool Macros::replace(const Token& token, const Macro& macro, Tokens& input, Where where) {
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

std::vector<Tokens> Macros::take_arguments(const Token& name, const Macro& macro, Tokens& input,
                                           Token& last) {
  input.pop_back();  // (
  std::vector<Tokens> arguments(1);
  for (int open = 1;;) {
    if (input.empty()) give_up("no ) for the macro " + name.spelling, name);
    Token token = std::move(input.back());
    input.pop_back();
    work(1);
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

Tokens Macros::substitute(const Macro& macro, const std::vector<Tokens>& arguments,
                          const Token& name) {
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
    const auto parameter = macro.parameter(body[i]);
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
    work(part.size());
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

Token Macros::paste(const Token& left, const Token& right, const Token& name) const {
  for (const Token* side : {&left, &right}) {
    if (side->kind == Kind::text || (side->kind == Kind::number && side->is("__LINE__")) ||
        may_be_replaced(*side)) {
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

}  // namespace clgauss::layer
