#include <fmt/format.h>

#include <clgauss/io.hpp>
#include <clgauss/lab/generate.hpp>
#include <limits>

#include "cli/commands.hpp"
#include "io/memory.hpp"

namespace clgauss::cli {

namespace {

constexpr CommandHelp kHelp{
    "clgauss generate --kind KIND --n N [options]",
    "Writes a test system [A | b], by default with b = A times ones so that the answer is all "
    "ones. One seed gives the\n"
    "same numbers on every machine.",
    "  clgauss generate --kind random --n 1012 --seed 1 -o s.txt\n"
    "  clgauss generate --kind hilbert --n 8 --rhs none -o hilbert.mtx\n"
    "  clgauss generate --kind graded --n 100 --rhs random --nrhs 3 -o g.npy"};

std::string kinds_text() {
  std::string text = "one of:";
  for (const MatrixKind& kind : matrix_kinds())
    text += fmt::format("\n  {}: {}", kind.name, kind.description);
  return text;
}

/// The right-hand sides that --rhs asks for; without columns for "none".
Matrix make_rhs(std::string_view name, const Matrix& a, Index nrhs, std::uint64_t seed) {
  const Index n = a.rows();
  enum class Rhs { row_sums, ones, random, none };
  const auto rhs = parse_word<Rhs>("rhs", name,
                                   {{"row-sums", Rhs::row_sums},
                                    {"ones", Rhs::ones},
                                    {"random", Rhs::random},
                                    {"none", Rhs::none}});
  if (rhs != Rhs::random && nrhs != 1)
    throw UsageError("--nrhs needs --rhs random; the other right-hand sides are one column");
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

ExitCode run_generate(const Arguments& arguments) {
  po::options_description options("Options");
  // clang-format off
  options.add_options()
      ("kind", po::value<std::string>()->required()->value_name("KIND"), kinds_text().c_str())
      ("n", po::value<Index>()->required()->value_name("N"), "unknowns")
      ("seed", po::value<std::uint64_t>()->default_value(1)->value_name("S"),
       "seed of the random numbers")
      ("rhs", po::value<std::string>()->default_value("row-sums")->value_name("WHAT"),
       "row-sums (the answer is all ones), ones, random, or none (A alone)")
      ("nrhs", po::value<Index>()->default_value(1)->value_name("M"), "columns of --rhs random")
      ("format", po::value<std::string>()->value_name("F"),
       "text, mtx, npy, csv, tsv, npz, mat or h5; else by the extension of -o")
      ("output,o", po::value<std::string>()->default_value("-")->value_name("FILE"),
       "where to; - is standard output");
  // clang-format on
  const auto values = parse_options(arguments, options, kHelp);
  if (!values) return ExitCode::ok;
  const auto text = [&](const char* name) { return (*values)[name].as<std::string>(); };
  const auto n = (*values)["n"].as<Index>();
  if (n == 0) throw UsageError("--n must be at least 1");
  const auto seed = (*values)["seed"].as<std::uint64_t>();
  const FileFormat format = output_format(*values, "format", text("output"));

  const auto nrhs = (*values)["nrhs"].as<Index>();
  // A, and [A | b] beside it; a sum beyond all numbers is beyond all memory as well.
  const Index cols = nrhs > std::numeric_limits<Index>::max() - n ? nrhs : n + nrhs;
  io::require_memory("the system", n, cols, 2);

  OutputFile file(text("output"));
  System system{generate_matrix(text("kind"), n, seed), {}};
  system.b = make_rhs(text("rhs"), system.a, nrhs, seed);
  write_system(file, system, format);
  file.commit();
  return ExitCode::ok;
}

}  // namespace clgauss::cli
