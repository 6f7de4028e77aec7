/// Zhao, "Matrix multiplication optimised on CUDA": CPU loops and GPU steps at n = 2048.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tuner/measure/work_groups.hpp"
#include "tuner/reproduce/claims.hpp"
#include "tuner/reproduce/matmul_cases.hpp"
#include "tuner/reproduce/published.hpp"

namespace clgauss::tune {

namespace {

/// The GPU steps in the article's order: what each is called here, its kernel, and the elements of
/// its tiles.
struct Step {
  const char* rung;
  const char* kernel;
  std::size_t tile_elements;
  std::size_t more_columns = 0;  // that the range covers: tiles begin before the first
};

/// As the article's text has them: no bank conflict is there to be mended.
std::vector<Step> text_steps_of(std::size_t tile) {
  return {{"text_naive", "text_naive", 0},
          {"text_tiles", "text_tiles", 2 * tile * tile, 8},
          {"text_coalesced", "text_aligned", 2 * tile * tile},
          {"text_unrolled", "text_unrolled", 2 * tile * tile}};
}

/// From strided accesses and bank conflicts on.
std::vector<Step> steps_of(std::size_t tile) {
  return {{"gpu_naive", "steps_naive", 0},
          {"gpu_tiles", "steps_tiles", 2 * tile * tile},
          {"gpu_coalesced", "steps_coalesced", 2 * tile * tile},
          {"gpu_conflict_free", "steps_padded", 2 * tile * (tile + 1)},
          {"gpu_unrolled", "steps_unrolled", 2 * tile * (tile + 1)}};
}

constexpr std::array<std::string_view, 4> kLoops{"cpu_naive", "openmp_ijk", "openmp_blocked",
                                                 "openmp_ikj"};

}  // namespace

std::vector<MatmulRung> steps_rungs(const DeviceProfile& device, Index n) {
  std::vector<MatmulRung> rungs;
  const std::size_t tile = square_side(device);
  std::vector<Step> steps = text_steps_of(tile);
  std::ranges::move(steps_of(tile), std::back_inserter(steps));
  for (const Step& step : steps) {
    MatmulKernel kernel;
    kernel.file = "matmul_steps.cl";
    kernel.name = step.kernel;
    kernel.defines = {{"TILE", std::to_string(tile)}};
    kernel.local = {tile, tile};
    kernel.groups = {groups_for(n + step.more_columns, tile), groups_for(n, tile)};
    kernel.local_bytes = step.tile_elements * sizeof(float);
    rungs.push_back(rung_of(step.rung, fmt::format("TILE={}", tile), kernel));
  }
  return rungs;
}

namespace {

std::vector<Case> cpu_gpu_cases(const Laboratory& laboratory) {
  std::vector<Case> cases;
  // A CPU's naive kernel would take half a minute at the article's n.
  const bool cpu = laboratory.context.profile().type == DeviceType::cpu;
  for (const std::size_t n : sizes_or(laboratory.options, {cpu ? 1024U : 2048U})) {
    const MatmulCases at(laboratory, n);
    if (auto refusal = at.too_large()) {
      cases.push_back(std::move(*refusal));
      continue;
    }
    for (const CpuLoop& loop : {cpu_naive(), openmp_ijk(), openmp_ikj(), openmp_blocked()})
      cases.push_back(at.cpu(loop));
    for (MatmulRung& rung : steps_rungs(laboratory.context.profile(), n)) {
      const bool twice = rung.name == "text_tiles";
      cases.push_back(at.device(std::move(rung)));
      if (twice) cases.push_back(control_of(cases.back()));
    }
  }
  return cases;
}

/// What the article says of a version, by the name that it has here.
std::string claim(std::string_view rung) {
  const std::string name =
      rung.starts_with("text_") ? "gpu_" + std::string(rung.substr(5)) : std::string(rung);
  return published::steps_claim(name);
}

}  // namespace

std::optional<Estimate> best_loop(const Measured& measured, std::size_t n) {
  std::optional<Estimate> best;
  for (const std::string_view loop : kLoops)
    if (const auto ns = measured.time({.kernel = loop, .n = n});
        ns && (!best || ns->median < best->median))
      best = ns;
  return best;
}

namespace {

Table steps_table(const Measured& measured, std::size_t n) {
  const auto best_cpu = best_loop(measured, n);
  std::optional<Estimate> previous;
  Table table{fmt::format("n = {}; text_*: as the article's words have it; gpu_*: from strided "
                          "accesses and a planted 32-way bank conflict on",
                          n),
              {"version", "published (n = 2048)", "here, ms", "GFLOP/s", "over previous",
               "over best CPU", ""},
              {},
              true};
  const auto add = [&](std::string_view rung) {
    const Point* point = measured.find({.kernel = rung, .n = n});
    if (point == nullptr) return;
    const auto ns = measured.time({.kernel = rung, .n = n});
    table.rows.push_back({std::string(rung), claim(rung), cell(ns, 1e6),
                          cell(product_gflops(n, ns)), cell(ratio(previous, ns)),
                          cell(ratio(best_cpu, ns)), remark_cell(point->row)});
    previous = ns;
  };
  for (const std::string_view loop : kLoops) add(loop);
  for (const auto& steps : {text_steps_of(0), steps_of(0)}) {
    previous.reset();
    for (const Step& step : steps) add(step.rung);
  }
  return table;
}

std::vector<Claim> cpu_gpu_claims(const Measured& measured) {
  const auto largest = measured.largest_of("text_naive");
  if (!largest) return {};
  const std::size_t n = *largest;
  const auto time = [&](std::string_view kernel) {
    return measured.time({.kernel = kernel, .n = n});
  };
  const std::string not_run = fmt::format("not measured at n = {}", n);
  const Judge judge(measured.floor(n));
  // What its words are taken for.
  constexpr double kFaster = 1, kLittle = 2, kClearly = 1.2, kMuch = 2;
  const auto step = [&](const char* claim_text, const char* slow, const char* fast, double least) {
    return judge.over(claim_text, claim(fast), ratio(time(slow), time(fast)), least, not_run);
  };
  std::vector<Claim> claims{
      judge.between("OpenMP is a little faster than one thread (1 to 2 times)", claim("openmp_ijk"),
                    ratio(time("cpu_naive"), time("openmp_ijk")), kFaster, kLittle, not_run),
      step("blocks are clearly faster (1.2 times and more)", "openmp_ijk", "openmp_blocked",
           kClearly),
      step("the order ikj is the fastest on the CPU", "openmp_blocked", "openmp_ikj", kFaster),
      judge.over("the naive kernel is over 400 times the best loop on the CPU", claim("gpu_naive"),
                 ratio(best_loop(measured, n), time("text_naive")), 400, not_run),
      step("tiles in local memory are clearly faster (1.2 times and more)", "text_naive",
           "text_tiles", kClearly),
      step("aligned, coalesced accesses are much faster (2 times and more)", "text_tiles",
           "text_coalesced", kMuch),
      unjudged("without bank conflicts it is somewhat faster", claim("gpu_conflict_free"),
               "by the article's own two rules its tiles have no conflict; planted ones: " +
                   cell(ratio(time("gpu_coalesced"), time("gpu_conflict_free"))) + " times"),
      step("unrolling the loop is faster", "text_coalesced", "text_unrolled", kFaster),
      unjudged("local memory answers 20 to 30 times sooner", "stated",
               "matmul-ladder's table judges it"),
      unjudged("local memory has about 10 times the bandwidth", "stated",
               "no kernel here does nothing but read local memory")};
  const auto unroll = ratio(time("text_coalesced"), time("text_unrolled")),
             tiles = ratio(time("text_naive"), time("text_tiles")),
             aligned = ratio(time("text_tiles"), time("text_coalesced"));
  if (unroll && tiles && aligned) {
    const Estimate& other = tiles->median > aligned->median ? *tiles : *aligned;
    claims.push_back(judge.over("unrolling gains the most of all steps", claim("gpu_unrolled"),
                                *unroll / other, 1, not_run));
  }
  return claims;
}

Findings cpu_gpu_findings(const std::vector<Row>& rows) {
  const Measured measured(rows);
  Findings findings;
  findings.remarks.emplace_back(
      "The article's tables did not survive in its text; what is published here is what the text "
      "says of them.");
  for (const std::size_t n : measured.sizes_of("gpu_naive"))
    findings.tables.push_back(steps_table(measured, n));
  std::ranges::move(control_remarks(measured), std::back_inserter(findings.remarks));
  findings.tables.push_back(untimed_table(measured));
  findings.tables.push_back(table_of(cpu_gpu_claims(measured), measured.largest_of("text_naive")));
  return findings;
}

}  // namespace

Reproduction matmul_cpu_gpu() {
  return {"matmul-cpu-gpu", "Zhao: Matrix multiplication optimised on CUDA", 5, cpu_gpu_cases,
          cpu_gpu_findings};
}

}  // namespace clgauss::tune
