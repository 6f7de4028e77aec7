/// Vatutin, Martynov and Titov, "Real performance of modern video cards with CUDA in matrix
/// multiplication" (2013-14): tables 1 to 6.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>

#include "statistics.hpp"
#include "tuner/measure/flops.hpp"
#include "tuner/measure/latency.hpp"
#include "tuner/measure/work_groups.hpp"
#include "tuner/reproduce/claims.hpp"
#include "tuner/reproduce/matmul_cases.hpp"
#include "tuner/reproduce/published.hpp"

namespace clgauss::tune {

namespace {

constexpr const char* kFile = "matmul_ladder.cl";
constexpr std::array<std::size_t, 6> kBlocks{1, 2, 4, 8, 16, 32};
constexpr std::uint64_t kCachedBytes = 1U << 20U;
/// What the latency is walked over besides: where it rises, a cache ends.
constexpr std::uint64_t kWalkedBytes[] = {1U << 16U, 1U << 23U, 1U << 25U, 1U << 27U};
/// Of the rungs that go beyond the document's four results a work-item.
constexpr std::size_t kManyResults = 8;

std::string block_parameter(std::size_t block) { return fmt::format("BLOCK={}", block); }

MatmulKernel kernel_of(std::string name, std::size_t block) {
  MatmulKernel kernel;
  kernel.file = kFile;
  kernel.name = std::move(name);
  kernel.defines = {{"BLOCK", std::to_string(block)}, {"RESULTS", std::to_string(kManyResults)}};
  return kernel;
}

}  // namespace

std::vector<MatmulRung> ladder_rungs(const DeviceProfile& device, Index n) {
  std::vector<MatmulRung> rungs;
  const std::size_t side = square_side(device);
  MatmulKernel naive = kernel_of("ladder_naive", 32);
  naive.local = {side, side};
  naive.groups = {groups_for(n, side), groups_for(n, side)};
  rungs.push_back(rung_of("naive", fmt::format("GROUP={0}x{0}", side), naive));
  for (const char* order : {"buffered_column", "buffered_row"}) {
    MatmulKernel buffered = kernel_of(fmt::format("ladder_{}", order), 32);
    buffered.local = {n, 1};
    buffered.groups = {n, 1};
    buffered.local_bytes = n * sizeof(float);
    buffered.local_argument = true;
    rungs.push_back(rung_of(order, "", buffered));
  }
  for (const std::size_t results : {1U, 4U})
    for (const std::size_t block : kBlocks) {
      if (block % results != 0) continue;
      const char* const name = results == 1 ? "blocked" : "blocked_4";
      MatmulKernel blocked = kernel_of(fmt::format("ladder_{}", name), block);
      blocked.local = {block, block / results};
      blocked.groups = {groups_for(n, block), groups_for(n, block)};
      blocked.local_bytes = 2 * block * block * sizeof(float);
      rungs.push_back(rung_of(name, block_parameter(block), blocked));
    }
  struct Variation {
    const char* name;
    std::size_t results;
  };
  constexpr std::size_t largest = kBlocks.back();
  for (const auto& [name, results] :
       {Variation{"blocked_slow", 1}, {"blocked_many", kManyResults}, {"blocked_4_printed", 4}}) {
    if (name == std::string_view("blocked_4_printed") && n % largest != 0) continue;
    MatmulKernel blocked = kernel_of(fmt::format("ladder_{}", name), largest);
    blocked.local = {largest, largest / results};
    blocked.groups = {groups_for(n, largest), groups_for(n, largest)};
    blocked.local_bytes = 2 * largest * largest * sizeof(float);
    rungs.push_back(rung_of(name, block_parameter(largest), blocked));
  }
  return rungs;
}

namespace {

/// tG, of memory that no cache holds and of memory that one does, and tS.
void add_latency_cases(std::vector<Case>& cases, const Laboratory& laboratory) {
  Context& context = laboratory.context;
  const TimingOptions timing = laboratory.options.timing;
  const auto row = [&](const char* kernel, std::uint64_t bytes) {
    Row one = row_for(laboratory.info);
    one.kernel = kernel;
    one.part = "access";
    one.parameters = fmt::format("BYTES={}", bytes);
    one.work = sizeof(float);
    return one;
  };
  const auto global = [&](const char* kernel, std::uint64_t bytes) {
    cases.push_back(single_case(row(kernel, bytes), [&context, bytes, timing] {
      return global_latency(context, bytes, timing);
    }));
  };
  const std::uint64_t uncached = uncached_bytes(context);
  global("latency_global", uncached);
  global("latency_cached", kCachedBytes);
  global("latency_walk", uncached / 2);
  for (const std::uint64_t bytes : kWalkedBytes)
    if (bytes < uncached / 2) global("latency_walk", bytes);
  cases.push_back(single_case(row("latency_local", 4096),
                              [&context, timing] { return local_latency(context, timing); }));
}

std::vector<Case> ladder_cases(const Laboratory& laboratory) {
  std::vector<Case> cases;
  add_latency_cases(cases, laboratory);
  for (const std::size_t n : sizes_or(laboratory.options, {256, 512, 1024, 2048})) {
    const MatmulCases at(laboratory, n);
    if (auto refusal = at.too_large()) {
      cases.push_back(std::move(*refusal));
      continue;
    }
    cases.push_back(at.transfer());
    for (MatmulRung& rung : ladder_rungs(laboratory.context.profile(), n)) {
      const bool twice = rung.name == "blocked" && rung.parameters == block_parameter(32);
      cases.push_back(at.device(std::move(rung)));
      if (twice) cases.push_back(control_of(cases.back()));
    }
    for (const std::size_t block : {1U, 2U})
      cases.push_back(at.constraint("blocked_4", block_parameter(block),
                                    "four results a work-item need BLOCK to be a multiple of 4"));
    cases.push_back(at.clgauss_gemm());
    for (const CpuLoop& loop : {cpu_naive(), cpu_buffered_column(), cpu_blocked()})
      cases.push_back(at.cpu(loop));
    cases.push_back(at.openblas());
  }
  return cases;
}

struct Latencies {
  std::optional<double> global, local;
};

/// The document's gain over the naive rung: 2 tG / (tG + tG / n + tS) for the buffered ones, tG /
/// (tG / B + tS) for the blocked.
std::optional<double> theory(const Latencies& latencies, std::string_view kernel, std::size_t n,
                             std::size_t block) {
  if (!latencies.global || !latencies.local) return std::nullopt;
  const double global = *latencies.global, local = *latencies.local;
  if (kernel.starts_with("buffered"))
    return 2 * global / (global + global / static_cast<double>(n) + local);
  if (kernel == "blocked") return global / (global / static_cast<double>(block) + local);
  return std::nullopt;
}

/// The table of one n.
class LadderTable {
 public:
  LadderTable(const Measured& measured, const Latencies& latencies, std::size_t n)
      : measured_(measured),
        latencies_(latencies),
        n_(n),
        copies_ns_(sum(measured.time({.kernel = "transfer", .n = n, .part = "copy_in"}),
                       measured.time({.kernel = "transfer", .n = n, .part = "copy_out"}))) {}

