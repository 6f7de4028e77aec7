#include "bench_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <charconv>
#include <clgauss/error.hpp>

#include "command_line/command.hpp"
#include "command_line/typed.hpp"
#include "enumeration.hpp"

namespace clgauss::bench {

namespace {

namespace po = cli::po;

constexpr const char* kAbout =
    "Times clgauss against other libraries, interleaved (A B A B), after checking every answer. "
    "WHAT "
    "is one or more of, separated by commas:\n"
    "  gemm     C <- C - A B, square, or with --k the trailing update of an LU\n"
    "  lu       the factorisation alone; it is checked by a solve with the factors\n"
    "  solve    factorisation and solve of one right-hand side\n"
    "  cholesky the same for a symmetric positive definite matrix, by Cholesky's factors\n"
    "  ldlt     the same for a symmetric indefinite matrix, by L D L^T\n"
    "  lstsq    least squares of 4 n equations with n unknowns, one right-hand side\n"
    "  gelsy    least squares of n and 4 n equations with n unknowns, of the ranks n and 7/8 n, by "
    "gelsy of clgauss.h, from host memory to host memory; one right-hand side\n"
    "  invert   the inverse of a matrix, from its LU\n"
    "  complex  solve of complex numbers, pairs of f32 or f64, with --nrhs right-hand sides; gesv "
    "and solve are those of clgauss.h, from host memory to host memory, as openblas; with "
    "--symmetric a Hermitian matrix by L D L^H, and hesv\n"
    "  hermitian the same as cholesky for a Hermitian matrix of complex numbers\n"
    "  host     gesv and solve of clgauss.h, from host memory to host memory, with --nrhs "
    "right-hand sides: clgauss and openblas are gesv by columns, L, U and ipiv included\n"
    "  gecon    the condition of a matrix by gecon of clgauss.h, from L and U in host memory\n"
    "  batched  solve for --batch systems, n <= 2048\n"
    "  vbatched solve for --batch systems of random n between --smallest and n, from host memory "
    "to host memory by gesv_vbatched of clgauss.h, beside gesv and solve of one after the other\n"
    "  file     whole programs, from an .npy file to x in another: clgauss solve with and without "
    "rcond, NumPy and PyTorch (on its GPU) where python3 has them\n"
    "  cold     clgauss solve as a whole program on a device that it never saw: its caches and the "
    "driver's are empty; beside it, the same once more, and both by a Python program, where "
    "python3 "
    "has clgauss\n"
    "file and cold leave Python's programs out with --peers none.\n"
    "Inputs lie where a library works (device buffers for OpenCL, host memory for openblas) and "
    "are restored outside the timed region; no transfer is timed, except by host, vbatched, gecon, "
    "gelsy and complex's gesv, hesv and solve. "
    "The "
    "peers:";

constexpr const char* kExamples =
    "clgauss-bench gemm\n"
    "clgauss-bench gemm,lu --sizes 1000,2048,4096 --types f64 --peers openblas\n"
    "clgauss-bench batched --sizes 8,16,32,64,128 --batch 20000\n"
    "clgauss-bench vbatched --sizes 200 --smallest 10 --batch 200\n"
    "clgauss-bench gemm --k 256 --sizes 4096 --peers none\n"
    "clgauss-bench file --sizes 8010 --reps 3\n"
    "clgauss-bench host --device gpu --sizes 1000,8000 --types f64\n"
    "clgauss-bench cold --device gpu --sizes 50,1000,4000 --reps 3 --csv rows.csv\n"
    "clgauss-bench solve --device nvidia:h200 --sizes 8192 --reps 11 --csv rows.csv --samples "
    "samples.csv";

constexpr BatchedKernel kKernels[] = {
    BatchedKernel::automatic, BatchedKernel::cpu,    BatchedKernel::each,  BatchedKernel::tile,
    BatchedKernel::ptx,       BatchedKernel::panels, BatchedKernel::blocks};

const std::vector<std::string> kTypes{"f32", "f64"};

std::vector<std::string> what_names() {
  std::vector<std::string> names;
  for (const What what : kAllWhats) names.emplace_back(what_name(what));
  return names;
}

std::vector<std::string> peer_names() {
  std::vector<std::string> names{"none"};
  for (const Peer& peer : peers()) names.emplace_back(peer.name);
  return names;
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const BatchedKernel kernel : kKernels) names.emplace_back(batched_kernel_name(kernel));
  return names;
}

std::string about_text() {
  std::string text = kAbout;
  for (const Peer& peer : peers())
    text += fmt::format("\n  {:<9} {}{}{}{}", peer.name, peer.about,
                        peer.cpu_only ? "; by default for CPU devices only" : "",
                        peer.not_the_same ? ": there only if --peers names it" : "",
                        peer.compiled_in() ? "" : " (not compiled in)");
  return text;
}

/// The words of a list separated by commas. Throws UsageError for an empty one.
std::vector<std::string> words_of(const char* what, const std::string& text) {
  std::vector<std::string> words;
  boost::split(words, text, boost::is_any_of(","));
  if (std::ranges::any_of(words, &std::string::empty))
    throw UsageError(fmt::format("{} '{}' has an empty item", what, text));
  return words;
}

constexpr Index kLargest = Index{1} << 20;  // its square still fits every product in 64 bits

Index number_of(const char* what, const std::string& text, Index least) {
  Index value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || value < least || value > kLargest)
    throw UsageError(
        fmt::format("{} '{}' is not a number between {} and {}", what, text, least, kLargest));
  return value;
}

