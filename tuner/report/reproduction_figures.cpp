#include "tuner/report/reproduction_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "statistics.hpp"
#include "tuner/reproduce/bandwidth_rates.hpp"
#include "tuner/reproduce/findings.hpp"
#include "tuner/reproduce/matmul_cases.hpp"
#include "tuner/reproduce/published.hpp"

namespace clgauss::tune::report {

namespace {

void add_point(Series& series, double x, const std::optional<Estimate>& y) {
  if (!y) return;
  series.x.push_back(x);
  series.y.push_back(y->median);
  series.low.push_back(y->low);
  series.high.push_back(y->high);
}

/// A printed number: without an interval.
std::optional<Estimate> printed(const std::optional<double>& number) {
  return number ? std::optional<Estimate>(Estimate{*number, *number, *number, 2}) : std::nullopt;
}

/// Several series over named categories, which give each series its value: the rows of a figure.
class Rows {
 public:
  explicit Rows(const std::vector<std::string>& labels) {
    for (const std::string& label : labels) series_.push_back({label, Style::points});
  }

  /// A category that none of the series has is left out.
  void add(const std::string& name, const std::vector<std::optional<Estimate>>& values) {
    if (std::ranges::none_of(values, [](const auto& value) { return value.has_value(); })) return;
    names_.push_back(name);
    for (std::size_t s = 0; s < values.size(); ++s)
      add_point(series_[s], static_cast<double>(names_.size() - 1), values[s]);
  }

  [[nodiscard]] Figure figure(Figure figure) const {
    figure.rows = names_;
    figure.series = series_;
    std::erase_if(figure.series, [](const Series& series) { return series.x.empty(); });
    return figure;
  }

 private:
  std::vector<Series> series_;
  std::vector<std::string> names_;
};

/// A rung with its block, as rows and figures name it.
struct Rung {
  const char* kernel;
  std::size_t block;

