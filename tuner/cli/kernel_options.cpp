#include "tuner/cli/kernel_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <clgauss/error.hpp>
#include <optional>
#include <set>

#include "command_line/typed.hpp"

namespace clgauss::tune {

namespace {

namespace fs = std::filesystem;

std::optional<double> as_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_range(std::string_view text) {
  return text.find(':') != std::string_view::npos ||
         (!text.empty() &&
          std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; }));
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

bool is_name(std::string_view text) {
  return is_word(text) && std::isdigit(static_cast<unsigned char>(text.front())) == 0;
}

KernelArgument::Fill parse_fill(std::string_view text) {
  if (text.empty() || text == "random") return std::monostate{};
  if (text == "zeros") return 0.0;
  if (const auto number = as_number(text)) return *number;
  if (text.ends_with(".npy")) return fs::path(text);
  throw UsageError(fmt::format(
      "'{}' cannot fill a buffer: give random, zeros, a number or the name of a .npy file", text));
}

/// The name before '=' and what is behind it. Throws UsageError.
std::pair<std::string_view, std::string_view> assigned(std::string_view option,
                                                       std::string_view text) {
  const std::vector<std::string_view> parts = split_list(text, '=');
  if (parts.size() != 2 || !is_name(parts[0]) || parts[1].empty())
    throw UsageError(fmt::format("--{} {}: NAME=VALUE is expected", option, text));
  return {parts[0], parts[1]};
}

}  // namespace

KernelArgument parse_kernel_argument(std::string_view text) {
  const std::vector<std::string_view> parts = split_list(text, ':');
  const auto refuse = [&](const char* form) {
    throw UsageError(fmt::format("--arg {}: {} is expected", text, form));
  };
  KernelArgument argument;
  try {
    if (parts[0] == "buffer" || parts[0] == "scratch") {
      argument.scratch = parts[0] == "scratch";
      if (parts.size() < 3 || parts.size() > 4)
        refuse(argument.scratch ? "scratch:TYPE:COUNT[:FILL]" : "buffer:TYPE:COUNT[:FILL]");
      argument.fill = parse_fill(parts.size() > 3 ? parts[3] : "");
    } else if (parts[0] == "local") {
      if (parts.size() != 3) refuse("local:TYPE:COUNT");
      argument.kind = KernelArgument::Kind::local;
    } else {
      if (parts.size() != 2)
        refuse(
            "buffer:TYPE:COUNT[:FILL], scratch:TYPE:COUNT[:FILL], local:TYPE:COUNT or TYPE:VALUE");
      argument.kind = KernelArgument::Kind::scalar;
    }
    argument.type = parse_element_type(parts[parts.size() == 2 ? 0 : 1]);
    argument.count = Expression(parts[parts.size() == 2 ? 1 : 2]);
  } catch (const UsageError& error) {
    const std::string message = error.what();
    throw UsageError(message.starts_with("--arg") ? message
                                                  : fmt::format("--arg {}: {}", text, message));
  }
  return argument;
}

std::vector<Expression> parse_range(std::string_view option, std::string_view text) {
  std::vector<Expression> dimensions;
  for (const std::string_view part : split_list(text, ',')) dimensions.emplace_back(part);
  if (dimensions.size() > 3)
    throw UsageError(fmt::format("--{} {}: a range has 1 to 3 dimensions, not {}", option, text,
                                 dimensions.size()));
  return dimensions;
}

std::vector<std::vector<Expression>> parse_local_sizes(std::string_view text) {
  std::vector<std::vector<Expression>> dimensions;
  // Dimensions stand around an x between blanks, so that names may have one.
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(" x ", begin), text.size());
    std::vector<Expression>& sizes = dimensions.emplace_back();
    for (const std::string_view part : split_list(text.substr(begin, end - begin), ',')) {
      if (!is_range(part)) {
        sizes.emplace_back(part);
        continue;
      }
      for (const std::size_t size : cli::parse_sizes("local", part))
        sizes.emplace_back(std::to_string(size));
    }
    begin = end == text.size() ? text.size() + 1 : end + 3;
  }
  if (dimensions.size() > 3)
    throw UsageError(fmt::format("--local {}: a work-group has 1 to 3 dimensions", text));
  return dimensions;
}

Reference::Expected parse_expected(std::string_view text) {
  Reference::Expected expected;
  const std::size_t sign = text.substr(0, text.find('|')).find('=');
  if (sign != std::string_view::npos && is_word(text.substr(0, sign))) {
    expected.argument = text.substr(0, sign);
    text.remove_prefix(sign + 1);
  }
  if (text.starts_with('|'))
    expected.from = Reference::Command{std::string(text.substr(1))};
  else
    expected.from = fs::path(text);
  return expected;
}

std::array<bool, 3> parse_dimensions(std::string_view text) {
  constexpr std::string_view kNames = "xyz";
  std::array<bool, 3> dimensions{};
  for (const char c : text) {
    const std::size_t which = kNames.find(c);
    if (which == std::string_view::npos)
      throw UsageError(fmt::format("--round-up {}: x, y and z are dimensions", text));
    dimensions[which] = true;
  }
  return dimensions;
}

Parameter parse_parameter(std::string_view text) {
  const auto [name, list] = assigned("param", text);
  Parameter parameter{std::string(name), {}};
  const auto add = [&](Value value) {
    if (std::ranges::find(parameter.values, value) == parameter.values.end())
      parameter.values.push_back(std::move(value));
  };
  for (const std::string_view part : split_list(list, ',')) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error == std::errc{} && end == part.data() + part.size())
      add(number);
    else if (is_range(part))
      for (const std::size_t size : cli::parse_sizes("param", part))
        add(static_cast<std::int64_t>(size));
    else if (!part.empty())
      add(std::string(part));
    else
      throw UsageError(fmt::format("--param {}: a value is missing", text));
  }
  if (std::ranges::all_of(parameter.values, [](const Value& value) { return value.index() == 0; }))
    std::ranges::sort(parameter.values);  // neighbours resemble each other
  return parameter;
}

std::vector<Variables> parse_size_table(const std::vector<std::string>& texts) {
  std::vector<Variables> table(1);
  for (const std::string& text : texts) {
    std::set<std::string_view> named;
    Variables size = table.back();
    for (const std::string_view part : split_list(text, ',')) {
      const auto [name, value] = assigned("size", part);
      if (!named.insert(name).second)
        throw UsageError(fmt::format("--size {}: {} is given twice; another size is another --size",
                                     text, name));
      size[std::string(name)] = Expression(value).value(size);
    }
    const bool another = std::ranges::any_of(
        named, [&](std::string_view name) { return table.back().contains(name); });
    if (!another && table.size() == 1) {
      table.back() = std::move(size);
      continue;
    }
    if (size.size() > table.back().size())
      throw UsageError(fmt::format(
          "--size {}: the sizes before it have fewer names; give all to the first", text));
    if (std::ranges::find(table, size) != table.end())
      throw UsageError(fmt::format("--size {}: this size is given twice", text));
    table.push_back(std::move(size));
  }
  return table;
}

}  // namespace clgauss::tune