  [[nodiscard]] Table table() const {
    Table table{fmt::format("n = {}, t = t1 + t2 + t3; published: i7 4770 with GTX 770; here t1 + "
                            "t3 = {} ms",
                            n_, cell(copies_ns_, 1e6)),
                {"rung", "published t, s", "GFLOP/s", "naive / it", "here t, ms", "GFLOP/s",
                 "naive / it", "t2 alone, ms", "naive / it", "theory", ""},
                {},
                true};
    for (const char* rung : {"naive", "buffered_column", "buffered_row"}) add(table, rung, 0);
    for (const char* rung : {"blocked", "blocked_4"})
      for (const std::size_t block : kBlocks)
        if (rung == std::string_view("blocked") || block % 4 == 0) add(table, rung, block);
    for (const char* rung : {"blocked_slow", "blocked_many", "blocked_4_printed"})
      add(table, rung, kBlocks.back());
    for (const char* rung :
         {"clgauss_gemm", "cpu_naive", "cpu_buffered_column", "cpu_blocked", "openblas"})
      add(table, rung, 0);
    return table;
  }

 private:
  static std::optional<Estimate> sum(const std::optional<Estimate>& a,
                                     const std::optional<Estimate>& b) {
    return a && b ? std::optional<Estimate>(*a + *b) : std::nullopt;
  }

