// How fast read_matrix parses: writes a random n-by-(n + 1) system in one format to a temporary
// folder and reads it again.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/exit_code.hpp"

#include "clock.hpp"
#include "statistics.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace clgauss;

constexpr std::string_view usage =
    "usage: read_bench [N [FORMAT [REPS]]]\n"
    "Times reading N x (N + 1) random numbers with 17 digits, by all cores (one: taskset -c 0) and "
    "from the page "
    "cache.\n"
    "N is 3000, FORMAT text (or mtx, npy, csv, tsv) and REPS 5 unless given.\n"
    "Prints CSV: format,n,bytes,median_s,MB_per_s,reps\n";

struct Options {
  Index n = 3000;
  FileFormat format = FileFormat::text;
  Index reps = 5;
};

Index positive_number(std::string_view text) {
  Index value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || value == 0) {
    throw UsageError(fmt::format("'{}' is not a positive number\n{}", text, usage));
  }
  return value;
}

Options parse_options(const std::vector<std::string_view>& words) {
  Options options;
  if (words.size() > 3) {
    throw UsageError(std::string(usage));
  }
  if (words.size() > 0) {
    options.n = positive_number(words[0]);
  }
  if (words.size() > 1) {
    const std::optional<FileFormat> format = parse_file_format(words[1]);
    if (!format) {
      throw UsageError(fmt::format("'{}' is not a format\n{}", words[1], usage));
    }
    options.format = *format;
  }
  if (words.size() > 2) {
    options.reps = positive_number(words[2]);
  }
  return options;
}

Matrix random_matrix(Index rows, Index cols) {
  std::mt19937_64 generator(20240229);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) {
    value = uniform(generator);
  }
  return matrix;
}

void measure(const Options& options) {
  const TemporaryFolder folder("read_bench");
  const std::string path = (folder.path() / "A").string();
  const Matrix written = random_matrix(options.n, options.n + 1);
  OutputFile file(path);
  write_matrix(file, written, options.format);
  file.commit();

  ReadOptions read_options;
  read_options.format = options.format;
  const Matrix read = read_matrix(path, read_options);  // verifies, and warms up
  if (!std::ranges::equal(read.values(), written.values())) {
    throw FormatError(path, 0, 0, "the numbers read are not those written");
  }
  std::vector<double> seconds;
  for (Index rep = 0; rep < options.reps; ++rep) {
    const auto begin = std::chrono::steady_clock::now();
    const Matrix again = read_matrix(path, read_options);
    seconds.push_back(seconds_since(begin));
  }
  const double median_s = median(seconds);
  const auto bytes = std::filesystem::file_size(path);
  fmt::print("format,n,bytes,median_s,MB_per_s,reps\n{},{},{},{:.4f},{:.1f},{}\n",
             file_format_name(options.format), options.n, bytes, median_s,
             static_cast<double>(bytes) / median_s / 1e6, options.reps);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  if (std::ranges::count(words, "-h") + std::ranges::count(words, "--help") > 0) {
    fmt::print("{}", usage);
    return 0;
  }
  try {
    measure(parse_options(words));
  } catch (const Error& error) {
    fmt::print(stderr, "read_bench: {}\n", error.what());
    return static_cast<int>(cli::exit_code_of(error));
  }
  return 0;
}
