#include "tuner/kernel/reference_command.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <cstdlib>
#include <filesystem>

#include "file_content.hpp"
#include "io/formats.hpp"
#include "io/number.hpp"
#include "temporary_folder.hpp"

namespace clgauss::tune {

namespace {

namespace fs = std::filesystem;

/// As NumPy has it: vectors of OpenCL's are rows.
void write_array(const fs::path& path, const CommandArray& array) {
  const ElementType& type = array.type;
  const char kind = type.kind == ElementType::Kind::real             ? 'f'
                    : type.kind == ElementType::Kind::signed_integer ? 'i'
                                                                     : 'u';
  const std::size_t rows = array.values.size() / type.width;
  std::vector<Index> shape{rows};
  if (type.width > 1) shape.push_back(type.width);
  const std::vector<std::byte> bytes = to_bytes(type, array.values);
  std::string content = io::npy_header(shape, fmt::format("<{}{}", kind, type.bytes));
  content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  write_whole(path, content);
}

/// `command` with each {NAME} that `input` knows replaced; arrays are written to `folder`.
std::string filled(std::string_view command, const fs::path& folder,
                   const std::function<std::optional<CommandInput>(std::string_view)>& input) {
  std::string text;
  while (!command.empty()) {
    const std::size_t open = command.find('{');
    text += command.substr(0, open);
    if (open == std::string_view::npos) break;
    command.remove_prefix(open);
    const std::size_t close = command.find('}');
    const std::string name(command.substr(1, close == std::string_view::npos ? 0 : close - 1));
    const std::optional<CommandInput> found = name.empty() ? std::nullopt : input(name);
    if (!found) {
      text += '{';
      command.remove_prefix(1);
      continue;
    }
    if (const auto* array = std::get_if<CommandArray>(&*found)) {
      const fs::path file = folder / (name + ".npy");
      write_array(file, *array);
      text += file.string();
    } else {
      text += std::get<std::string>(*found);
    }
    command.remove_prefix(close + 1);
  }
  return text;
}

std::vector<double> numbers_of_text(std::string_view text, std::string_view command) {
  constexpr std::string_view kBlanks = " \t\r\n,";
  std::vector<double> numbers;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = text.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    const std::string_view token = text.substr(at, end - at);
    const io::Number number = io::parse_number(token);
    if (number.kind == io::NumberKind::malformed || number.kind == io::NumberKind::too_large)
      throw UsageError(fmt::format("--verify '{}' printed {}, which is not a number", command,
                                   io::in_quotes(token)));
    numbers.push_back(number.value);
    at = end;
  }
  return numbers;
}

}  // namespace

std::vector<double> numbers_printed_by(
    std::string_view command,
    const std::function<std::optional<CommandInput>(std::string_view name)>& input) {
  const TemporaryFolder folder("clgauss-verify");
  const fs::path printed = folder.path() / "printed.npy";
  const std::string line =
      fmt::format("(\n{}\n) >'{}'", filled(command, folder.path(), input), printed.string());
  const int status = std::system(line.c_str());  // NOLINT(cert-env33-c): it is the user's command
  if (status == -1 || !WIFEXITED(status))
    throw UsageError(fmt::format("--verify '{}' did not run to its end", command));
  if (WEXITSTATUS(status) != 0)
    throw UsageError(
        fmt::format("--verify '{}' ended with exit code {}", command, WEXITSTATUS(status)));
  const std::string content = file_content(printed);
  if (!io::is_npy(content)) return numbers_of_text(content, command);
  const Matrix matrix = read_matrix(printed.string());
  return {matrix.values().begin(), matrix.values().end()};
}

}  // namespace clgauss::tune
