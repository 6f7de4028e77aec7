#include "condition.hpp"

#include <array>
#include <charconv>
#include <cstdint>

namespace clgauss::layer {

namespace {

using Kind = Token::Kind;

constexpr std::string_view kDefined = "defined ";  // with a space, which no token has

/// As intmax_t or uintmax_t; the bits are the same.
struct Value {
  std::uint64_t bits = 0;
  bool is_unsigned = false;

  [[nodiscard]] std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
};

struct Operator {
  std::string_view spelling;
  int precedence;
};
constexpr std::array<Operator, 18> kOperators{{{"||", 1},
                                               {"&&", 2},
                                               {"|", 3},
                                               {"^", 4},
                                               {"&", 5},
                                               {"==", 6},
                                               {"!=", 6},
                                               {"<", 7},
                                               {">", 7},
                                               {"<=", 7},
                                               {">=", 7},
                                               {"<<", 8},
                                               {">>", 8},
                                               {"+", 9},
                                               {"-", 9},
                                               {"*", 10},
                                               {"/", 10},
                                               {"%", 10}}};

class Condition {
 public:
  Condition(const std::vector<Token>& tokens, const Token& directive, const ConditionNames& names)
      : tokens_(tokens), directive_(directive), names_(names) {}

  Value value() {
    const Value result = conditional();
    if (position_ != tokens_.size()) refuse();
    return result;
  }

 private:
  [[noreturn]] void refuse() const { throw Unfollowable{"the condition of " + place(directive_)}; }
  [[nodiscard]] bool next_is(std::string_view what) const {
    return position_ < tokens_.size() && tokens_[position_].is(what);
  }
  bool take(std::string_view what) {
    const bool taken = next_is(what);
    position_ += taken ? 1 : 0;
    return taken;
  }

  Value conditional() {
    return within_depth([this] { return conditional_within(); });
  }

  /// Reads a part that may hold others like itself.
  template <class Part>
  Value within_depth(Part part) {
    if (++depth_ > 200) refuse();
    const Value result = part();
    --depth_;
    return result;
  }

  Value conditional_within() {
    const Value condition = binary(1);
    if (!take("?")) return condition;
    const Value yes = unless(condition.bits == 0, [&] { return conditional(); });
    if (!take(":")) refuse();
    const Value no = unless(condition.bits != 0, [&] { return conditional(); });
    Value result = condition.bits != 0 ? yes : no;
    result.is_unsigned = yes.is_unsigned || no.is_unsigned;
    return result;
  }

  /// The value of a part that is read but not evaluated where it is `unused`.
  template <class Part>
  Value unless(bool unused, Part part) {
    unused_ += unused ? 1 : 0;
    const Value result = part();
    unused_ -= unused ? 1 : 0;
    return result;
  }

  Value binary(int least) {
    Value left = unary();
    for (;;) {
      const Operator* found = nullptr;
      for (const Operator& candidate : kOperators) {
        if (candidate.precedence >= least && next_is(candidate.spelling)) found = &candidate;
      }
      if (found == nullptr) return left;
      ++position_;
      const std::string_view spelling = found->spelling;
      const bool decided =
          (spelling == "&&" && left.bits == 0) || (spelling == "||" && left.bits != 0);
      const Value right = unless(decided, [&] { return binary(found->precedence + 1); });
      left = apply(spelling, left, right);
    }
  }

