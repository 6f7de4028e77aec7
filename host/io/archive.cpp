#include "io/archive.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "io/bytes.hpp"
#include "io/memory.hpp"
#include "io/memory_file.hpp"
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

/// The result of `work`, which calls a module. `name` is that of a file or array, for errors.
template <typename Work>
auto with_name(const std::string& name, Work work) try {
  return work();
} catch (const Error&) {
  throw;
} catch (const std::runtime_error& error) {
  throw FormatError(name, 0, 0, error.what());
}

class NpzArchive : public Archive {
 public:
  NpzArchive(const ForeignFormat& format, const Input& input, const ReadOptions& options)
      : format_(format), input_(input), options_(options), file_{input.bytes()} {}

  [[nodiscard]] std::vector<ArrayInfo> arrays() override {
    return with_name(input_.name(), [&] { return format_.list(file_); });
  }
  [[nodiscard]] Content read(const ArrayInfo& array) override;

 private:
  const ForeignFormat& format_;
  const Input& input_;
  const ReadOptions& options_;
  ForeignFile file_;
};

Content NpzArchive::read(const ArrayInfo& array) {
  const std::string name = name_of(input_, array.name);
  const Index most = most_unsized_bytes();
  if (array.bytes > most)
    throw OutOfMemory(
        fmt::format("{}: unpacks to {}, more than the {} that are taken of such a file", name,
                    readable_bytes(array.bytes), readable_bytes(most)));
  Bytes bytes(array.bytes);
  Index done = 0;
  with_name(name, [&] {
    format_.read(file_, array, [&](std::string_view part) {
      if (part.size() > bytes.size() - done)
        throw std::runtime_error("the zip archive is damaged: an array is longer than it says");
      std::ranges::copy(part, bytes.begin() + static_cast<std::ptrdiff_t>(done));
      done += part.size();
    });
  });
  bytes.resize(done);
  return read_npy(Input(name, std::move(bytes)), options_);
}

}  // namespace

std::unique_ptr<Archive> open_npz(const ForeignFormat& format, const Input& input,
                                  const ReadOptions& options) {
  return std::make_unique<NpzArchive>(format, input, options);
}

void write_arrays(const ForeignFormat& format, OutputFile& file,
                  std::span<const NamedMatrix> arrays) try {
  std::vector<ForeignArray> foreign;
  for (const auto& [name, matrix] : arrays)
    foreign.push_back({std::string(name), matrix.rows(), matrix.cols(), matrix.values(),
                       npy_header(std::array{matrix.rows(), matrix.cols()})});
  MemoryFile whole;
  format.write(foreign, whole.path(), [&](std::string_view bytes) { file.write(bytes); });
  file.write(whole.bytes(file.path()));
} catch (const Error&) {
  throw;
} catch (const std::length_error& error) {
  throw FileError(file.path(), error.what());
} catch (const std::exception&) {
  throw OutOfMemory(fmt::format("{}: {} cannot write the file, which is built in memory first",
                                file.path(), format.library));
}

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
