#include "embed/embedded.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/program.hpp>
#include <fstream>
#include <set>
#include <sstream>

namespace clgauss {

namespace {

/// The path of a kernel file in `folder` or one of its subfolders, one per family of kernels; file
/// names are unique. If the file is in none of them, the result is its path in `folder`.
std::filesystem::path find_kernel_file(const std::string& name,
                                       const std::filesystem::path& folder) {
  std::error_code none;
  if (std::filesystem::exists(folder / name, none)) return folder / name;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (std::filesystem::exists(entry.path() / name, none)) return entry.path() / name;
  return folder / name;
}

std::string read_kernel_file(const std::string& name,
                             const std::optional<std::filesystem::path>& folder) {
  if (!folder) {
    const auto found = embedded_kernels().find(name);
    if (found == embedded_kernels().end()) throw FileError(name, "no such embedded kernel file");
    return found->second;
  }
  const std::filesystem::path path = find_kernel_file(name, *folder);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw FileError(path.string(),
                    "cannot read this kernel file from the kernel folder that was given");
  return text.str();
}

/// The file name of a line `#include "name"`; empty for any other line.
std::string included_file(const std::string& line) {
  const std::string directive = "#include \"";
  const std::size_t end = line.rfind('"');
  if (!line.starts_with(directive) || end < directive.size()) return {};
  return line.substr(directive.size(), end - directive.size());
}

/// Appends the file `name` to `text`. An included file is inserted in place of its #include line.
/// Each file is inserted only once.
void append_file(std::string& text, const std::string& name,
                 const std::optional<std::filesystem::path>& folder, std::set<std::string>& done) {
  if (!done.insert(name).second) return;
  text += fmt::format("#line 1 \"{}\"\n", name);
  std::istringstream lines(read_kernel_file(name, folder));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::string include = included_file(line);
    if (include.empty()) {
      text += line + '\n';
    } else {
      append_file(text, include, folder, done);
      text += fmt::format("#line {} \"{}\"\n", number + 1, name);
    }
  }
}

}  // namespace

std::string kernel_source(const std::string& name,
                          const std::optional<std::filesystem::path>& folder) {
  std::string text;
  std::set<std::string> done;
  append_file(text, name, folder, done);
  return text;
}

}  // namespace clgauss