What what_of(const std::string& word) {
  const auto* const found = std::ranges::find(kAllWhats, word, what_name);
  if (found == std::end(kAllWhats)) cli::refuse_word("WHAT", word, what_names());
  return *found;
}

BatchedKernel kernel_of(const std::string& word) {
  for (const BatchedKernel kernel : kKernels)
    if (word == batched_kernel_name(kernel)) return kernel;
  cli::refuse_word("--kernel", word, kernel_names());
}

RealType type_of(const std::string& word) {
  for (const RealType type : {RealType::f32, RealType::f64})
    if (word == real_type_name(type)) return type;
  cli::refuse_word("--types", word, kTypes);
}

const Peer* peer_of(const std::string& word) {
  for (const Peer& peer : peers()) {
    if (word != peer.name) continue;
    if (!peer.compiled_in())
      throw UsageError(fmt::format(
          "{} is not compiled in; install its development package and configure again", word));
    return &peer;
  }
  cli::refuse_word("--peers", word, peer_names());
}

std::vector<const Peer*> peers_of(const std::string& text, const std::vector<What>& whats) {
  std::vector<const Peer*> named;
  if (text == "none") return named;
  for (const std::string& word : words_of("--peers", text)) {
    const Peer* const peer = peer_of(word);
    if (std::ranges::none_of(whats, [&](What what) { return peer->does(what); }))
      throw UsageError(fmt::format("{} does none of what is to be timed", word));
    if (std::ranges::find(named, peer) == named.end()) named.push_back(peer);
  }
  return named;
}

constexpr unsigned bit_of(What what) { return 1U << static_cast<unsigned>(what); }
template <typename Predicate>
constexpr unsigned bits_of(const Predicate& which) {
  unsigned bits = 0;
  for (const What what : kAllWhats)
    if (which(what)) bits |= bit_of(what);
  return bits;
}
constexpr unsigned kMatch = 1U << std::size(kAllWhats), kBreakdown = 2 * kMatch;

constexpr bool has_launches(What what) {
  return !starts_programs(what) && what != What::host && what != What::vbatched &&
         what != What::gecon && what != What::gelsy;
}
constexpr bool has_leading_dimension(What what) {
  return what == What::gemm || what == What::lu || what == What::solve || what == What::cholesky ||
         what == What::ldlt || what == What::invert;
}

/// What is timed, one or several.
std::string names_of(unsigned bits) {
  std::vector<std::string_view> names;
  for (const What what : kAllWhats)
    if ((bits & bit_of(what)) != 0) names.push_back(what_name(what));
  return enumeration(names, "and");
}

cli::Where of(unsigned whats, std::string value = {}) {
  return {whats, names_of(whats), std::move(value)};
}
cli::Where of(What what) { return of(bit_of(what)); }

std::vector<What> whats_of(const po::variables_map& values) {
  std::vector<What> whats;
  for (const auto& word : words_of("WHAT", values["what"].as<std::string>()))
    whats.push_back(what_of(word));
  return whats;
}

cli::Mode mode_of(const po::variables_map& values) {
  const bool breakdown = values["breakdown"].as<bool>();
  unsigned bits = breakdown ? kBreakdown : kMatch;
  for (const What what : whats_of(values)) bits |= bit_of(what);
  return {bits,
          "with " + (breakdown ? std::string("--breakdown") : values["what"].as<std::string>())};
}

std::optional<std::string> word_of(const po::variables_map& values, const char* name) {
  if (values.count(name) == 0) return std::nullopt;
  return values[name].as<std::string>();
}

}  // namespace

