// Throws damaged files at one reader, in-process, for some seconds: whatever stands in a file, the
// answer is a value or a typed clgauss::Error, soon and within bounded memory. One seed gives the
// same inputs.

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <clgauss/batched.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <clgauss/lab/tuned.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "file_content.hpp"
#include "tuner/kernel/t1.hpp"
#include "tuner/rows/t4.hpp"

namespace {

constexpr std::size_t kMostAtOnce = std::size_t{256} << 20U;  // larger requests fail, as memory may
constexpr long kMostResidentKb = 3L << 20U;                   // sanitizers keep what was freed

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = bytes <= kMostAtOnce ? std::malloc(bytes) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return bytes <= kMostAtOnce ? std::malloc(bytes) : nullptr;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace clgauss;
using Random = std::mt19937_64;
using tune::Status;

constexpr unsigned kPatienceSeconds = 20;  // for one input; a hang ends by SIGALRM

/// One reader: what it is given to damage, words that mean something to it, and the call.
struct Reader {
  std::string name;
  std::vector<std::string> samples, words;
  std::function<void(const std::string& path)> read;
};

const std::vector<std::string> kNumbers = {"0",
                                           "1",
                                           "-1",
                                           "2",
                                           "1e308",
                                           "1e400",
                                           "-1e-400",
                                           "1d5",
                                           "nan",
                                           "inf",
                                           "1.5.2",
                                           "0x10",
                                           "+3",
                                           "+-3",
                                           "1e",
                                           "999999999999999999999",
                                           "4294967296",
                                           "18446744073709551615",
                                           "9223372036854775808"};

std::string npy_sample(const std::string& dtype, const std::string& order, const std::string& shape,
                       std::size_t data_bytes) {
  std::string dict =
      "{'descr': '" + dtype + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  dict.append(63 - (10 + dict.size()) % 64, ' ');
  dict += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(dict.size()) + '\0' + dict +
         std::string(data_bytes, '\x3f');
}

/// Every way in for a file: by content, by each format's name, as a system, as a batch.
void read_as(const std::string& path, std::optional<FileFormat> format) {
  ReadOptions options;
  options.format = format;
  options.note = {};
  const auto attempt = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const Error&) {  // the next way in may go further
    }
  };
  attempt([&] { static_cast<void>(read_batched_system(path, "", options)); });
  attempt([&] { static_cast<void>(read_system(path, "", {})); });
  attempt([&] { static_cast<void>(read_system(path, path, options)); });
  attempt([&] { static_cast<void>(read_any_system(path, "", {})); });
  attempt([&] { static_cast<void>(read_any_system(path, path, options)); });
  attempt([&] { static_cast<void>(read_complex_matrix(path, options)); });
  static_cast<void>(read_matrix(path, options));
}

Reader table_reader(const std::string& name, FileFormat format,
                    const std::vector<std::string>& samples) {
  return {name,
          samples,
          {"\n", "\r\n", "\r", " ", "\t", ",", ";", "#", "%", "\"", "\xEF\xBB\xBF"},
          [format](const std::string& path) { read_as(path, format); }};
}

std::string gzip_sample(const std::string& folder, const std::string& text) {
  const std::string path = folder + "/sample.gz";
  write_whole(path, text);
  return file_content(path);
}

tune::T4File t4_sample() {
  tune::T4File file{{"OpenCL", "pocl", "cpu", "clgauss-tune"}, {}};
  for (const Status status : {Status::ok, Status::build_error}) {
    tune::T4Result result;
    result.configuration = {{"TILE_M", std::int64_t{16}}, {"KIND", std::string("plain")}};
    result.outcome = {status, "detail", {1.5e6, 2.5e6}};
    if (status == Status::ok) result.time_ns = 1.5e6;
    result.measurements = {{"gflops", 812.5, "Gflop/s"}};
    file.results.push_back(result);
  }
  return file;
}