  [[nodiscard]] std::optional<Estimate> ns(const Measured& measured, std::size_t n) const {
    const std::string parameters = fmt::format("BLOCK={}", block);
    Measured::Wanted wanted{.kernel = kernel, .n = n};
    if (block > 0) wanted.parameters = parameters;
    return measured.time(wanted);
  }
  /// t1 + t2 + t3, as published.
  [[nodiscard]] std::optional<Estimate> whole_ns(const Measured& measured, std::size_t n) const {
    return ladder_time(measured, kernel, n, block > 0 ? fmt::format("BLOCK={}", block) : "");
  }
  [[nodiscard]] std::string name() const {
    return block > 0 ? fmt::format("{} {}", kernel, block) : std::string(kernel);
  }
};

constexpr Rung kRungs[]{{"naive", 0},        {"buffered_column", 0}, {"buffered_row", 0},
                        {"blocked", 2},      {"blocked", 4},         {"blocked", 8},
                        {"blocked", 16},     {"blocked", 32},        {"blocked_4", 4},
                        {"blocked_4", 8},    {"blocked_4", 16},      {"blocked_4", 32},
                        {"clgauss_gemm", 0}, {"cpu_naive", 0},       {"cpu_blocked", 0}};

Figure ladder_lines(const Measured& measured) {
  Figure figure;
  figure.name = "ladder-n";
  figure.title = "The ladder against n";
  figure.caption =
      "GFLOP/s of the multiplication alone (t2). The published figures in the tables include the "
      "transfers.";
  figure.x = {.label = "n", .log = true, .step = 2};
  figure.y = {.label = "speed", .unit = "GFLOP/s", .log = true};
  for (const Rung& rung :
       {Rung{"naive", 0}, Rung{"buffered_column", 0}, Rung{"buffered_row", 0}, Rung{"blocked", 32},
        Rung{"blocked_4", 32}, Rung{"clgauss_gemm", 0}, Rung{"cpu_naive", 0}}) {
    Series series{rung.name(), Style::line_points};
    for (const std::size_t n : measured.sizes_of("naive"))
      add_point(series, static_cast<double>(n), product_gflops(n, rung.ns(measured, n)));
    if (!series.x.empty()) figure.series.push_back(std::move(series));
  }
  return figure;
}

Figure ladder_gains(const Measured& measured, std::size_t n) {
  Rows rows({"published (GTX 770)", "here"});
  const auto naive_ns = Rung{"naive", 0}.whole_ns(measured, n);
  const auto naive_s = published::ladder_seconds("naive", n, 0);
  for (const Rung& rung : kRungs)
    rows.add(rung.name(),
             {printed(ratio(naive_s, published::ladder_seconds(rung.kernel, n, rung.block))),
              ratio(naive_ns, rung.whole_ns(measured, n))});
  Figure figure;
  figure.name = fmt::format("ladder-gains-{}", n);
  figure.title = fmt::format("What each rung gains over the naive kernel, n = {}", n);
  figure.caption =
      "blocked: tiles of 2 to 32; blocked_4: with four results a work-item; cpu: loops on one "
      "core. Whole "
      "times with transfers, published and here.";
  figure.y = {.label = "speed over the naive kernel's", .unit = "times", .log = true, .digits = 3};
  return rows.figure(std::move(figure));
}

std::vector<Figure> ladder_all(const Measured& measured) {
  std::vector<Figure> figures;
  const auto sizes = measured.sizes_of("naive");
  if (sizes.size() > 1) figures.push_back(ladder_lines(measured));
  if (!sizes.empty()) figures.push_back(ladder_gains(measured, *ladder_n(measured)));
  return figures;
}

std::vector<std::string> ladder_verdict(const Measured& measured) {
  const auto largest = ladder_n(measured);
  if (!largest) return {};
  const std::size_t n = *largest;
  const auto naive = Rung{"naive", 0}.whole_ns(measured, n);
  const auto blocked = ratio(naive, Rung{"blocked", 32}.whole_ns(measured, n));
  const auto four = ratio(naive, Rung{"blocked_4", 32}.whole_ns(measured, n));
  if (!blocked || !four) return {};
  const auto published_naive = published::ladder_seconds("naive", n, 0);
  return {fmt::format(
      "Vatutin's ladder, n = {}, with transfers: tiles of 32 in local memory are {} times the "
      "naive kernel "
      "(published {}), with four results a work-item {} times (published {}).",
      n, cell(blocked), cell(ratio(published_naive, published::ladder_seconds("blocked", n, 32))),
      cell(four), cell(ratio(published_naive, published::ladder_seconds("blocked_4", n, 32))))};
}

std::optional<Estimate> ns_of(const Point* point) {
  if (point == nullptr || point->times_ns.empty()) return std::nullopt;
  return estimate(point->times_ns);
}

/// GFLOP/s of kernels 2 to 5 against the side of the tile.
Figure kernels_lines(const Measured& measured, std::size_t n) {
  Figure figure;
  figure.name = fmt::format("kernels-tiles-{}", n);
  figure.title = fmt::format("Kernels 2 to 5 against the side of the tile, n = {}", n);
  figure.caption =
      "2: tile in local memory; 3: padded; 4: row of B by shuffle; 5: tile in registers.";
  figure.x = {.label = "side of the tile"};
  figure.y = {.label = "speed", .unit = "GFLOP/s", .log = true};
  for (const char* kernel : {"kernel_2", "kernel_3", "kernel_4", "kernel_5"}) {
    Series series{kernel, Style::line_points};
    for (const Point& point : measured.points())
      if (point.row.kernel == kernel && point.row.n == n && !point.times_ns.empty())
        add_point(series, static_cast<double>(point.row.local), product_gflops(n, ns_of(&point)));
    if (!series.x.empty()) figure.series.push_back(std::move(series));
  }
  return figure;
}

std::vector<Figure> kernels_all(const Measured& measured) {
  std::vector<Figure> figures;
  const auto published_cpu = published::kernel_time("cpu_naive", "");
  for (const std::size_t n : measured.sizes_of("kernel_1")) {
    Rows rows({"published", "here"});
    const auto cpu_ns = measured.time({.kernel = "cpu_naive", .n = n});
    for (const Point& point : measured.points()) {
      const Row& row = point.row;
      if (row.n != n || !row.kernel.starts_with("kernel_")) continue;
      const std::string configuration = row.parameters.substr(row.parameters.find('=') + 1);
      const auto published = published::kernel_time(row.kernel, configuration);
      if (!published) continue;
      rows.add(
          fmt::format("{}, {}", row.kernel, configuration.substr(0, configuration.find('x'))),
          {printed(published_cpu->mean_ms / published->mean_ms), ratio(cpu_ns, ns_of(&point))});
    }
    Figure figure;
    figure.name = fmt::format("kernels-{}", n);
    figure.title = fmt::format("Speed-up of the five kernels over the loop on the CPU, n = {}", n);
    figure.caption =
        "Kernel and work-items of a group, which are the side of the tile of kernels 2 to 5.";
    figure.y = {.label = "speed over the CPU's", .unit = "times", .log = true, .digits = 3};
    figures.push_back(rows.figure(std::move(figure)));
    if (Figure lines = kernels_lines(measured, n); !lines.series.empty())
      figures.push_back(std::move(lines));
  }
  return figures;
}

std::vector<std::string> kernels_verdict(const Measured& measured) {
  const Point* best = nullptr;
  for (const Point& point : measured.points())
    if (point.row.kernel.starts_with("kernel_") && !point.times_ns.empty() &&
        (best == nullptr || ns_of(&point)->median < ns_of(best)->median))
      best = &point;
  if (best == nullptr) return {};
  const auto cpu_ns = measured.time({.kernel = "cpu_naive", .n = best->row.n});
  return {
      fmt::format("Lopatin's five kernels: the fastest is {} with {}, {} times the loop on the "
                  "CPU (published: kernel_5 with DIM=32, 413 times).",
                  best->row.kernel, best->row.parameters, cell(ratio(cpu_ns, ns_of(best))))};
}

std::vector<Figure> cpu_gpu_all(const Measured& measured) {
  std::vector<Figure> figures;
  for (const std::size_t n : measured.sizes_of("gpu_naive")) {
    Rows rows({"here"});
    for (const auto& [version, label] :
         {std::pair{"cpu_naive", "CPU, serial"}, std::pair{"openmp_ijk", "CPU, ijk"},
          std::pair{"openmp_blocked", "CPU, blocks"}, std::pair{"openmp_ikj", "CPU, ikj"},
          std::pair{"text_naive", "text: naive"}, std::pair{"text_tiles", "text: tiles"},
          std::pair{"text_coalesced", "text: coalesced"},
          std::pair{"text_unrolled", "text: unrolled"}, std::pair{"gpu_naive", "naive"},
          std::pair{"gpu_tiles", "tiles"}, std::pair{"gpu_coalesced", "coalesced"},
          std::pair{"gpu_conflict_free", "no bank conflicts"},
          std::pair{"gpu_unrolled", "unrolled"}})
      rows.add(label, {product_gflops(n, measured.time({.kernel = version, .n = n}))});
    Figure figure;
    figure.name = fmt::format("cpu-gpu-{}", n);
    figure.title = fmt::format("CPU loops and device steps, n = {}", n);
    figure.caption =
        "CPU: serial and parallel loops; text: as the article's words have it, then from strided "
        "accesses and bank conflicts on. The article's own figures did not survive.";
    figure.y = {.label = "speed", .unit = "GFLOP/s", .log = true};
    figures.push_back(rows.figure(std::move(figure)));
  }
  return figures;
}

std::vector<std::string> cpu_gpu_verdict(const Measured& measured) {
  const auto largest = measured.largest_of("text_naive");
  if (!largest) return {};
  const std::size_t n = *largest;
  const auto ns = [&](const char* kernel) { return measured.time({.kernel = kernel, .n = n}); };
  const auto naive = ratio(best_loop(measured, n), ns("text_naive"));
  const auto unrolled = ratio(ns("text_naive"), ns("text_unrolled"));
  if (!naive || !unrolled) return {};
  return {
      fmt::format("Zhao's steps, n = {}: the naive kernel is {} times the best loop on the CPU "
                  "(published: over 400), the last step {} times the naive kernel.",
                  n, cell(naive), cell(unrolled))};
}

Figure sweep_figure(const Rates& rates, std::size_t size, bool over_locals) {
  Figure figure;
  figure.name = fmt::format("bandwidth-{}-{}", over_locals ? "local" : "groups", size);
  figure.title = over_locals ? fmt::format("Work-group size, {} groups, array {} x {}",
                                           kSweepGroups, size, size)
                             : fmt::format("Number of groups, {} work-items each, array {} x {}",
                                           kSweepLocal, size, size);
  figure.caption =
      over_locals
          ? "On the 8800 GTX of 2007: teeth at multiples of 4, 8, 16 and 32, a fall after 384."
          : "On the 8800 GTX of 2007: a saw-tooth by its 16 compute units, peaks at 256, "
            "512, 640 and 768.";
  figure.x.label = over_locals ? "work-items of a group" : "groups";
  figure.y = {.label = "rate", .unit = "GB/s"};
  for (const bool write : {false, true}) {
    Series series{write ? "writes" : "reads", Style::line};
    for (const Rate& rate : over_locals ? rates.over_locals(write) : rates.over_groups(write))
      add_point(series, static_cast<double>(over_locals ? rate.local : rate.groups),
                rate.estimate());
    if (!series.x.empty()) figure.series.push_back(std::move(series));
  }
  return figure;
}

std::vector<Figure> bandwidth_all(const Measured& measured) {
  std::vector<Figure> figures;
  for (const std::size_t size : measured.sizes_of("sum_rows")) {
    const Rates rates(measured, size);
    for (const bool over_locals : {true, false}) {
      Figure figure = sweep_figure(rates, size, over_locals);
      const auto sweeps = [](const Series& series) { return series.x.size() > 1; };
      if (std::ranges::any_of(figure.series, sweeps)) figures.push_back(std::move(figure));
    }
  }
  return figures;
}

std::vector<std::string> bandwidth_verdict(const Measured& measured) {
  const auto sizes = measured.sizes_of("sum_rows");
  if (sizes.empty()) return {};
  const Rates rates(measured, sizes.back());
  const auto any = [](std::size_t, std::size_t) { return true; };
  const auto rows = best_of(rates.of({false, false, 1}, any));
  const auto columns = best_of(rates.of({false, true, 1}, any));
  if (!rows || !columns) return {};
  return {fmt::format(
      "Memory: floats are read at {} GB/s by rows, {} times as fast as by columns (published: 77 "
      "times); best with {} groups of {}.",
      cell(rows->estimate()), cell(ratio(rows->estimate(), columns->estimate())), rows->groups,
      rows->local)};
}

}  // namespace

ReproductionFigures ladder_figures() { return {ladder_all, ladder_verdict}; }
ReproductionFigures kernels_figures() { return {kernels_all, kernels_verdict}; }
ReproductionFigures cpu_gpu_figures() { return {cpu_gpu_all, cpu_gpu_verdict}; }
ReproductionFigures bandwidth_figures() { return {bandwidth_all, bandwidth_verdict}; }

}  // namespace clgauss::tune::report
