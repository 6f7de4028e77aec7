#include "program_units.hpp"

#include <algorithm>

#include "opencl_names.hpp"

namespace clgauss::layer {

namespace {

bool opens(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }
bool closes(const Token& token) { return token.is(")") || token.is("]") || token.is("}"); }
bool is_attribute(const Token& token) {
  return token.is("__attribute__") || token.is("__attribute");
}
bool is_own_name(const Token& token) {
  return token.kind == Token::Kind::name && !is_language_word(token.spelling);
}

}  // namespace

ProgramUnits::ProgramUnits(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
  match_brackets();
  divide();
  collect_typedefs();
}

const std::vector<std::size_t>& ProgramUnits::units_of(const std::string& name) const {
  static const std::vector<std::size_t> none;
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? none : found->second;
}

void ProgramUnits::match_brackets() {
  matches_.assign(tokens_.size(), 0);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (opens(tokens_[i])) open.push_back(i);
    if (!closes(tokens_[i])) continue;
    const std::string_view pair = tokens_[i].is(")") ? "(" : (tokens_[i].is("]") ? "[" : "{");
    if (open.empty() || !tokens_[open.back()].is(pair)) {
      throw Unfollowable{"brackets that do not match (" + place(tokens_[i]) + ")"};
    }
    matches_[i] = open.back();
    matches_[open.back()] = i;
    open.pop_back();
  }
  if (!open.empty()) {
    throw Unfollowable{"brackets that do not match (" + place(tokens_[open.back()]) + ")"};
  }
}

void ProgramUnits::divide() {
  std::size_t begin = 0;
  bool initialises = false, has_braces = false;
  const auto next = [&](std::size_t at) {
    begin = at;
    initialises = has_braces = false;
  };
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (token.is(";")) {
      add(begin, i + 1, initialises || has_braces ? "" : declared_function(begin, i), false);
      next(i + 1);
    } else if (token.is("=")) {
      initialises = true;
    } else if (token.is("{")) {
      const std::string function = initialises ? "" : declared_function(begin, i);
      const bool is_type =
          std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
                      tokens_.begin() + static_cast<std::ptrdiff_t>(i), [](const Token& word) {
                        return word.is("struct") || word.is("union") || word.is("enum");
                      });
      const auto before = without_attributes(begin, i);
      const bool follows_parameters = !before.empty() && tokens_[before.back()].is(")");
      i = matches_[i];
      has_braces = true;
      if (!function.empty()) {
        add(begin, i + 1, function, true);
        next(i + 1);
      } else if (!initialises && (!is_type || follows_parameters)) {
        throw Unfollowable{"braces of no function, type or initialiser (" + place(token) + ")"};
      }
    } else if (opens(token)) {
      i = matches_[i];
    }
  }
  if (begin != tokens_.size()) {
    throw Unfollowable{"a declaration without an end (" + place(tokens_[begin]) + ")"};
  }
}

void ProgramUnits::add(std::size_t begin, std::size_t end, const std::string& function,
                       bool defines) {
  Unit unit{begin, end, function, defines, false};
  const std::size_t index = units_.size();
  for (std::size_t i = begin; i < end && !tokens_[i].is("{"); ++i) {
    unit.is_kernel =
        unit.is_kernel || (defines && (tokens_[i].is("kernel") || tokens_[i].is("__kernel")));
  }
  if (defines) defined_.insert(function);
  if (!function.empty()) {
    by_name_[function].push_back(index);
  } else {
    for (std::size_t i = begin; i < end; ++i) {
      if (!is_own_name(tokens_[i])) continue;
      auto& of_name = by_name_[tokens_[i].spelling];
      if (of_name.empty() || of_name.back() != index) of_name.push_back(index);
    }
  }
  units_.push_back(std::move(unit));
}

std::vector<std::size_t> ProgramUnits::without_attributes(std::size_t begin,
                                                          std::size_t end) const {
  std::vector<std::size_t> result;
  for (std::size_t i = begin; i < end; ++i) {
    if (is_attribute(tokens_[i]) && i + 1 < end && tokens_[i + 1].is("(")) {
      i = matches_[i + 1];
    } else {
      result.push_back(i);
    }
  }
  return result;
}

/// The name of "float4 name(parameters)", which its first parentheses must end; else nothing.
std::string ProgramUnits::declared_function(std::size_t begin, std::size_t end) const {
  const auto indices = without_attributes(begin, end);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const Token& token = tokens_[indices[k]];
    if (token.is("typedef") || token.is("{")) return {};
    if (!token.is("(")) continue;
    const bool is_last = matches_[indices[k]] == indices.back();
    const bool named = k > 0 && is_own_name(tokens_[indices[k - 1]]);
    return is_last && named ? tokens_[indices[k - 1]].spelling : std::string();
  }
  return {};
}

void ProgramUnits::collect_typedefs() {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (!tokens_[i].is("typedef")) continue;
    for (; i < tokens_.size() && !tokens_[i].is(";"); ++i) {
      if (opens(tokens_[i])) i = matches_[i];
      if (is_own_name(tokens_[i])) typedefs_.insert(tokens_[i].spelling);
    }
  }
}

}  // namespace clgauss::layer
