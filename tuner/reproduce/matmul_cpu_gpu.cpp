/// Zhao, "Matrix multiplication optimised on CUDA": CPU loops and GPU steps at n = 2048.

#include <fmt/format.h>

#include "tuner/measure/work_groups.hpp"
#include "tuner/reproduce/matmul_cases.hpp"
#include "tuner/reproduce/published.hpp"

namespace clgauss::tune {

namespace {

/// The GPU steps in the article's order: what each is called here, its kernel, and the elements of its tiles.
struct Step {
  const char* rung;
  const char* kernel;
  std::size_t tile_elements;
};

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
  for (const Step& step : steps_of(tile)) {
    MatmulKernel kernel;
    kernel.file = "matmul_steps.cl";
    kernel.name = step.kernel;
    kernel.defines = {{"TILE", std::to_string(tile)}};
    kernel.local = {tile, tile};
    kernel.groups = {groups_for(n, tile), groups_for(n, tile)};
    kernel.local_bytes = step.tile_elements * sizeof(float);
    rungs.push_back(rung_of(step.rung, fmt::format("TILE={}", tile), kernel));
  }
  return rungs;
}

namespace {

std::vector<Case> cpu_gpu_cases(const Laboratory& laboratory) {
  std::vector<Case> cases;
  for (const std::size_t n : sizes_or(laboratory.options, {2048})) {
    const MatmulCases at(laboratory, n);
    if (auto refusal = at.too_large()) {
      cases.push_back(std::move(*refusal));
      continue;
    }
    for (const CpuLoop& loop : {cpu_naive(), openmp_ijk(), openmp_ikj(), openmp_blocked()})
      cases.push_back(at.cpu(loop));
    for (MatmulRung& rung : steps_rungs(laboratory.context.profile(), n))
      cases.push_back(at.device(std::move(rung)));
  }
  return cases;
}

/// What the article says of a version, as far as it survived; its tables did not.
std::string_view claim(std::string_view rung) {
  if (rung == "openmp_ijk") return "a little faster than serial";
  if (rung == "openmp_blocked") return "clearly faster than unblocked";
  if (rung == "openmp_ikj") return "the fastest on the CPU: 18.4 s";
  if (rung == "gpu_naive") return "over 400 times the best CPU";
  if (rung == "gpu_tiles") return "clearly faster";
  if (rung == "gpu_coalesced") return "much faster";
  if (rung == "gpu_conflict_free") return "somewhat faster";
  if (rung == "gpu_unrolled") return "the fastest, the largest gain";
  return "";
}

Table table_of(const Measured& measured, std::size_t n) {
  std::optional<double> best_cpu_ns, previous_ns;
  for (const std::string_view loop : kLoops) {
    const auto ns = measured.ns({.kernel = loop, .n = n});
    if (ns && (!best_cpu_ns || *ns < *best_cpu_ns)) best_cpu_ns = ns;
  }
  Table table{fmt::format("n = {}", n),
              {"version", "published (n = 2048)", "here, ms", "GFLOP/s", "over previous",
               "over best CPU", ""},
              {},
              true};
  const auto add = [&](std::string_view rung) {
    const Point* point = measured.find({.kernel = rung, .n = n});
    if (point == nullptr) return;
    const auto ns = measured.ns({.kernel = rung, .n = n});
    table.rows.push_back({std::string(rung), std::string(claim(rung)), cell(ratio(ns, 1e6)),
                          cell(product_gflops(n, ns)), cell(ratio(previous_ns, ns)),
                          cell(ratio(best_cpu_ns, ns)), remark_cell(point->row)});
    previous_ns = ns;
  };
  for (const std::string_view loop : kLoops) add(loop);
  previous_ns.reset();
  for (const Step& step : steps_of(0)) add(step.rung);
  return table;
}

Findings cpu_gpu_findings(const std::vector<Row>& rows) {
  const Measured measured(rows);
  Findings findings;
  findings.remarks.emplace_back(
      "The article's tables did not survive in its text; what is published here is what the text "
      "says of them.");
  for (const std::size_t n : measured.sizes_of("gpu_naive"))
    findings.tables.push_back(table_of(measured, n));
  findings.tables.push_back(untimed_table(measured));
  return findings;
}

}  // namespace

Reproduction matmul_cpu_gpu() {
  return {"matmul-cpu-gpu", "Zhao: Matrix multiplication optimised on CUDA", 5, cpu_gpu_cases,
          cpu_gpu_findings};
}

}  // namespace clgauss::tune
