#include "tuner/kernel/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <clgauss/error.hpp>
#include <cmath>
#include <optional>
#include <vector>

#include "suggestion.hpp"

namespace clgauss::tune {

namespace {

using Evaluate = std::function<double(const Variables&)>;

constexpr int kDeepest =
    200;  // nesting; beyond it a text is no expression but an attack on the stack
constexpr double kLargestCount = 0x1p53;

/// Recursive descent, a function a rank of operators.
class Parser {
 public:
  Parser(std::string_view text, Dialect dialect, std::set<std::string>& names)
      : text_(text), dialect_(dialect), names_(names) {}

  Evaluate all() {
    Evaluate value = disjunction();
    if (skip_blanks(); at_ < text_.size()) fail("an operator is expected");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw UsageError(
        fmt::format("'{}' is not an expression: {} at column {}", text_, why, at_ + 1));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  /// Takes `sign` if it is next; words only as a whole.
  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    const std::size_t end = at_ + sign.size();
    if (is_word(sign.back()) && end < text_.size() && is_word(text_[end])) return false;
    at_ = end;
    return true;
  }

  template <std::size_t count>
  std::optional<std::size_t> take_one_of(const std::array<std::string_view, count>& signs) {
    for (std::size_t s = 0; s < count; ++s)
      if (take(signs[s])) return s;
    return std::nullopt;
  }

  Evaluate disjunction() {
    if (++depth_ > kDeepest) fail("it is nested too deeply");
    Evaluate left = conjunction();
    while (take("||") || take("or"))
      left = [left, right = conjunction()](const Variables& v) {
        return left(v) != 0 || right(v) != 0 ? 1.0 : 0.0;
      };
    --depth_;
    return left;
  }

  Evaluate conjunction() {
    Evaluate left = negation();
    while (take("&&") || take("and"))
      left = [left, right = negation()](const Variables& v) {
        return left(v) != 0 && right(v) != 0 ? 1.0 : 0.0;
      };
    return left;
  }

  Evaluate negation() {
    if (!take("not")) return comparison();
    if (++depth_ > kDeepest) fail("it is nested too deeply");
    Evaluate of = negation();
    --depth_;
    return [of](const Variables& v) { return of(v) == 0 ? 1.0 : 0.0; };
  }

  static bool holds(std::size_t sign, double a, double b) {
    switch (sign) {
      case 0:
        return a == b;
      case 1:
        return a != b;
      case 2:
        return a <= b;
      case 3:
        return a >= b;
      case 4:
        return a < b;
      default:
        return a > b;
    }
  }

  Evaluate comparison() {
    static constexpr std::array<std::string_view, 6> kSigns{"==", "!=", "<=", ">=", "<", ">"};
    Evaluate left = sum();
    std::vector<std::pair<std::size_t, Evaluate>> others;
    while (const auto sign = take_one_of(kSigns)) others.emplace_back(*sign, sum());
    if (others.empty()) return left;
    if (others.size() > 1 && dialect_ == Dialect::c)
      fail("a comparison of a comparison; put && between them");
    return [left, others](const Variables& v) {
      double a = left(v);
      for (const auto& [sign, other] : others) {
        const double b = other(v);
        if (!holds(sign, a, b)) return 0.0;
        a = b;
      }
      return 1.0;
    };
  }

  Evaluate sum() {
    Evaluate left = product();
    while (const auto sign = take_one_of(std::array<std::string_view, 2>{"+", "-"}))
      left = [left, right = product(), minus = *sign == 1](const Variables& v) {
        return minus ? left(v) - right(v) : left(v) + right(v);
      };
    return left;
  }

  /// One of * / // %; of `dialect` in what they do to integers.
  Evaluate product() {
    Evaluate left = unary();
    while (true) {
      skip_blanks();
      if (text_.substr(at_).starts_with("**")) return left;
      const auto sign = take_one_of(std::array<std::string_view, 4>{"*", "//", "/", "%"});
      if (!sign) return left;
      const bool c = dialect_ == Dialect::c;
      left = [left, right = unary(), sign = *sign, c,
              text = std::string(text_)](const Variables& v) -> double {
        const double a = left(v), b = right(v);
        if (sign == 0) return a * b;
        if (b == 0) throw UsageError(fmt::format("'{}' divides by zero", text));
        const bool whole = a == std::trunc(a) && b == std::trunc(b);
        if (sign == 1) return std::floor(a / b);
        if (sign == 2) return c && whole ? std::trunc(a / b) : a / b;
        return c ? std::fmod(a, b) : a - b * std::floor(a / b);
      };
    }
  }

