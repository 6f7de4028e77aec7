#include <clgauss/lab/parameters.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>

#include "kernels/parameter_rules.hpp"

namespace clgauss {

namespace {

/// Works for a const list and for one to be changed.
template <typename List>
auto& find(List& parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, name, &Parameters::value_type::first);
  if (found == parameters.end())
    throw UsageError(fmt::format("there is no parameter {} in the list", name));
  return found->second;
}

}  // namespace

int value_of(const Parameters& parameters, std::string_view name) { return find(parameters, name); }

void set_value(Parameters& parameters, std::string_view name, int value) {
  find(parameters, name) = value;
}

void check_parameters(const std::string& what, const Parameters& parameters,
                      std::span<const ParameterRule> rules) {
  for (const auto& [name, value] : parameters) {
    const auto rule = std::ranges::find_if(rules, [&](const auto& r) { return name == r.name; });
    if (rule == rules.end()) throw UsageError(fmt::format("{} has no parameter {}", what, name));
    if (std::ranges::count(parameters, name, &Parameters::value_type::first) > 1)
      throw UsageError(fmt::format("{} gives {} twice", what, name));
    if (value < rule->least || value > rule->most || value % rule->step != 0)
      throw UsageError(fmt::format(
          "{}: {} = {} must lie in {} .. {}{}", what, name, value, rule->least, rule->most,
          rule->step > 1 ? fmt::format(" and be a multiple of {}", rule->step) : ""));
  }
  for (const ParameterRule& rule : rules)
    if (!std::ranges::count(parameters, rule.name, &Parameters::value_type::first))
      throw UsageError(fmt::format("{} needs the parameter {}", what, rule.name));
}

void check_multiple(const std::string& what, const Parameters& parameters, const char* name,
                    const char* of) {
  const int value = value_of(parameters, name), unit = value_of(parameters, of);
  if (value % unit != 0)
    throw UsageError(
        fmt::format("{}: {} = {} must be a multiple of {} = {}", what, name, value, of, unit));
}

}  // namespace clgauss
