#include "bench_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <boost/program_options.hpp>
#include <charconv>
#include <clgauss/error.hpp>
#include <sstream>

#include "command_line/command.hpp"

namespace clgauss::bench {

namespace {

namespace po = boost::program_options;

constexpr const char* kAbout =
    "Usage: clgauss-bench WHAT [options]\n\n"
    "Times clgauss against other libraries, in turns (A B A B), after checking every answer.\n"
    "WHAT is one or more of, separated by commas:\n"
    "  gemm     C <- C - A B, square, or with --k the trailing update of an LU\n"
    "  lu       the factorisation alone; it is checked by a solve with the factors\n"
    "  solve    factorisation and solve of one right-hand side\n"
    "  batched  the same for --batch small systems, n <= 128\n"
    "Inputs lie where a library works (device buffers for OpenCL, host memory for openblas) and "
    "are "
    "restored outside\n"
    "the timed region; no transfer is timed.\n";

constexpr const char* kExamples =
    "Examples:\n"
    "  clgauss-bench gemm\n"
    "  clgauss-bench gemm,lu --sizes 1000,2048,4096 --types f64 --peers openblas\n"
    "  clgauss-bench batched --sizes 8,16,32,64,128 --batch 20000\n"
    "  clgauss-bench gemm --k 256 --sizes 4096 --peers none\n"
    "  clgauss-bench solve --device nvidia:h200 --sizes 8192 --reps 11 --csv rows.csv --samples "
    "samples.csv\n\n"
    "Exit codes: 0 ok, 2 usage, 3 bad file, 4 no device, 5 OpenCL failure, 6 out of memory, 8 a "
    "wrong result\n";

po::options_description listed_options() {
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description options("Options");
  // clang-format off
  options.add_options()
      ("sizes", word("N,N,...")->default_value("1000,2048,4096"), "matrix sizes")
      ("types", word("T,T"), "f32, f64 (default: both, as far as the device has them)")
      ("device,d", word("SPEC")->default_value(""), "auto, gpu, cpu, accel, 1:0 or nvidia:h200 (also CLGAUSS_DEVICE)")
      ("peers", word("P,P,..."), "libraries to compare with, or none (default: all compiled in that fit)")
      ("reps", po::value<int>()->default_value(5)->value_name("N"), "timed runs of each contestant")
      ("k", word("K"), "gemm: inner dimension, instead of a square product")
      ("batch", word("N")->default_value("10000"), "batched: systems")
      ("kernel", word("K")->default_value("auto"), "batched: auto, cpu, tile or ptx")
      ("grid", word("G")->default_value("0"), "batched: G x G work-items a system (tile); 0 = chosen by n")
      ("pad", word("P")->default_value("0"), "elements to leave free behind every row (viennacl pads by itself)")
      ("csv", word("FILE"), "add a row a contestant to FILE")
      ("samples", word("FILE"), "add every single time to FILE")
      ("help,h", "show this help");
  // clang-format on
  return options;
}

std::string help_text() {
  std::ostringstream listing;
  listing << listed_options();
  std::string text = fmt::format("{}\n{}\nPeers:\n", kAbout, listing.str());
  for (const Peer& peer : peers())
    text += fmt::format("  {:<10} {}{}{}{}\n", peer.name, peer.about,
                        peer.cpu_only ? "; by default for CPU devices only" : "",
                        peer.not_the_same ? ": there only if --peers names it" : "",
                        peer.compiled_in() ? "" : " (not compiled in)");
  return fmt::format("{}\n{}", text, kExamples);
}

/// The words of a list separated by commas. Throws UsageError for an empty one.
std::vector<std::string> words_of(const char* what, const std::string& text) {
  std::vector<std::string> words;
  boost::split(words, text, boost::is_any_of(","));
  if (std::ranges::any_of(words, &std::string::empty))
    throw UsageError(fmt::format("{} '{}' has an empty item", what, text));
  return words;
}

Index number_of(const char* what, const std::string& text, Index least) {
  Index value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  // 2^20 squared still fits every product of sizes in 64 bits.
  if (read.ec != std::errc{} || read.ptr != end || value < least || value > (Index{1} << 20))
    throw UsageError(
        fmt::format("{} '{}' is not a number between {} and 1048576", what, text, least));
  return value;
}

What what_of(const std::string& word) {
  const auto* const found = std::ranges::find(kAllWhats, word, what_name);
  if (found == std::end(kAllWhats))
    throw UsageError(fmt::format("'{}' is not one of: gemm, lu, solve, batched", word));
  return *found;
}

BatchedKernel kernel_of(const std::string& word) {
  for (const BatchedKernel kernel :
       {BatchedKernel::automatic, BatchedKernel::cpu, BatchedKernel::tile, BatchedKernel::ptx})
    if (word == batched_kernel_name(kernel)) return kernel;
  throw UsageError(fmt::format("--kernel '{}' is not one of: auto, cpu, tile, ptx", word));
}

RealType type_of(const std::string& word) {
  for (const RealType type : {RealType::f32, RealType::f64})
    if (word == real_type_name(type)) return type;
  throw UsageError(fmt::format("--types '{}' is not f32 or f64", word));
}

const Peer* peer_of(const std::string& word) {
  for (const Peer& peer : peers()) {
    if (word != peer.name) continue;
    if (!peer.compiled_in())
      throw UsageError(fmt::format(
          "{} is not compiled in; install its development package and configure again", word));
    return &peer;
  }
  throw UsageError(
      fmt::format("--peers '{}' is not one of: openblas, clblast, viennacl, none", word));
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

std::optional<std::string> word_of(const po::variables_map& values, const char* name) {
  if (values.count(name) == 0) return std::nullopt;
  return values[name].as<std::string>();
}

BenchOptions read_options(const po::variables_map& values) {
  BenchOptions options;
  const auto what = word_of(values, "what");
  if (!what) throw UsageError("say what to time: gemm, lu, solve or batched; --help tells more");
  for (const auto& word : words_of("WHAT", *what)) options.whats.push_back(what_of(word));
  for (const auto& word : words_of("--sizes", values["sizes"].as<std::string>()))
    options.sizes.push_back(number_of("--sizes", word, 1));
  if (const auto types = word_of(values, "types"))
    for (const auto& word : words_of("--types", *types)) options.types.push_back(type_of(word));
  if (const auto named = word_of(values, "peers")) options.peers = peers_of(*named, options.whats);
  if (const auto k = word_of(values, "k")) options.k = number_of("--k", *k, 1);
  if (options.k && std::ranges::find(options.whats, What::gemm) == options.whats.end())
    throw UsageError("--k is for gemm");
  options.device = values["device"].as<std::string>();
  options.reps = values["reps"].as<int>();
  if (options.reps < 1) throw UsageError("--reps must be at least 1");
  options.pad = number_of("--pad", values["pad"].as<std::string>(), 0);
  options.batch = number_of("--batch", values["batch"].as<std::string>(), 1);
  options.batched.kernel = kernel_of(values["kernel"].as<std::string>());
  options.batched.grid =
      static_cast<unsigned>(number_of("--grid", values["grid"].as<std::string>(), 0));
  options.csv = word_of(values, "csv");
  options.samples = word_of(values, "samples");
  return options;
}

}  // namespace

std::optional<BenchOptions> parse_bench_options(const std::vector<std::string>& arguments) {
  po::options_description options = listed_options();
  options.add_options()("what", po::value<std::string>());
  const po::variables_map values = cli::store_options(arguments, options, "what");
  if (values.count("help") > 0) {
    cli::print(help_text());
    return std::nullopt;
  }
  return read_options(values);
}

}  // namespace clgauss::bench