Reader make_reader(const std::string& name, const std::string& folder) {
  if (name == "text")
    return table_reader(name, FileFormat::text,
                        {"1 2 3\n4 5 6\n", "# c\n1.5 -2e3 % x\r\n\r\n+3 4d0\n", "2 4"});
  if (name == "csv")
    return table_reader(name, FileFormat::csv, {"1,2,3\n4,5,6\n", "1;2;3\n4;5;6\n", "1.5,-2e-3\n"});
  if (name == "tsv") return table_reader(name, FileFormat::tsv, {"1\t2\t3\n4\t5\t6\n"});
  if (name == "mtx") {
    const std::string banner = "%%MatrixMarket matrix ";
    return {name,
            {banner + "array real general\n2 3\n1\n2\n3\n4\n5\n6\n",
             banner + "array real symmetric\n2 2\n1\n2\n3\n",
             banner + "coordinate real general\n% c\n2 3 3\n1 1 1.5\n2 2 -2\n2 3 1e3\n",
             banner + "coordinate integer skew-symmetric\n3 3 2\n2 1 4\n3 2 5\n",
             banner + "array complex hermitian\n2 2\n1 0\n2 3\n4 0\n",
             banner + "coordinate complex general\n2 3 2\n1 1 1.5 2\n2 3 1 -1\n"},
            {"\n", "%", " ", "array", "coordinate", "real", "integer", "pattern", "complex",
             "general", "symmetric", "skew-symmetric", "hermitian", "matrix"},
            [](const std::string& path) { read_as(path, FileFormat::matrix_market); }};
  }
  if (name == "npy")
    return {name,
            {npy_sample("<f8", "False", "(2, 3)", 48), npy_sample(">f4", "True", "(3, 2)", 24),
             npy_sample("<f8", "True", "(2, 2, 3)", 96), npy_sample("<f8", "False", "(3,)", 24),
             npy_sample("<c16", "False", "(2, 3)", 96), npy_sample(">c8", "True", "(2, 3)", 48)},
            {"'descr'", "'fortran_order'", "'shape'", "True", "False", "(", ")", ",", "L", "{", "}",
             "'<f8'", "'>f4'", "'|b1'", "'<c16'", "'>c8'", "[('a', '<f8')]", "\x93NUMPY"},
            [](const std::string& path) { read_as(path, FileFormat::npy); }};
  if (name == "gzip") {
    const std::string packed = gzip_sample(folder, "1 2 3\n4 5 6\n");
    return {
        name,
        {packed, packed + packed, gzip_sample(folder, npy_sample("<i8", "False", "(2, 3)", 48))},
        {"\x1f\x8b", "\x1f\x8b\x08"},
        [](const std::string& path) { read_as(path, {}); }};
  }
  if (name == "npz" || name == "mat" || name == "h5") {
    // As other programs write them; what belongs to several arrays is asked for by name.
    std::vector<std::string> files = {"system.h5", "kinds.h5"};
    if (name == "npz") files = {"system.npz", "one.npz", "kinds.npz"};
    if (name == "mat")
      files = {"system.mat", "compressed.mat", "level4.mat", "level73.mat", "kinds.mat"};
    Reader reader{name,
                  {},
                  {"A", "b", "PK\3\4", "PK\1\2", "MATLAB 5.0 MAT-file", "\xff\xff\xff\xff",
                   std::string(8, '\0')},
                  [format = parse_file_format(name)](const std::string& path) {
                    for (const std::string array : {":sparse", ":fortran", ":group/chunks"}) {
                      try {
                        static_cast<void>(read_matrix(path + array));
                      } catch (const Error&) {
                      }
                    }
                    read_as(path, format);
                  }};
    for (const std::string& file : files)
      reader.samples.push_back(file_content(std::filesystem::path(CLGAUSS_FILES) / file));
    return reader;
  }
  const std::vector<std::string> json_words = {"{",
                                               "}",
                                               "[",
                                               "]",
                                               ":",
                                               ",",
                                               "\"",
                                               "\\u0000",
                                               "null",
                                               "true",
                                               "[[[[",
                                               "{\"a\":",
                                               "-",
                                               "\"results\"",
                                               "\"times\"",
                                               "\"runtimes\"",
                                               "\"invalidity\"",
                                               "\"schema_version\"",
                                               "\"measurements\"",
                                               "\"entries\"",
                                               "\"device\"",
                                               "\"parameters\""};
  if (name == "t4")
    return {name,
            {tune::t4_text(t4_sample()), gzip_sample(folder, tune::t4_text(t4_sample()))},
            json_words,
            [](const std::string& path) { static_cast<void>(tune::read_t4(path)); }};
  if (name == "t1")
    return {name,
            {R"json({"ConfigurationSpace": {"TuningParameters": [
                   {"Name": "a", "Type": "int", "Values": "[2**i for i in range(1, 4)]"}],
                 "Conditions": [{"Expression": "1 < a <= 4 and a % 2 == 0"}]},
                 "KernelSpecification": {"Language": "OpenCL", "KernelName": "k", "KernelFile": "k.cl",
                 "ProblemSize": [8], "GlobalSize": {"X": "ProblemSize[0] // a"}, "LocalSize": {"X": "a"},
                 "Arguments": [{"Type": "float", "MemoryType": "Vector", "FillType": "Random",
                                "Size": "max(a) * (8 + 1)"}]}})json"},
            {"\"[1, 2]\"", "\"list(range(9))\"", "\"((((a\"", "\"CUDA\"", "\"Scalar\"",
             "\"FillValue\""},
            [](const std::string& path) { static_cast<void>(tune::read_t1(path)); }};
  if (name == "tuned") {
    const TunedEntry entry{.what = "elimination",
                           .n = 1012,
                           .kernel = "gauss",
                           .parameters = {{"LOCAL", 192}},
                           .driver = "d",
                           .kernel_hash = "h",
                           .time_ns = 1.5,
                           .default_time_ns = 2.5,
                           .measured = "2026",
                           .version = "0"};
    return {
        name,
        {tuned_text({"cpu", "pocl", "Portable", 2, {entry}})},
        json_words,
        [](const std::string& path) { static_cast<void>(parse_tuned(file_content(path), path)); }};
  }
  throw UsageError("READER is one of: text, csv, tsv, mtx, npy, gzip, npz, mat, h5, t4, t1, tuned");
}

