#include <fmt/format.h>

#include <algorithm>
#include <clgauss/io.hpp>
#include <clgauss/lab/generate.hpp>
#include <limits>

#include "cli/commands.hpp"
#include "io/memory.hpp"

namespace clgauss::cli {

namespace {

constexpr std::string_view kGenerateUsage = "--kind KIND --n N [options]";
constexpr std::string_view kGenerateAbout =
    "Writes a test system [A | b], by default with b = A times ones so that the answer is all "
    "ones. One seed gives the same numbers on every machine.";
constexpr std::string_view kGenerateExamples =
    "clgauss generate --kind random --n 1012 --seed 1 -o s.txt\n"
    "clgauss generate --kind hilbert --n 8 --rhs none -o hilbert.mtx\n"
    "clgauss generate --kind graded --n 100 --rhs random --nrhs 3 -o g.npy";

std::string kinds_text() {
  std::string text = "one of:";
  for (const MatrixKind& kind : matrix_kinds())
    text += fmt::format("\n  {}: {}", kind.name, kind.description);
  return text;
}

enum class Rhs { row_sums, ones, random, none };

const WordTable<Rhs> kRhsWords{
    {"row-sums", Rhs::row_sums}, {"ones", Rhs::ones}, {"random", Rhs::random}, {"none", Rhs::none}};

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const MatrixKind& kind : matrix_kinds()) names.emplace_back(kind.name);
  return names;
}

enum Generates : unsigned { kRandomRhs = 1, kRandomMatrix = 2, kNothingRandom = 4 };

Mode mode_of(const po::variables_map& values) {
  const auto kind_name = values["kind"].as<std::string>(), rhs = values["rhs"].as<std::string>();
  const auto& kinds = matrix_kinds();
  const auto kind = std::ranges::find(kinds, kind_name, &MatrixKind::name);
  if (rhs == "random") return {kRandomRhs, "with --rhs random"};
  if (kind == kinds.end() || kind->random) return {kRandomMatrix, "with --rhs " + rhs};
  return {kNothingRandom, fmt::format("with --kind {} --rhs {}", kind_name, rhs)};
}

/// Rounds every value to f32.
void round_to_f32(Matrix& matrix) {
  for (double& value : matrix.values()) value = static_cast<float>(value);
}

/// The right-hand sides that --rhs asks for; a matrix without columns for "none".
Matrix make_rhs(std::string_view name, const Matrix& a, Index nrhs, std::uint64_t seed) {
  const Index n = a.rows();
  const auto rhs = parse_word("rhs", name, kRhsWords);
  switch (rhs) {
    case Rhs::row_sums:
      return row_sums(a);
    case Rhs::ones:
      return {n, 1, Values(n, 1.0)};
    case Rhs::random:
      return random_matrix(n, nrhs, seed + 1);
    case Rhs::none:
      break;
  }
  return {n, 0};
}

}  // namespace

CommandTable generate_table() {
  static const std::string kinds = kinds_text();
  static const std::string about_format = format_help("format of the file", "the extension of -o");
  CommandTable table{kGenerateUsage, kGenerateAbout, kGenerateExamples, {}};
  // clang-format off
  table.group("System")
      ("kind", words("KIND", kind_names())->required(), kinds.c_str())
      ("n", po::value<Index>()->required()->value_name("N"), "unknowns")
      ("seed", po::value<std::uint64_t>()->default_value(1)->value_name("S"),
       "seed of the random numbers", {{kRandomRhs | kRandomMatrix, "random numbers"}})
      ("rhs", words("WHAT", kRhsWords)->default_value("row-sums"),
       "row-sums (the answer is all ones), ones, random, or none (A alone)")
      ("nrhs", po::value<Index>()->default_value(1)->value_name("M"), "columns of --rhs random",
       {{kRandomRhs, "--rhs random"}})
      ("type", words("T", {"f32", "f64"})->default_value("f64"),
       "f64, or f32: numbers that both types hold");
  table.group("Output")
      ("output,o", output_file("FILE")->default_value("-"), "where to; - is standard output")
      ("format", format_words(), about_format.c_str())
      ("digits", digits_value(), kDigitsHelp);
  // clang-format on
  table.mode = mode_of;
  return table;
}

ExitCode run_generate(const Given& given) {
  const po::variables_map& values = given.values;
  const auto text = [&](const char* name) { return values[name].as<std::string>(); };
  const std::vector<std::string> kinds = kind_names();
  if (std::ranges::find(kinds, text("kind")) == kinds.end())
    refuse_word("--kind", text("kind"), kinds);
  const auto n = values["n"].as<Index>();
  if (n == 0) throw UsageError("--n must be at least 1");
  const auto seed = values["seed"].as<std::uint64_t>();
  const FileFormat format = output_format(values, "format", text("output"));

  const auto nrhs = values["nrhs"].as<Index>();
  // A, and [A | b] beside it. If n + nrhs overflows, n x nrhs numbers exceed any memory.
  const Index cols = nrhs > std::numeric_limits<Index>::max() - n ? nrhs : n + nrhs;
  io::require_memory("the system", n, cols, 2);

  const bool narrow =
      parse_word<RealType>("type", text("type"),
                           {{"f32", RealType::f32}, {"f64", RealType::f64}}) == RealType::f32;
  const WriteOptions written = write_options(values, format);

  OutputFile file(text("output"));
  System system{generate_matrix(text("kind"), n, seed), {}};
  if (narrow) round_to_f32(system.a);
  system.b = make_rhs(text("rhs"), system.a, nrhs, seed);
  if (narrow) round_to_f32(system.b);
  write_system(file, system, format, written);
  file.commit();
  return ExitCode::ok;
}

}  // namespace clgauss::cli
