#pragma once
/// A preprocessed program as its functions and declarations, without their meaning.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tokens.hpp"

namespace clgauss::layer {

/// A function's definition, or a declaration, outside all braces.
struct Unit {
  std::size_t begin = 0, end = 0;  ///< of its tokens
  std::string function;            ///< the name it defines or declares; empty for what is neither
  bool defines = false;
  bool is_kernel = false;
};

class ProgramUnits {
 public:
  /// Throws Unfollowable for braces that do not match and for a body whose owner is not clear.
  explicit ProgramUnits(std::vector<Token> tokens);

  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }
  [[nodiscard]] const std::vector<Unit>& units() const { return units_; }
  [[nodiscard]] bool defines_function(const std::string& name) const {
    return defined_.count(name) != 0;
  }
  [[nodiscard]] bool is_typedef(const std::string& name) const {
    return typedefs_.count(name) != 0;
  }
  /// Units that give the name a meaning: its function's definitions and prototypes; other
  /// declarations that mention it, were it as a field.
  [[nodiscard]] const std::vector<std::size_t>& units_of(const std::string& name) const;
  /// The index of the bracket that closes or opens the one at `at`.
  [[nodiscard]] std::size_t match(std::size_t at) const { return matches_[at]; }

 private:
  void match_brackets();
  void divide();
  void add(std::size_t begin, std::size_t end, const std::string& function, bool defines);
  void collect_typedefs();
  [[nodiscard]] std::vector<std::size_t> without_attributes(std::size_t begin,
                                                            std::size_t end) const;
  [[nodiscard]] std::string declared_function(std::size_t begin, std::size_t end) const;

  std::vector<Token> tokens_;
  std::vector<std::size_t> matches_;
  std::vector<Unit> units_;
  std::map<std::string, std::vector<std::size_t>> by_name_;
  std::set<std::string> defined_, typedefs_;
};

}  // namespace clgauss::layer