std::size_t below(Random& random, std::size_t bound) { return bound == 0 ? 0 : random() % bound; }

const std::string& one_of(Random& random, const std::vector<std::string>& words) {
  return words[below(random, words.size())];
}

void damage(std::string& bytes, const Reader& reader, Random& random) {
  const std::size_t at = below(random, bytes.size() + 1);
  const std::size_t length = below(random, std::min<std::size_t>(bytes.size() - at, 40) + 1);
  switch (below(random, 9)) {
    case 0:  // a bit
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
      break;
    case 1:  // a byte
      if (at < bytes.size()) bytes[at] = static_cast<char>(random());
      break;
    case 2:  // cut off
      bytes.resize(at);
      break;
    case 3:  // a piece gone
      bytes.erase(at, length);
      break;
    case 4:  // a piece twice, or often
      bytes.insert(at, bytes.substr(at, length));
      break;
    case 5: {
      std::string piece;
      for (std::size_t i = below(random, 300); i > 0; --i) piece += bytes.substr(at, length);
      bytes.insert(at, piece);
      break;
    }
    case 6:
      bytes.replace(at, length, one_of(random, reader.words));
      break;
    case 7: {  // another number
      const std::size_t digit = bytes.find_first_of("0123456789", at);
      if (digit == std::string::npos) break;
      const std::size_t end =
          std::min(bytes.find_first_not_of("0123456789.e+-", digit), bytes.size());
      bytes.replace(digit, end - digit, one_of(random, kNumbers));
      break;
    }
    default:  // a piece of another sample
      const std::string& other = one_of(random, reader.samples);
      const std::size_t from = below(random, other.size());
      bytes.insert(at, other.substr(from, below(random, 80)));
  }
  if (bytes.size() > (std::size_t{1} << 16U)) bytes.resize(std::size_t{1} << 16U);
}

struct Counts {
  std::size_t inputs = 0, values = 0, errors = 0;
};

Counts fuzz(const Reader& reader, const std::string& path, double seconds, std::uint64_t seed) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  Random random(seed);
  Counts counts;
  while (Clock::now() < end) {
    std::string bytes = one_of(random, reader.samples);
    // The first inputs are the samples themselves.
    if (counts.inputs >= reader.samples.size())
      for (std::size_t i = 1 + below(random, 6); i > 0; --i) damage(bytes, reader, random);
    std::filesystem::remove(path);  // to write over a file waits for the disk
    std::ofstream(path, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    alarm(kPatienceSeconds);
    ++counts.inputs;
    try {
      reader.read(path);
      ++counts.values;
    } catch (const Error&) {
      ++counts.errors;
    }
  }
  alarm(0);
  return counts;
}

void require_bounded_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  if (!(usage.ru_maxrss <= kMostResidentKb))
    throw std::runtime_error(fmt::format("{} KB of memory were in use", usage.ru_maxrss));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: fuzz_readers READER SECONDS [SEED]\n");
    return 2;
  }
  const std::string folder =
      (std::filesystem::temp_directory_path() / fmt::format("fuzz-{}-{}", argv[1], getpid()))
          .string();
  const std::string path = folder + "/input";  // stays where the program fails
  try {
    std::filesystem::create_directory(folder);
    const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    const Reader reader = make_reader(argv[1], folder);
    const Counts counts = fuzz(reader, path, std::strtod(argv[2], nullptr), seed);
    require_bounded_memory();
    fmt::print("{}: seed {}, {} inputs, {} read, {} refused with a typed error\n", reader.name,
               seed, counts.inputs, counts.values, counts.errors);
    std::filesystem::remove_all(folder);
    return counts.values > 0 && counts.errors > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "fuzz_readers {}: {} ({})\n", argv[1], error.what(), path);
    return 1;
  }
}
