#pragma once
/// The constant expression of an #if.

#include <functional>
#include <string>
#include <vector>

#include "tokens.hpp"

namespace clgauss::layer {

/// What a condition asks; a part that is not evaluated asks nothing.
struct ConditionNames {
  std::function<bool(const std::string&)> is_defined;
  /// Of a name that no macro replaced; throws Unfollowable where it may be one after all.
  std::function<void(const Token&)> refuse_value;
};

/// A number token that stands for "defined NAME" among the tokens of a condition.
[[nodiscard]] Token defined_token(Token at, const std::string& name);

/// Whether the expression is not zero, in 64 bits as C99 6.10.1 has it. All macros are replaced,
/// and "defined" is made into defined_token(). `directive` is named where it is no expression:
/// then, and for characters and divisions by zero, throws Unfollowable.
[[nodiscard]] bool condition_holds(const std::vector<Token>& expression, const Token& directive,
                                   const ConditionNames& names);

}  // namespace clgauss::layer