  void add(Table& table, std::string_view rung, std::size_t block) const {
    const std::string parameter = block > 0 ? block_parameter(block) : "";
    Measured::Wanted wanted{.kernel = rung, .n = n_};
    if (block > 0) wanted.parameters = parameter;
    const Point* point = measured_.find(wanted);
    if (point == nullptr) return;
    const auto ns = measured_.time(wanted), naive_ns = measured_.time({.kernel = "naive", .n = n_});
    const bool on_cpu = rung.starts_with("cpu") || rung == "openblas";
    const auto whole_ns = on_cpu ? ns : sum(ns, copies_ns_);
    const auto published_s = published::ladder_seconds(rung, n_, block);
    table.rows.push_back({block > 0 ? fmt::format("{} {}", rung, block) : std::string(rung),
                          cell(published_s), cell(ratio(product_flops(n_) / 1e9, published_s)),
                          cell(ratio(published::ladder_seconds("naive", n_, 0), published_s)),
                          cell(whole_ns, 1e6), cell(product_gflops(n_, whole_ns)),
                          cell(ratio(sum(naive_ns, copies_ns_), whole_ns)), cell(ns, 1e6),
                          cell(ratio(naive_ns, ns)), cell(theory(latencies_, rung, n_, block)),
                          remark_cell(point->row)});
  }

