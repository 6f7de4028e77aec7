#include "tuner/explain/probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <map>
#include <memory>

#include "tuner/experiments/lazy.hpp"
#include "tuner/measure/work_groups.hpp"

namespace clgauss::tune {

namespace {

constexpr std::size_t kDepth = 32, kSlice = 8;  // of probe_product_local
constexpr std::size_t kChecked = 64;            // elements of a result

using Numbers = std::vector<float>;

float copied(const Numbers& a, std::size_t /*n*/, std::size_t at) { return a[at]; }

float neighbours(const Numbers& a, std::size_t n, std::size_t at) {
  return a[at] + a[at > 0 ? at - 1 : 0] + a[std::min(at + 1, n * n - 1)];
}

float stencil(const Numbers& a, std::size_t n, std::size_t at) {
  const std::size_t i = at / n, j = at % n;
  const std::size_t left = j > 0 ? j - 1 : 0, up = i > 0 ? i - 1 : 0;
  const std::size_t right = std::min(j + 1, n - 1), down = std::min(i + 1, n - 1);
  return a[i * n + left] + a[i * n + right] + a[up * n + j] + a[down * n + j] - 4 * a[at];
}

float transposed(const Numbers& a, std::size_t n, std::size_t at) { return a[at % n * n + at / n]; }

float polynomial(const Numbers& a, std::size_t /*n*/, std::size_t at) {
  const float x = a[at] * 0.01F;
  float sum = 1;
  for (int k = 0; k < 64; ++k) sum = sum * x + 0.5F;
  return sum;
}

float product(const Numbers& a, std::size_t n, std::size_t at) {
  float sum = 0;
  for (std::size_t k = 0; k < kDepth; ++k) sum += a[at / n * n + k] * a[k * n + at % n];
  return sum;
}

// work: bytes along x, along y, of an element; flops; reads that wait for each other
constexpr std::array<Probe, 14> kProbes{{
    {"probe_scale",
     1,
     false,
     {8, 0, 4, 1, 1},
     [](const Numbers& a, std::size_t, std::size_t at) { return 2 * a[at]; }},
    {"probe_add",
     1,
     false,
     {12, 0, 4, 1, 1},
     [](const Numbers& a, std::size_t n, std::size_t at) { return a[at] + a[n * n + at]; }},
    {"probe_reverse",
     1,
     false,
     {8, 0, 4, 0, 1},
     [](const Numbers& a, std::size_t n, std::size_t at) { return a[n * n - 1 - at]; }},
    {"probe_neighbours", 1, false, {8, 0, 4, 2, 1}, neighbours},
    {"probe_look_up",
     1,
     false,
     {8, 0, 4, 0, 2},
     [](const Numbers& a, std::size_t, std::size_t at) {
       return a[static_cast<std::size_t>(a[at])];
     }},
    {"probe_polynomial", 1, false, {8, 0, 4, 128, 1}, polynomial},
    {"probe_copy", 2, false, {8, 0, 4, 0, 1}, copied},
    {"probe_rank_one",
     2,
     false,
     {8, 0, 4, 2, 1},
     [](const Numbers& a, std::size_t n, std::size_t at) {
       return a[n * n + at] - a[at % n] * a[at / n];
     }},
    {"probe_stencil", 2, false, {8, 0, 4, 5, 1}, stencil},
    {"probe_transpose", 2, false, {4, 4, 4, 0, 1}, transposed},
    {"probe_neighbours_local", 1, true, {8, 0, 4, 2, 2}, neighbours},
    {"probe_stencil_local", 2, true, {8, 0, 4, 5, 2}, stencil},
    {"probe_transpose_local", 2, true, {4, 4, 4, 0, 2}, transposed},
    {"probe_product_local", 2, true, {4, 0, 4, 2 * kDepth, 1 + 2 * kDepth / kSlice}, product},
}};

/// What all probes of one n share: a, b, and what b is to be at some places.
struct Arrays {
  Numbers numbers;
  cl::Buffer a, b;