  Evaluate unary() {
    if (++depth_ > kDeepest) fail("it is nested too deeply");
    Evaluate result;
    if (take("-")) {
      result = [of = unary()](const Variables& v) { return -of(v); };
    } else if (take("+")) {
      result = unary();
    } else if (skip_blanks(); !text_.substr(at_).starts_with("!=") && take("!")) {
      result = [of = unary()](const Variables& v) { return of(v) == 0 ? 1.0 : 0.0; };
    } else {
      result = power();
    }
    --depth_;
    return result;
  }

  Evaluate power() {
    Evaluate base = primary();
    if (!take("**")) return base;
    return
        [base, exponent = unary()](const Variables& v) { return std::pow(base(v), exponent(v)); };
  }

  Evaluate primary() {
    skip_blanks();
    if (at_ == text_.size()) fail("it ends where a number or a name is expected");
    if (take("(")) {
      Evaluate inside = disjunction();
      if (!take(")")) fail("')' is missing");
      return inside;
    }
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (!is_word(c)) fail(fmt::format("'{}' is neither a number nor a name", c));
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    std::string name(text_.substr(at_, end - at_));
    at_ = end;
    if (take("(")) return function(name);
    if (take("[")) {
      const std::size_t close = text_.find(']', at_);
      if (close == std::string_view::npos) fail("']' is missing");
      name += '[' + std::string(text_.substr(at_, close - at_)) + ']';
      at_ = close + 1;
    }
    if (name == "True" || name == "False")
      return [value = name == "True" ? 1.0 : 0.0](const Variables&) { return value; };
    names_.insert(name);
    return [name, text = std::string(text_)](const Variables& v) {
      const auto found = v.find(name);
      if (found != v.end()) return found->second;
      std::vector<std::string> known;
      for (const auto& [other, value] : v) known.push_back(other);
      throw UsageError(
          fmt::format("'{}': nothing says what {} is{}", text, name, did_you_mean(name, known)));
    };
  }

  Evaluate number() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("this is no number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return [value](const Variables&) { return value; };
  }

  Evaluate function(const std::string& name) {
    std::vector<Evaluate> of;
    do of.push_back(disjunction());
    while (take(","));
    if (!take(")")) fail("')' is missing");
    const auto require = [&](std::size_t count) {
      if (of.size() != count) fail(fmt::format("{} takes {} values", name, count));
    };
    if (name == "min" || name == "max")
      return [of, least = name == "min"](const Variables& v) {
        double result = of.front()(v);
        for (const Evaluate& one : of)
          result = least ? std::min(result, one(v)) : std::max(result, one(v));
        return result;
      };
    if (name == "abs" || name == "int") {
      require(1);
      return [one = of.front(), whole = name == "int"](const Variables& v) {
        return whole ? std::trunc(one(v)) : std::abs(one(v));
      };
    }
    if (name != "ceil_div")
      fail(fmt::format("there is no function {}; there are min, max, abs and ceil_div", name));
    require(2);
    return [a = of[0], b = of[1], text = std::string(text_)](const Variables& v) {
      const double divisor = b(v);
      if (divisor == 0) throw UsageError(fmt::format("'{}' divides by zero", text));
      return std::ceil(a(v) / divisor);
    };
  }

  std::string_view text_;
  Dialect dialect_;
  std::set<std::string>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Expression::Expression(std::string_view text, Dialect dialect)
    : text_(text), value_(Parser(text_, dialect, names_).all()) {}

double Expression::value(const Variables& variables) const { return value_(variables); }

std::size_t Expression::size(const Variables& variables, std::size_t least) const {
  const double result = value(variables);
  if (!(result >= static_cast<double>(least) && result <= kLargestCount &&
        result == std::trunc(result)))
    throw UsageError(
        fmt::format("'{}' is {:.17g}, not a whole number from {} on", text_, result, least));
  return static_cast<std::size_t>(result);
}

std::vector<std::string_view> split_list(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : separator;
    if (i < text.size()) {
      if (quote != 0 ? c == quote : c == '\'' || c == '"') quote = quote != 0 ? '\0' : c;
      if (quote == 0 && (c == '(' || c == '[')) ++depth;
      if (quote == 0 && (c == ')' || c == ']')) --depth;
      if (c != separator || depth > 0 || quote != 0) continue;
    }
    std::string_view part = text.substr(begin, i - begin);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

}  // namespace clgauss::tune