  const Measured& measured_;
  const Latencies& latencies_;
  std::size_t n_;
  std::optional<Estimate> copies_ns_;
};

}  // namespace

std::optional<Estimate> ladder_time(const Measured& measured, std::string_view rung, std::size_t n,
                                    std::string_view parameters) {
  Measured::Wanted wanted{.kernel = rung, .n = n};
  if (!parameters.empty()) wanted.parameters = parameters;
  const auto ns = measured.time(wanted);
  if (!ns || rung.starts_with("cpu") || rung == "openblas") return ns;
  const auto in = measured.time({.kernel = "transfer", .n = n, .part = "copy_in"}),
             out = measured.time({.kernel = "transfer", .n = n, .part = "copy_out"});
  return in && out ? std::optional<Estimate>(*ns + *in + *out) : std::nullopt;
}

std::optional<std::size_t> ladder_n(const Measured& measured) {
  const auto sizes = measured.sizes_of("naive");
  if (sizes.empty()) return std::nullopt;
  const auto timed = std::ranges::find_if(sizes.rbegin(), sizes.rend(), [&](std::size_t n) {
    return ladder_time(measured, "naive", n) && ladder_time(measured, "blocked_4", n, "BLOCK=32");
  });
  return timed == sizes.rend() ? sizes.back() : *timed;
}

namespace {

/// On t2 alone, which no transfer hides: the tiles, their theory, and what varies them.
void add_tile_claims(std::vector<Claim>& claims, const Measured& measured,
                     const Latencies& latencies, std::size_t n) {
  const Judge judge(measured.floor(n));
  const std::string not_run = fmt::format("not measured at n = {}", n);
  const std::string largest = block_parameter(kBlocks.back());
  const auto time = [&](std::string_view rung, const std::string& block) {
    return measured.time({.kernel = rung, .n = n, .parameters = block});
  };
  const auto tiles = time("blocked", largest), four = time("blocked_4", largest);
  std::optional<Estimate> smaller;
  for (const std::size_t block : kBlocks)
    if (const auto ns = time("blocked", block_parameter(block));
        block < kBlocks.back() && ns && (!smaller || ns->median < smaller->median))
      smaller = ns;
  claims.push_back(judge.over("table 5: tiles of 32 are the best (t2 alone)", "by table 5",
                              ratio(smaller, tiles), 1, not_run));
  const auto expected = theory(latencies, "blocked", n, kBlocks.back());
  const auto gain = ratio(measured.time({.kernel = "naive", .n = n}), tiles);
  const auto over_theory = expected && gain
                               ? std::optional(*gain / Estimate{*expected, *expected, *expected, 2})
                               : std::nullopt;
  Claim theory_claim =
      judge.between("theory: tiles of 32 gain tG / (tG / 32 + tS), within a fifth (t2 alone)",
                    expected ? significant(*expected, 3) + " times by the latencies here" : "-",
                    over_theory, 0.8, 1.25, "the latencies or the rungs were not measured");
  if (over_theory) theory_claim.here = fmt::format("{} times", cell(gain));
  claims.push_back(std::move(theory_claim));
  claims.push_back(judge.between("text: the slow order of loading costs about 2 times (1.5 to 3)",
                                 "2 times", ratio(time("blocked_slow", largest), tiles), 1.5, 3,
                                 not_run));
  claims.push_back(
      judge.under("text: more than four results a work-item gain nothing (8: under 1.05)", "stated",
                  ratio(four, time("blocked_many", largest)), 1.05, not_run));
  const auto apart = ratio(latencies.global, latencies.local);
  claims.push_back(judge.between(
      "Zhao: local memory answers 20 to 30 times sooner than global memory", "20 to 30 times",
      apart ? std::optional(Estimate{*apart, *apart, *apart, 2}) : std::nullopt, 20, 30,
      "the latencies were not measured"));
  claims.push_back(unjudged("figure 2: a Tesla is no better than a desktop GPU", "figure 2",
                            "one device a page, and no desktop GPU beside it"));
}

/// Of whole times: at the largest n, or, where a buffered rung is not there at it, at the largest
/// that has it.
std::vector<Claim> ladder_claims(const Measured& measured, const Latencies& latencies) {
  const auto sizes = measured.sizes_of("naive");
  if (sizes.empty()) return {};
  const std::size_t n = *ladder_n(measured);
  const std::string not_run = fmt::format("not measured at n = {}", n);
  const Judge judge(measured.floor(n));
  const auto gain_at = [&](std::size_t at, std::string_view slow, std::string_view fast,
                           std::string_view block = {}) {
    return ratio(ladder_time(measured, slow, at), ladder_time(measured, fast, at, block));
  };
  const auto gain = [&](std::string_view slow, std::string_view fast, std::string_view block = {}) {
    return gain_at(n, slow, fast, block);
  };
  const auto printed_at = [](std::size_t at, std::string_view slow, std::string_view fast,
                             std::size_t block, std::string_view machine = published::kGtx770) {
    const auto value = ratio(published::ladder_seconds(slow, at, 0, machine),
                             published::ladder_seconds(fast, at, block, machine));
    return value ? significant(*value, 3) + " times" : std::string("no figure at this n");
  };
  const auto printed = [&](std::string_view slow, std::string_view fast, std::size_t block,
                           std::string_view machine = published::kGtx770) {
    return printed_at(n, slow, fast, block, machine);
  };
  const auto buffered_n = [&](std::string_view rung) {
    const auto found = std::ranges::find_if(sizes.rbegin(), sizes.rend(), [&](std::size_t one) {
      return gain_at(one, "naive", rung).has_value();
    });
    return found == sizes.rend() ? n : *found;
  };
  const std::size_t row_n = buffered_n("buffered_row"), column_n = buffered_n("buffered_column");
  const auto row_gain = gain_at(row_n, "naive", "buffered_row");
  const std::string row_printed = printed_at(row_n, "naive", "buffered_row", 0);
  const Point* const loop = measured.find({.kernel = "cpu_naive", .n = n});
  const std::string base = loop != nullptr && loop->row.estimated
                               ? fmt::format(" (the CPU loop is estimated from {} of {} rows)",
                                             loop->row.steps, loop->row.all_steps)
                               : "";
  std::vector<Claim> claims{
      judge.over("table 1: the naive kernel beats the loop on the CPU" + base,
                 printed("cpu_naive", "naive", 0, published::kGts450), gain("cpu_naive", "naive"),
                 1, not_run),
      judge.over("table 2: the same on the GTX 770" + base, printed("cpu_naive", "naive", 0),
                 gain("cpu_naive", "naive"), 1, not_run),
      judge.over(fmt::format("table 4: a buffered row gains (n = {})", row_n), row_printed,
                 row_gain, 1, not_run),
      judge.under(fmt::format("theory: a buffered row gains less than 2 times (n = {})", row_n),
                  row_printed, row_gain, 2, not_run),
      judge.over(fmt::format("table 4: a buffered column loses (n = {})", column_n),
                 printed_at(column_n, "buffered_column", "naive", 0),
                 gain_at(column_n, "buffered_column", "naive"), 1, not_run),
      judge.over("table 5: tiles of 32 gain", printed("naive", "blocked", 32),
                 gain("naive", "blocked", "BLOCK=32"), 1, not_run),
      judge.over("table 6: with four results a work-item more", printed("naive", "blocked_4", 32),
                 gain("naive", "blocked_4", "BLOCK=32"), 1, not_run),
      judge.over("text: over 2000 times the loop on the CPU" + base,
                 printed("cpu_naive", "blocked_4", 32) + " by table 6",
                 gain("cpu_naive", "blocked_4", "BLOCK=32"), 2000, not_run),
      judge.over("text: nearly 60 times the best loop on one core", "60 times, n = 2048",
                 gain("cpu_blocked", "blocked_4", "BLOCK=32"), 60, not_run),
      judge.over("text: the best loop is 35 times the naive one" + base, "35 times, n = 2048",
                 gain("cpu_naive", "cpu_blocked"), 35, not_run)};
  add_tile_claims(claims, measured, latencies, n);
  const auto best = product_gflops(n, ladder_time(measured, "blocked_4", n, "BLOCK=32"));
  claims.push_back(judge.over(
      "text: 344 GFLOP/s with transfers",
      fmt::format("344, n = 2048; 2 n^3 over table 6's time is {:.3g}",
                  product_flops(2048) / 1e9 / *published::ladder_seconds("blocked_4", 2048, 32)),
      best, 344, not_run));
  const std::size_t least = sizes.front();
  const auto floor_ns = ladder_time(measured, "blocked", least, "BLOCK=32");
  claims.push_back(
      {"not said, but in table 5: no time is below 50 ms, in table 6 they are down to "
       "0.5 ms, so their gains at small n are of something else",
       fmt::format("{} s at n = 256, tiles of 32",
                   cell(published::ladder_seconds("blocked", 256, 32))),
       floor_ns ? fmt::format("{} ms at n = {}", cell(floor_ns, 1e6), least) : "-",
       floor_ns ? (floor_ns->high < 50e6 ? "no such floor here" : "as slow here")
                : "cannot be judged here: " + not_run});
  return claims;
}

/// The latency over the bytes that are walked, and whether twice as many change anything.
std::string walked_words(const Measured& measured) {
  std::map<std::size_t, double> walked;
  for (const Point& point : measured.points())
    if (point.row.kernel.starts_with("latency_") && point.row.kernel != "latency_local" &&
        !point.times_ns.empty())
      walked[std::strtoull(point.row.parameters.c_str() + sizeof "BYTES=" - 1, nullptr, 10)] =
          median(point.times_ns);
  if (walked.size() < 3) return {};  // rows of the first designs
  std::string text =
      "Latency by the bytes of a random walk, each repetition going on where the "
      "last one ended:";
  for (const auto& [bytes, ns] : walked)
    text += fmt::format(" {} MiB {} ns,", significant(static_cast<double>(bytes) / (1U << 20U), 3),
                        significant(ns, 3));
  text.back() = '.';
  const double last = walked.rbegin()->second, before = std::next(walked.rbegin())->second;
  constexpr double flat = 1.1;
  return text + (last <= flat * before ? " Twice as many bytes change nothing: no cache counts."
                                       : " It still rises: tG is a lower bound.");
}

Findings ladder_findings(const std::vector<Row>& rows) {
  const Measured measured(rows);
  const auto cached = measured.ns({.kernel = "latency_cached"});
  const std::string walked = walked_words(measured);
  const auto global = measured.ns({.kernel = "latency_global"});
  const Latencies latencies{walked.empty() ? std::nullopt : global,
                            measured.ns({.kernel = "latency_local"})};
  Findings findings;
  if (global && walked.empty())
    findings.remarks.push_back(fmt::format(
        "The latency of global memory cannot be judged here, nor can a theory that stands on it: "
        "these rows walk the same 7.7 MB again and again, which a cache holds ({} ns).",
        cell(global)));
  else
    findings.remarks.push_back(fmt::format(
        "Latencies: global memory tG = {} ns ({} ns where a cache holds the 1 MiB walked), local "
        "memory tS = {} ns, tG / tS = {}.",
        cell(latencies.global), cell(cached), cell(latencies.local),
        cell(ratio(latencies.global, latencies.local))));
  if (!walked.empty()) findings.remarks.push_back(walked);
  findings.remarks.emplace_back(
      "Theory: a buffered row or column gains less than 2, tiles of side B gain tG / (tG / B + "
      "tS). Published gains are of t1 + t2 + t3, so ours are, too; those of t2 alone stand beside "
      "them.");
  for (const std::size_t n : measured.sizes_of("naive"))
    findings.tables.push_back(LadderTable(measured, latencies, n).table());
  std::ranges::move(control_remarks(measured), std::back_inserter(findings.remarks));
  findings.tables.push_back(untimed_table(measured));
  findings.tables.push_back(table_of(ladder_claims(measured, latencies), ladder_n(measured)));
  return findings;
}

}  // namespace

Reproduction matmul_ladder() {
  return {"matmul-ladder",
          "Vatutin, Martynov, Titov 2013: Real performance of modern video cards in matrix "
          "multiplication",
          5, ladder_cases, ladder_findings};
}

}  // namespace clgauss::tune