  Arrays(Context& context, std::size_t n) : numbers(2 * n * n) {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<float>((i * 2654435761U >> 7U) % 16);
    const std::size_t bytes = numbers.size() * sizeof(float);
    a = context.allocate(bytes, "numbers to read");
    b = context.allocate(bytes / 2, "numbers to write");
    context.queue().enqueueWriteBuffer(a, CL_TRUE, 0, bytes, numbers.data());
  }
};

/// One launch of a probe, or of nothing, as it is timed.
struct ProbeLaunch {
  cl::CommandQueue queue;
  Kernel kernel;
  cl::NDRange range, local;
  std::size_t tile_bytes = 0;  // 0: no local memory

  void run(const Arrays& arrays, std::size_t n, bool empty, std::size_t passes) {
    if (empty)
      kernel.set_arguments(arrays.b);
    else
      kernel.set_arguments(arrays.a, arrays.b, static_cast<cl_uint>(n));
    if (tile_bytes > 0) kernel.set_arguments_from(3, cl::Local(tile_bytes));
    for (std::size_t p = 0; p < passes; ++p) enqueue_kernel(queue, kernel, range, local);
    queue.finish();
  }
};

std::string fault_of(const cl::CommandQueue& queue, const Arrays& arrays, const Probe& probe,
                     std::size_t n) {
  const std::size_t count = n * n;
  std::vector<float> found(count);
  queue.enqueueReadBuffer(arrays.b, CL_TRUE, 0, count * sizeof(float), found.data());
  for (std::size_t c = 0; c < kChecked; ++c) {
    const std::size_t at = c * (count - 1) / (kChecked - 1);
    const float expected = probe.element(arrays.numbers, n, at);
    if (!(std::abs(found[at] - expected) <= 1e-5F * std::max(1.0F, std::abs(expected))))
      return fmt::format("element {} is {}, not {}", at, found[at], expected);
  }
  return {};
}

std::size_t rounded(std::size_t length, std::size_t size) {
  return groups_for(length, size) * size;
}

/// The range and groups of `row`; x-by-y of {0, 0} are left to the driver.
void set_range(ProbeLaunch& launch, const Row& row, unsigned dims, Shape group) {
  const auto [x, y] = group;
  const std::size_t n = row.n;
  if (dims == 1) {
    launch.range = cl::NDRange(x == 0 ? n * n : rounded(n * n, x));
    launch.local = x == 0 ? cl::NullRange : cl::NDRange(x);
  } else {
    launch.range = x == 0 ? cl::NDRange(n, n) : cl::NDRange(rounded(n, x), rounded(n, y));
    launch.local = x == 0 ? cl::NullRange : cl::NDRange(x, y);
  }
}

/// Local memory that holds the tile of any group that may be meant.
std::size_t tile_bytes_of(Shape group, std::size_t max_group) {
  const auto [x, y] = group[0] == 0 ? Shape{max_group, 1} : group;
  return sizeof(float) * std::max((x + 2) * (y + 2), kSlice * (x + y));
}

Shape group_of(const Row& row) {
  if (row.local == 0) return {0, 0};
  const std::size_t at = row.parameters.find("Y=");
  const std::size_t y = at == std::string::npos ? 1 : std::stoul(row.parameters.substr(at + 2));
  return {row.local / y, y};
}

Prepared prepare_probe(Context& context, const Row& row, const std::shared_ptr<Lazy<Arrays>>& made,
                       const TimingOptions& options) {
  const Probe* probe = find_probe(row.kernel);
  const bool empty = probe == nullptr;
  const DeviceProfile& device = context.profile();
  ProbeLaunch launch{
      context.queue(),
      empty ? context.programs().kernel("laboratory.cl", row.kernel, {{"REAL_BITS", "32"}})
            : context.programs().kernel("probe.cl", row.kernel, {}),
      {},
      {},
      0};
  const Shape group = group_of(row);
  if (row.local > 0) require_group(device, launch.kernel, group);
  set_range(launch, row, empty ? 2 : probe->dims, group);
  if (row.parameters == kOneItem) launch.range = launch.local = cl::NDRange(1);
  if (!empty && probe->local) {
    launch.tile_bytes = tile_bytes_of(group, device.max_work_group_size);
    require_local_memory(device, launch.tile_bytes, row.kernel);
  }
  const Arrays& arrays = **made;
  if (!empty)
    context.queue().enqueueFillBuffer(arrays.b, cl_float{-1}, 0, row.n * row.n * sizeof(float));
  launch.run(arrays, row.n, empty, 1);  // some drivers compile only now
  const std::string fault = empty ? "" : fault_of(context.queue(), arrays, *probe, row.n);
  if (!fault.empty()) return {{Status::wrong_result, fault, {}}};
  const double once_s = time_once([&] { launch.run(arrays, row.n, empty, 1); });
  return repeated(options, once_s, [launch, made, n = row.n, empty](std::size_t passes) mutable {
    launch.run(**made, n, empty, passes);
  });
}

}  // namespace

std::span<const Probe> probes() { return kProbes; }

const Probe* find_probe(std::string_view name) {
  const auto* found = std::ranges::find(kProbes, name, &Probe::name);
  return found == kProbes.end() ? nullptr : found;
}

std::vector<Shape> probe_groups(unsigned dims, std::size_t max_group) {
  std::vector<Shape> groups;
  for (const std::size_t x : {1, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096})
    if (x <= max_group) groups.push_back({x, 1});
  if (dims == 2)
    for (const std::size_t y : {4, 8, 16})
      for (const std::size_t x : {8, 16, 32, 64})
        if (x * y <= max_group) groups.push_back({x, y});
  return groups;
}

Step probe_step(const Probe& probe, std::size_t n, std::size_t x, std::size_t y) {
  const std::size_t columns = probe.dims == 1 ? n * n : n, rows = probe.dims == 1 ? 1 : n;
  const auto count = static_cast<double>(groups_for(columns, x) * groups_for(rows, y));
  const auto items = static_cast<double>(columns * rows);
  const double bytes = items * (probe.work.bytes_along_x + probe.work.bytes_along_y);
  return {{{count, x, y, probe.work, items / (count * static_cast<double>(x * y)), bytes}}};
}

std::vector<Row> probe_rows(const ExperimentInfo& info, std::size_t n) {
  const DeviceProfile& device = info.device;
  const std::size_t most = device.max_work_group_size;
  std::vector<Row> rows;
  const auto add = [&](std::string_view kernel, std::string rule, Shape group,
                       std::string parameters) {
    Row row = row_for(info);
    row.experiment = "explain";
    row.kernel = kernel;
    row.type = "f32";
    row.variant.clear();
    row.rule = std::move(rule);
    row.n = n;
    row.local = row.group = group[0] * group[1];
    row.parameters = std::move(parameters);
    rows.push_back(std::move(row));
  };
  add(kEmptyKernel, "empty", {1, 1}, std::string(kOneItem));
  for (const std::size_t x : {1U, 64U, 256U}) add(kEmptyKernel, "empty", {x, 1}, "SPLIT=round_up");
  const std::size_t multiple = std::max<std::size_t>(1, device.preferred_multiple);
  const std::size_t lcm =
      lcm_rule({device.total_cores(), device.compute_units, multiple, most}).clamped;
  for (const Probe& probe : probes()) {
    add(probe.name, "driver", {0, 0}, "");
    add(probe.name, "lcm", {lcm, 1}, "");
    add(probe.name, "divisor", {largest_divisor(probe.dims == 1 ? n * n : n, most), 1}, "");
    for (const Shape& group : probe_groups(probe.dims, most))
      add(probe.name, "fixed", group, group[1] == 1 ? "" : fmt::format("Y={}", group[1]));
  }
  return rows;
}

std::vector<Case> probe_cases(Context& context, const ExperimentInfo& info,
                              std::span<const std::size_t> sizes, const TimingOptions& options) {
  std::vector<Case> cases;
  for (const std::size_t n : sizes) {
    const auto arrays = std::make_shared<Lazy<Arrays>>(
        [&context, n] { return std::make_unique<Arrays>(context, n); });
    for (const Row& row : probe_rows(info, n))
      cases.push_back(single_case(row, [&context, row, arrays, options] {
        return prepare_probe(context, row, arrays, options);
      }));
  }
  return cases;
}

}  // namespace clgauss::tune
