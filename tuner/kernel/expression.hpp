#pragma once
/// Expressions of sizes and parameters: "N*(N+1)", "TILE*TILE <= 1024 && WIDTH % 4 == 0".

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace clgauss::tune {

/// How an operator is meant that languages disagree about.
enum class Dialect {
  c,  // 7 / 2 is 3, as kernels compute it
  python  // 7 / 2 is 3.5 and 7 // 2 is 3, as other tuners' files mean it; a < b < c is as in mathematics
};

/// Values of names. "ProblemSize[0]" is a name.
using Variables = std::map<std::string, double, std::less<>>;

/// Of numbers and names with + - * / // % ** (power), == != < <= > >=, && || ! or and or not,
/// min(a, b, ..), max(a, b, ..), ceil_div(a, b), abs(a) and parentheses. Numbers are f64, in which
/// integers up to 2^53 are exact; what holds is 1.
class Expression {
 public:
  /// Throws UsageError, naming the place, for what is none.
  explicit Expression(std::string_view text, Dialect dialect = Dialect::c);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// The names in it.
  [[nodiscard]] const std::set<std::string>& names() const { return names_; }

  /// Throws UsageError for a name without a value and for a division by zero.
  [[nodiscard]] double value(const Variables& variables) const;
  /// The value as a count. Throws UsageError unless it is a whole number from `least` to 2^53.
  [[nodiscard]] std::size_t size(const Variables& variables, std::size_t least = 1) const;

 private:
  std::string text_;
  std::set<std::string> names_;
  std::function<double(const Variables&)> value_;
};

/// The parts between `separator`, without blanks around them; what stands in parentheses, brackets
/// or quotes is not divided.
[[nodiscard]] std::vector<std::string_view> split_list(std::string_view text, char separator);

}  // namespace clgauss::tune
