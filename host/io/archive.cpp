#include "io/archive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <system_error>

#include "io/number.hpp"

namespace clgauss::io {

namespace {

std::string listed(std::span<const ArrayInfo> arrays) {
  constexpr std::size_t kMost = 20;
  std::vector<std::string> texts;
  for (const ArrayInfo& array : arrays.first(std::min(arrays.size(), kMost))) {
    if (!array.obstacle.empty())
      texts.push_back(fmt::format("{} ({})", array.name, array.obstacle));
    else if (array.rows > 0)
      texts.push_back(fmt::format("{} ({} x {})", array.name, array.rows, array.cols));
    else
      texts.push_back(array.name);
  }
  if (arrays.size() > kMost) texts.push_back("...");
  return texts.empty() ? "no array" : fmt::format("{}", fmt::join(texts, ", "));
}

/// An example of how to name an array of the file on the command line.
std::string example(const Input& input, std::span<const ArrayInfo> arrays, bool nothing_named,
                    const Role& role) {
  std::vector<std::string> names;
  for (const ArrayInfo& array : arrays)
    if (array.obstacle.empty()) names.push_back(name_of(input, array.name));
  if (names.empty()) names.push_back(name_of(input, arrays.front().name));
  std::string text = fmt::format("{}{}", role.before, names.front());
  if (nothing_named && !role.between.empty() && names.size() > 1)
    text += fmt::format("{}{}", role.between, names[1]);
  return text;
}

}  // namespace

bool is_called(const ArrayInfo& array, std::string_view name) {
  const auto without_root = [](std::string_view path) {
    return path.substr(path.starts_with('/') ? 1 : 0);
  };
  return without_root(array.name) == without_root(name);
}

Place place_of(const std::string& path) {
  const auto is_there = [](const std::string& file) {
    std::error_code unknown;  // on any error, the file was not found
    return file == "-" || std::filesystem::exists(file, unknown);
  };
  if (is_there(path)) return {path, {}};
  for (std::size_t colon = path.rfind(':'); colon != std::string::npos && colon > 0;
       colon = path.rfind(':', colon - 1)) {
    if (is_there(path.substr(0, colon))) return {path.substr(0, colon), path.substr(colon + 1)};
  }
  return {path, {}};
}

std::vector<ArrayInfo> as_far_as(Numbers numbers, std::vector<ArrayInfo> arrays) {
  for (ArrayInfo& array : arrays)
    if (numbers == Numbers::real && array.complex && array.obstacle.empty())
      array.obstacle = "is complex, and a real matrix is needed (solve takes complex systems)";
  return arrays;
}

const ArrayInfo& chosen(const Input& input, std::span<const ArrayInfo> arrays,
                        const std::string& wanted, const Role& role) {
  const auto called = [&](std::string_view name) {
    return std::ranges::find_if(arrays,
                                [&](const ArrayInfo& each) { return is_called(each, name); });
  };
  const auto matrices =
      std::ranges::count_if(arrays, [](const ArrayInfo& each) { return each.obstacle.empty(); });
  auto found = called(wanted.empty() ? role.name : wanted);
  if (wanted.empty() && found == arrays.end() && (arrays.size() == 1 || matrices == 1))
    found =
        arrays.size() == 1
            ? arrays.begin()
            : std::ranges::find_if(arrays, [](const auto& each) { return each.obstacle.empty(); });
  if (found == arrays.end()) {
    const std::string reason =
        wanted.empty() ? fmt::format("no array is called {}, and there is more than one", role.name)
                       : fmt::format("there is no array {}", in_quotes(wanted));
    throw FormatError(
        input.name(), 0, 0,
        fmt::format("{}; the file holds {}{}", arrays.empty() ? "nothing to read" : reason,
                    listed(arrays),
                    arrays.empty() ? ""
                                   : fmt::format(": choose one, as in {}",
                                                 example(input, arrays, wanted.empty(), role))));
  }
  if (!found->obstacle.empty())
    throw FormatError(name_of(input, found->name), 0, 0, "the array " + found->obstacle);
  return *found;
}

}  // namespace clgauss::io