cli::CommandTable bench_table() {
  static const std::string about = about_text();
  const cli::Where kMatches{kMatch, "comparisons, without --breakdown"};
  cli::CommandTable table{"WHAT [options]", about, kExamples, {}, "what"};
  // clang-format off
  table.group("What")
      ("what", cli::words("WHAT", what_names())->required(), "gemm, lu, solve, host, batched, vbatched, file, cold, or several, separated by commas")
      ("sizes", cli::text("LIST")->default_value("1000,2048,4096"), "n: numbers and ranges first:last:step")
      ("types", cli::words("LIST", kTypes), "f32, f64 (default: both, as far as the device has them)",
       {of(bits_of([](What what) { return !starts_programs(what); }), "f32")})
      ("peers", cli::words("LIST", peer_names()), "libraries to compare with, or none (default: all compiled in that fit)", {kMatches})
      ("reps", po::value<int>()->default_value(5)->value_name("N"), "timed runs of each contestant", {kMatches})
      ("breakdown", po::bool_switch(), "where clgauss's time goes, by the device's clock, instead of the comparison")
      ("k", cli::text("K"), "gemm: inner dimension, instead of a square product", {of(What::gemm)})
      ("nrhs", cli::text("N")->default_value("1"), "host, complex, batched: right-hand sides; 0 = as many as rows (batched: libraries have 1)",
       {of(bits_of(has_right_hand_sides))})
      ("batch", cli::text("N")->default_value("10000"), "batched, vbatched: systems",
       {of(bit_of(What::batched) | bit_of(What::vbatched))})
      ("smallest", cli::text("N")->default_value("0"), "vbatched: the least n; 0 = a twentieth of the largest", {of(What::vbatched)})
      ("kernel", cli::words("K", kernel_names())->default_value("auto"), "batched: auto, cpu, each, tile, ptx, panels or blocks", {of(What::batched)})
      ("definite", po::bool_switch(), "batched: symmetric (complex: Hermitian) positive definite systems, by Cholesky", {of(What::batched)})
      ("symmetric", po::bool_switch(), "batched: symmetric indefinite systems, n <= 256, by L D L^T; complex: Hermitian ones",
       {of(bit_of(What::batched) | bit_of(What::complex_solve))})
      ("rook", po::bool_switch(), "ldlt: with rook pivoting", {of(What::ldlt)})
      ("complex", po::bool_switch(), "batched: of complex numbers, c32 and c64")
      ("grid", cli::text("G")->default_value("0"), "batched: G x G work-items a system (tile); 0 = chosen by n", {of(What::batched)})
      ("pad", cli::text("P")->default_value("0"), "elements to leave free behind every row (viennacl pads by itself)",
       {of(bits_of(has_leading_dimension))});
  cli::add_kernels_option(cli::add_device_option(table));
  auto report = table.group("Report");
  report
      ("csv", cli::file("FILE"), "add a row a contestant to FILE")
      ("samples", cli::file("FILE"), "add every single time to FILE", {kMatches});
  cli::add_json_option(report);
  // clang-format on
  table.restrict_option("json", kMatches);
  table.mode = mode_of;
  return table;
}

BenchOptions bench_options(const po::variables_map& values) {
  BenchOptions options;
  options.whats = whats_of(values);
  options.sizes = cli::parse_sizes("sizes", values["sizes"].as<std::string>());
  if (options.sizes.back() > kLargest)
    throw UsageError(fmt::format("--sizes {} is above {}", options.sizes.back(), kLargest));
  if (const auto types = word_of(values, "types"))
    for (const auto& word : words_of("--types", *types)) options.types.push_back(type_of(word));
  if (const auto named = word_of(values, "peers")) options.peers = peers_of(*named, options.whats);
  if (const auto k = word_of(values, "k")) options.k = number_of("--k", *k, 1);
  options.right_hand_sides = number_of("--nrhs", values["nrhs"].as<std::string>(), 0);
  options.device = values["device"].as<std::string>();
  options.reps = values["reps"].as<int>();
  options.breakdown = values["breakdown"].as<bool>();
  if (options.breakdown && !std::ranges::all_of(options.whats, has_launches))
    throw UsageError("--breakdown belongs to " + names_of(bits_of(has_launches)) + " alone");
  if (options.reps < 1) throw UsageError("--reps must be at least 1");
  options.pad = number_of("--pad", values["pad"].as<std::string>(), 0);
  options.batch = number_of("--batch", values["batch"].as<std::string>(), 1);
  options.smallest = number_of("--smallest", values["smallest"].as<std::string>(), 0);
  options.batched.kernel = kernel_of(values["kernel"].as<std::string>());
  options.batched.grid =
      static_cast<unsigned>(number_of("--grid", values["grid"].as<std::string>(), 0));
  options.batched.positive_definite = values["definite"].as<bool>();
  options.batched.symmetric = values["symmetric"].as<bool>();
  options.batched.complex = values["complex"].as<bool>();
  options.rook = values["rook"].as<bool>();
  const auto is_batched = [](What what) { return what == What::batched; };
  if (options.batched.complex && !std::ranges::all_of(options.whats, is_batched))
    throw UsageError("--complex belongs to batched alone");
  if (options.batched.symmetric && (options.batched.positive_definite || options.batched.complex))
    throw UsageError("--symmetric goes neither with --definite nor with --complex");
  options.csv = word_of(values, "csv");
  options.samples = word_of(values, "samples");
  return options;
}

}  // namespace clgauss::bench
