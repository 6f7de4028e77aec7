/// Vatutin, Martynov and Titov, "Real performance of modern video cards with CUDA in matrix multiplication" (2013-14): tables 1 to 6.

#include <fmt/format.h>

#include "tuner/reproduce/latency.hpp"
#include "tuner/reproduce/matmul_cases.hpp"
#include "tuner/reproduce/published.hpp"

namespace clgauss::tune {

namespace {

constexpr const char* kFile = "matmul_ladder.cl";
constexpr std::array<std::size_t, 6> kBlocks{1, 2, 4, 8, 16, 32};
constexpr std::uint64_t kCachedBytes = 1U << 20U;

std::string block_parameter(std::size_t block) { return fmt::format("BLOCK={}", block); }

MatmulKernel kernel_of(std::string name, std::size_t block) {
  MatmulKernel kernel;
  kernel.file = kFile;
  kernel.name = std::move(name);
  kernel.defines = {{"BLOCK", std::to_string(block)}};
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
  global("latency_global", uncached_bytes(context.profile()));
  global("latency_cached", kCachedBytes);
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
    for (MatmulRung& rung : ladder_rungs(laboratory.context.profile(), n))
      cases.push_back(at.device(std::move(rung)));
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

/// The document's gain over the naive rung: 2 tG / (tG + tG / n + tS) for the buffered ones, tG / (tG / B + tS) for the blocked.
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
        naive_ns_(measured.ns({.kernel = "naive", .n = n})),
        copies_ns_(sum(measured.ns({.kernel = "transfer", .n = n, .part = "copy_in"}),
                       measured.ns({.kernel = "transfer", .n = n, .part = "copy_out"}))) {}

  [[nodiscard]] report::Table table() const {
    report::Table table{fmt::format("n = {}; published: i7 4770 with GTX 770; here t1 + t3 = {} ms",
                                    n_, cell(ratio(copies_ns_, 1e6))),
                        {"rung", "published t, s", "GFLOP/s", "over naive", "here t2, ms",
                         "GFLOP/s", "with t1 + t3", "over naive", "theory", ""},
                        {},
                        true};
    for (const char* rung : {"naive", "buffered_column", "buffered_row"}) add(table, rung, 0);
    for (const char* rung : {"blocked", "blocked_4"})
      for (const std::size_t block : kBlocks)
        if (rung == std::string_view("blocked") || block % 4 == 0) add(table, rung, block);
    for (const char* rung :
         {"clgauss_gemm", "cpu_naive", "cpu_buffered_column", "cpu_blocked", "openblas"})
      add(table, rung, 0);
    return table;
  }

 private:
  static std::optional<double> sum(const std::optional<double>& a, const std::optional<double>& b) {
    return a && b ? std::optional<double>(*a + *b) : std::nullopt;
  }

  void add(report::Table& table, std::string_view rung, std::size_t block) const {
    const std::string parameter = block > 0 ? block_parameter(block) : "";
    Measured::Wanted wanted{.kernel = rung, .n = n_};
    if (block > 0) wanted.parameters = parameter;
    const Point* point = measured_.find(wanted);
    if (point == nullptr) return;
    const auto ns = measured_.ns(wanted);
    const bool on_cpu = rung.starts_with("cpu") || rung == "openblas";
    const auto published_s = published::ladder_seconds(rung, n_, block);
    table.rows.push_back({block > 0 ? fmt::format("{} {}", rung, block) : std::string(rung),
                          cell(published_s), cell(ratio(product_flops(n_) / 1e9, published_s)),
                          cell(ratio(published::ladder_seconds("naive", n_, 0), published_s)),
                          cell(ratio(ns, 1e6)), cell(product_gflops(n_, ns)),
                          on_cpu ? "-" : cell(product_gflops(n_, sum(ns, copies_ns_))),
                          cell(ratio(naive_ns_, ns)), cell(theory(latencies_, rung, n_, block)),
                          remark_cell(point->row)});
  }

  const Measured& measured_;
  const Latencies& latencies_;
  std::size_t n_;
  std::optional<double> naive_ns_, copies_ns_;
};

Findings ladder_findings(const std::vector<Row>& rows) {
  const Measured measured(rows);
  const auto cached = measured.ns({.kernel = "latency_cached"});
  const Latencies latencies{measured.ns({.kernel = "latency_global"}),
                            measured.ns({.kernel = "latency_local"})};
  Findings findings;
  findings.remarks.push_back(fmt::format(
      "Latencies: global memory tG = {} ns ({} ns where a cache holds the 1 MiB walked), local "
      "memory tS = {} ns, tG / tS = {}.",
      cell(latencies.global), cell(cached), cell(latencies.local),
      cell(ratio(latencies.global, latencies.local))));
  findings.remarks.emplace_back(
      "Theory: a buffered row or column gains less than 2, tiles of side B gain tG / (tG / B + "
      "tS); the ratios here are of t2, the published ones of t1 + t2 + t3.");
  for (const std::size_t n : measured.sizes_of("naive"))
    findings.tables.push_back(LadderTable(measured, latencies, n).table());
  findings.tables.push_back(untimed_table(measured));
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
