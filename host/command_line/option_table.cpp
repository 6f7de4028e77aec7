#include "command_line/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

namespace clgauss::cli {

po::typed_value<std::string>* optional_file(const char* name) {
  return output_file(name)->implicit_value("-");
}

namespace {

/// Boost returns a value's name and default as one string: "FILE (=-)", "[=FILE(=-)]", and "arg"
/// for a switch.
OptionView view_of(const po::option_description& option, const CommandTable& table) {
  const po::value_semantic& value = *option.semantic();
  OptionView view;
  view.name = option.long_name();
  const std::string short_name =
      option.canonical_display_name(po::command_line_style::allow_dash_for_short);
  if (short_name.size() == 2 && short_name[0] == '-') view.short_name = short_name.substr(1);
  view.about = option.description();
  view.required = value.is_required();
  const std::vector<std::string> places = table.positionals();
  const auto place = std::ranges::find(places, view.name);
  view.positional =
      place == places.end() ? 0 : static_cast<std::size_t>(place - places.begin()) + 1;
  if (value.max_tokens() > 0) {
    std::string name = value.name();
    view.optional_value = name.starts_with("[=");
    if (view.optional_value) name = name.substr(2, name.find('(') - 2);
    const std::size_t initial = name.find(" (=");
    if (initial != std::string::npos)
      view.initial = name.substr(initial + 3, name.size() - initial - 4);
    view.value = name.substr(0, initial);
  }
  if (const auto* hinted = dynamic_cast<const TextValue*>(&value)) view.hint = hinted->hint();
  return view;
}

}  // namespace

std::string OptionView::usage() const {
  if (positional > 0) return required ? value : "[" + value + "]";
  return fmt::format("{}--{}{}{}", short_name.empty() ? "" : "-" + short_name + ", ", name,
                     value.empty() ? "" : " ", optional_value ? "[" + value + "]" : value);
}

std::vector<OptionView> OptionGroup::view(const CommandTable& table) const {
  std::vector<OptionView> views;
  for (const auto& option : options.options()) views.push_back(view_of(*option, table));
  return views;
}

OptionRows& OptionRows::operator()(const char* name, const po::value_semantic* value,
                                   const char* about, const std::vector<Where>& where) {
  table_->groups[group_].options.add_options()(name, value, about);
  const std::string_view names = name;
  for (const Where& one : where) table_->restrict_option(names.substr(0, names.find(',')), one);
  return *this;
}

OptionRows CommandTable::group(const char* caption) {
  const auto there = std::ranges::find(groups, std::string_view(caption), &OptionGroup::caption);
  const auto index = static_cast<std::size_t>(there - groups.begin());
  if (there == groups.end()) groups.push_back({caption, {}});
  return {*this, index};
}

void CommandTable::restrict_option(std::string_view name, const Where& where) {
  const auto option = fmt::format("{}{}{}", name, where.value.empty() ? "" : "=", where.value);
  scopes.push_back({where.modes, where.belongs_to, {option}});
}

po::options_description CommandTable::all() const {
  po::options_description all;
  for (const OptionGroup& group : groups) all.add(group.options);
  return all;
}

std::vector<OptionView> CommandTable::options() const {
  std::vector<OptionView> all;
  for (const OptionGroup& group : groups)
    for (OptionView& option : group.view(*this)) all.push_back(std::move(option));
  return all;
}

std::vector<std::string> CommandTable::positionals() const {
  std::istringstream names(positional == nullptr ? "" : positional);
  return {std::istream_iterator<std::string>(names), {}};
}

std::string CommandTable::called(const std::string& name) const {
  for (const OptionView& option : options())
    if (option.name == name && option.positional > 0) return option.value;
  return "--" + name;
}

}  // namespace clgauss::cli