  Value apply(std::string_view what, Value a, Value b) const {
    const bool u = a.is_unsigned || b.is_unsigned;
    const auto truth = [](bool value) { return Value{value ? 1U : 0U, false}; };
    const auto less = [&](Value x, Value y) {
      return u ? x.bits < y.bits : x.as_signed() < y.as_signed();
    };
    if (what == "||") return truth(a.bits != 0 || b.bits != 0);
    if (what == "&&") return truth(a.bits != 0 && b.bits != 0);
    if (what == "==") return truth(a.bits == b.bits);
    if (what == "!=") return truth(a.bits != b.bits);
    if (what == "<") return truth(less(a, b));
    if (what == ">") return truth(less(b, a));
    if (what == "<=") return truth(!less(b, a));
    if (what == ">=") return truth(!less(a, b));
    if (what == "|") return {a.bits | b.bits, u};
    if (what == "^") return {a.bits ^ b.bits, u};
    if (what == "&") return {a.bits & b.bits, u};
    if (what == "+") return {a.bits + b.bits, u};
    if (what == "-") return {a.bits - b.bits, u};
    if (what == "*") return {a.bits * b.bits, u};
    if (what == "<<" || what == ">>") return shifted(what == "<<", a, b);
    return divided(what == "/", a, b, u);
  }

  Value shifted(bool left, Value a, Value b) const {
    if (b.bits > 63) {
      if (unused_ > 0) return {0, a.is_unsigned};
      refuse();
    }
    if (left) return {a.bits << b.bits, a.is_unsigned};
    if (a.is_unsigned) return {a.bits >> b.bits, true};
    return {static_cast<std::uint64_t>(a.as_signed() >> b.bits), false};
  }

  Value divided(bool quotient, Value a, Value b, bool u) const {
    const bool overflows = !u && a.bits == std::uint64_t{1} << 63U && b.as_signed() == -1;
    if (b.bits == 0 || overflows) {
      if (unused_ > 0) return {0, u};
      refuse();
    }
    if (u) return {quotient ? a.bits / b.bits : a.bits % b.bits, true};
    const std::int64_t result =
        quotient ? a.as_signed() / b.as_signed() : a.as_signed() % b.as_signed();
    return {static_cast<std::uint64_t>(result), false};
  }

  Value unary() {
    return within_depth([this] { return unary_within(); });
  }

  Value unary_within() {
    if (take("!")) return {unary().bits == 0 ? 1U : 0U, false};
    if (take("+")) return unary();
    if (take("-")) {
      const Value value = unary();
      return {0 - value.bits, value.is_unsigned};
    }
    if (take("~")) {
      const Value value = unary();
      return {~value.bits, value.is_unsigned};
    }
    if (take("(")) {
      const Value value = conditional();
      if (!take(")")) refuse();
      return value;
    }
    if (position_ == tokens_.size()) refuse();
    const Token& token = tokens_[position_++];
    if (token.kind == Kind::name) {
      if (unused_ == 0) names_.refuse_value(token);
      return {};
    }
    if (token.kind != Kind::number) refuse();
    if (token.spelling.rfind(kDefined, 0) == 0) {
      const std::string name = token.spelling.substr(kDefined.size());
      return {unused_ == 0 && names_.is_defined(name) ? 1U : 0U, false};
    }
    return number(token.spelling);
  }

  Value number(std::string_view digits) const {
    Value result;
    while (!digits.empty() &&
           std::string_view("uUlL").find(digits.back()) != std::string_view::npos) {
      result.is_unsigned = result.is_unsigned || digits.back() == 'u' || digits.back() == 'U';
      digits.remove_suffix(1);
    }
    int base = 10;
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
      base = 16;
      digits.remove_prefix(2);
    } else if (digits.size() > 1 && digits[0] == '0') {
      base = 8;
    }
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), result.bits, base);
    if (error != std::errc() || end != digits.data() + digits.size()) refuse();
    result.is_unsigned = result.is_unsigned || result.as_signed() < 0;
    return result;
  }

  const std::vector<Token>& tokens_;
  const Token& directive_;
  const ConditionNames& names_;
  std::size_t position_ = 0;
  int unused_ = 0;
  int depth_ = 0;
};

}  // namespace

Token defined_token(Token at, const std::string& name) {
  at.kind = Kind::number;
  at.spelling = std::string(kDefined) + name;
  return at;
}

bool condition_holds(const std::vector<Token>& expression, const Token& directive,
                     const ConditionNames& names) {
  return Condition(expression, directive, names).value().bits != 0;
}

}  // namespace clgauss::layer
