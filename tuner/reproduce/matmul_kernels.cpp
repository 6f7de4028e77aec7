/// Lopatin, report "Matrix multiplication" (2023): table 1.

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <cmath>

#include "statistics.hpp"
#include "tuner/measure/work_groups.hpp"
#include "tuner/reproduce/claims.hpp"
#include "tuner/reproduce/matmul_cases.hpp"
#include "tuner/reproduce/published.hpp"

namespace clgauss::tune {

namespace {

constexpr std::array<std::size_t, 4> kDims{32, 64, 96, 128};
constexpr std::array<std::size_t, 3> kRows{8, 16, 32};

MatmulKernel tile_kernel(const char* file, int number, std::size_t dim, Index n) {
  MatmulKernel kernel;
  kernel.file = file;
  kernel.name = fmt::format("lopatin_{}", number);
  kernel.defines = {{"DIM", std::to_string(dim)}};
  kernel.local = {dim, 1};
  kernel.groups = {groups_for(n, dim), groups_for(n, dim)};
  const std::size_t elements = number == 2   ? dim * (dim + 1)
                               : number == 3 ? dim * (dim + 2)
                               : number == 4 ? dim * (dim + 1)
                                             : 0;
  kernel.local_bytes = elements * sizeof(float);
  return kernel;
}

/// Work-items in a sub-group of `kernel` in groups of `dim`; 0 where the driver does not say.
std::size_t sub_group_width(const cl::Device& device, const cl::Kernel& kernel, std::size_t dim) {
  std::size_t width = 0;
  const cl_int code =
      clGetKernelSubGroupInfo(kernel(), device(), CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                              sizeof dim, &dim, sizeof width, &width, nullptr);
  return code == CL_SUCCESS ? width : 0;
}

/// Kernel 4 or 5 by what the device offers. Throws DeviceLimit where it has no shuffle.
MatmulKernel shuffle_kernel(Context& context, int number, std::size_t dim, Index n) {
  constexpr const char* kExtension = "cl_khr_subgroup_shuffle";
  if (constexpr unsigned kShuffle = 3; context.profile().lacks_ptx(kShuffle).empty()) {
    MatmulKernel kernel = tile_kernel("matmul_shuffle_ptx.cl", number, dim, n);
    kernel.defines.emplace_back("SG_WIDTH", "32");
    return kernel;
  }
  const auto device = context.queue().getInfo<CL_QUEUE_DEVICE>();
  if (device.getInfo<CL_DEVICE_EXTENSIONS>().find(kExtension) == std::string::npos)
    throw DeviceLimit(
        fmt::format("unsupported: no sub-group shuffle ({} is not among the "
                    "extensions of {})",
                    kExtension, context.profile().name));
  MatmulKernel kernel = tile_kernel("matmul_shuffle_khr.cl", number, dim, n);
  Defines guess = kernel.defines;
  guess.emplace_back("SG_WIDTH", "32");
  const Kernel built = context.programs().kernel(kernel.file, kernel.name, guess);
  const std::size_t width = sub_group_width(device, built.handle, dim);
  if (width == 0 || dim % width != 0)
    throw DeviceLimit(
        fmt::format("unsupported: {} work-items are not whole sub-groups of {}", dim, width));
  kernel.defines.emplace_back("SG_WIDTH", std::to_string(width));
  return kernel;
}

}  // namespace

std::vector<MatmulRung> kernels_rungs(Context& context, Index n) {
  std::vector<MatmulRung> rungs;
  for (const std::size_t rows : kRows) {
    MatmulKernel naive = tile_kernel("matmul_kernels.cl", 1, 32, n);
    naive.local = {rows, 1};
    naive.groups = {groups_for(n, rows), n};
    rungs.push_back(rung_of("kernel_1", fmt::format("GROUP={}x1", rows), naive));
  }
  for (const int number : {2, 3, 4, 5})
    for (const std::size_t dim : kDims)
      rungs.push_back({fmt::format("kernel_{}", number), fmt::format("DIM={}", dim), dim,
                       [&context, number, dim, n] {
                         return number <= 3 ? tile_kernel("matmul_kernels.cl", number, dim, n)
                                            : shuffle_kernel(context, number, dim, n);
                       }});
  return rungs;
}

namespace {

std::vector<Case> kernels_cases(const Laboratory& laboratory) {
  std::vector<Case> cases;
  for (const std::size_t n : sizes_or(laboratory.options, {1000})) {
    const MatmulCases at(laboratory, n);
    if (auto refusal = at.too_large()) {
      cases.push_back(std::move(*refusal));
      continue;
    }
    cases.push_back(at.cpu(cpu_naive()));
    for (MatmulRung& rung : kernels_rungs(laboratory.context, n)) {
      const bool twice = rung.name == "kernel_3" && rung.parameters == "DIM=32";
      cases.push_back(at.device(std::move(rung)));
      if (twice) cases.push_back(control_of(cases.back()));
    }
  }
  return cases;
}

std::string time_cell(double mean_ms, double error_ms) {
  return fmt::format("{:.4g} +- {:.2g}", mean_ms, error_ms);
}

/// A speed-up and its standard error, from those of both times.
std::string speedup_cell(const Point* base, const Statistics& times) {
  if (base == nullptr || base->times_ns.empty()) return "-";
  const Statistics of_base = statistics(base->times_ns);
  const double ratio = of_base.mean / times.mean;
  return time_cell(ratio, ratio * std::hypot(of_base.standard_error / of_base.mean,
                                             times.standard_error / times.mean));
}

std::vector<std::string> line(const Point& point, const Point* cpu) {
  const Row& row = point.row;
  const std::string configuration = row.parameters.substr(row.parameters.find('=') + 1);
  const auto published = published::kernel_time(row.kernel, configuration);
  std::vector<std::string> cells{
      configuration.empty() ? row.kernel : fmt::format("{}, {}", row.kernel, configuration),
      published ? time_cell(published->mean_ms, published->standard_error_ms) : "-",
      published ? time_cell(published->speedup, published->speedup_error) : "-"};
  if (point.times_ns.empty()) {
    cells.insert(cells.end(), {"-", "-", "-", "-", remark_cell(row)});
    return cells;
  }
  const Statistics times = statistics(point.times_ns);
  cells.insert(cells.end(), {time_cell(times.mean / 1e6, times.standard_error / 1e6),
                             text_of(estimate(point.times_ns), 1e6, 3), speedup_cell(cpu, times),
                             cell(product_gflops(row.n, times.mean)), remark_cell(row)});
  return cells;
}

std::vector<Claim> kernels_claims(const Measured& measured) {
  const auto sizes = measured.sizes_of("kernel_1");
  if (sizes.empty()) return {};
  const std::size_t n = sizes.back();
  const auto time = [&](std::string_view kernel, std::string_view parameters) {
    return measured.time({.kernel = kernel, .n = n, .parameters = parameters});
  };
  const auto printed = [](std::string_view slow, std::string_view of_slow, std::string_view fast,
                          std::string_view of_fast) {
    return fmt::format("{:.3g} times", published::kernel_time(slow, of_slow)->mean_ms /
                                           published::kernel_time(fast, of_fast)->mean_ms);
  };
  const Judge judge(measured.floor(n));
  const std::string no_tile = "a kernel of both is not there, see above",
                    no_shuffle = "the device has no sub-group shuffle, see above";
  const Point* const loop = measured.find({.kernel = "cpu_naive", .n = n});
  const std::string base = loop != nullptr && loop->row.estimated
                               ? fmt::format(" (the CPU loop here is estimated from {} of {} rows)",
                                             loop->row.steps, loop->row.all_steps)
                               : "";
  std::vector<Claim> claims{
      judge.over("kernel 1: wider groups are faster, 32 against 8",
                 printed("kernel_1", "8x1", "kernel_1", "32x1"),
                 ratio(time("kernel_1", "GROUP=8x1"), time("kernel_1", "GROUP=32x1")), 1, no_tile),
      judge.over("kernel 2: larger tiles are slower, 128 against 32",
                 printed("kernel_2", "128", "kernel_2", "32"),
                 ratio(time("kernel_2", "DIM=128"), time("kernel_2", "DIM=32")), 1, no_tile),
      judge.over("kernel 3 against 2: without bank conflicts it is faster",
                 printed("kernel_2", "32", "kernel_3", "32"),
                 ratio(time("kernel_2", "DIM=32"), time("kernel_3", "DIM=32")), 1, no_tile),
      judge.over("kernel 4 against 3: shuffles are faster than local memory",
                 printed("kernel_3", "32", "kernel_4", "32"),
                 ratio(time("kernel_3", "DIM=32"), time("kernel_4", "DIM=32")), 1, no_shuffle),
      judge.over("kernel 5 against 4: the tile in registers is faster still",
                 printed("kernel_4", "32", "kernel_5", "32"),
                 ratio(time("kernel_4", "DIM=32"), time("kernel_5", "DIM=32")), 1, no_shuffle)};
  const auto five = time("kernel_5", "DIM=32");
  std::optional<Estimate> other;
  for (const Point& point : measured.points())
    if (point.row.n == n && point.row.kernel.starts_with("kernel_") &&
        point.row.kernel != "kernel_5" && !point.times_ns.empty()) {
      const Estimate ns = estimate(point.times_ns);
      if (!other || ns.median < other->median) other = ns;
    }
  claims.push_back(judge.over("kernel 5 is the fastest of all",
                              printed("kernel_4", "32", "kernel_5", "32"), ratio(other, five), 1,
                              no_shuffle));
  claims.push_back(judge.over("kernel 5 is at least 413 times the CPU" + base, "413.15 +- 0.1",
                              ratio(measured.time({.kernel = "cpu_naive", .n = n}), five), 413,
                              no_shuffle));
  return claims;
}

Findings kernels_findings(const std::vector<Row>& rows) {
  const Measured measured(rows);
  Findings findings;
  findings.remarks.emplace_back(
      "Means and their standard errors; the speed-up is over the loop on one core of the CPU.");
  findings.remarks.emplace_back("The document does not say what its `real` is; here it is f32.");
  for (const std::size_t n : measured.sizes_of("kernel_1")) {
    Table table{fmt::format("n = {}{}", n, n == 1000 ? "" : " (published: n = 1000)"),
                {"version, configuration", "published, ms", "speed-up", "here, ms", "median, 95 %",
                 "speed-up", "GFLOP/s", ""},
                {},
                true};
    const Point* cpu = measured.find({.kernel = "cpu_naive", .n = n});
    if (cpu != nullptr && cpu->row.estimated)
      findings.remarks.push_back(
          fmt::format("n = {}: the loop on the CPU is estimated from {} of {} rows, and all "
                      "speed-ups with it; --full times all of them.",
                      n, cpu->row.steps, cpu->row.all_steps));
    for (const Point& point : measured.points())
      if (point.row.n == n) table.rows.push_back(line(point, cpu));
    findings.tables.push_back(std::move(table));
  }
  const auto of_side = [&](const char* side) {
    return measured.ns({.kernel = "kernel_5", .parameters = side});
  };
  if (const auto slower = ratio(of_side("DIM=64"), of_side("DIM=96")); slower && *slower > 1.2)
    findings.remarks.push_back(fmt::format(
        "Kernel 5 takes {} times as long with tiles of 64 as with 96, although it does the same "
        "work. Why cannot be judged here: OpenCL does not tell how many registers a kernel has.",
        cell(slower)));
  std::ranges::move(control_remarks(measured), std::back_inserter(findings.remarks));
  findings.tables.push_back(untimed_table(measured));
  findings.tables.push_back(table_of(kernels_claims(measured)));
  return findings;
}

}  // namespace

Reproduction matmul_kernels() {
  return {"matmul-kernels", "Lopatin 2023: Matrix multiplication", 10, kernels_cases,
          kernels_findings};
}

}  // namespace clgauss::tune
