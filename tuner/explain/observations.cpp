#include "tuner/explain/observations.hpp"

#include <algorithm>
#include <charconv>
#include <clgauss/lab/launch.hpp>
#include <cmath>

#include "statistics.hpp"
#include "tuner/explain/probes.hpp"

namespace clgauss::tune {

namespace {

constexpr std::size_t kSampledSteps = 12;  // of an elimination
constexpr double kOtherKernels = 3;        // launches a step of a whole solve, beside gauss_fwd

/// The value of NAME in "NAME=VALUE OTHER=VALUE"; empty where it is not.
std::string parameter(const Row& row, const std::string& name) {
  const std::string text = " " + row.parameters + " ";
  const std::size_t at = text.find(" " + name + "=");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + name.size() + 2;
  return text.substr(begin, text.find(' ', begin) - begin);
}

/// One launch of an elimination's step: columns from `first` on, all rows.
struct Part {
  std::size_t first = 0, columns = 0, x = 1, y = 1;
};

std::vector<Part> parts_of(const Row& row, std::size_t max_group) {
  const std::size_t columns = row.n + 1, local = std::min(row.local, columns);
  const auto chosen = parse_group(row.chosen);
  const auto left_to_driver = [&](std::size_t first, std::size_t count) -> Part {
    if (chosen) return {first, count, (*chosen)[0], (*chosen)[1]};
    return {first, count, largest_divisor(count, max_group), 1};
  };
  if (local == 0) return chosen ? std::vector{left_to_driver(0, columns)} : std::vector<Part>{};
  const std::string split = parameter(row, "SPLIT");
  const std::size_t rest = columns % local;
  if (rest == 0) return {{0, columns, local, 1}};
  if (split == "tall") return {{0, columns, 1, largest_divisor(row.n, local)}};
  if (split == "round_up") return {{0, columns - rest + local, local, 1}};
  if (split == "exact")
    return {{0, columns - rest, local, 1}, left_to_driver(columns - rest, rest)};
  if (split.empty()) return {{0, columns - rest, local, 1}, {columns - rest, local, local, 1}};
  return {};
}

double groups_over(double length, std::size_t size) {
  return std::ceil(length / static_cast<double>(size));
}

/// Step k by one launch: the groups below row k that reach beyond column k work, others return.
Launch launch_of(const Part& part, std::size_t n, double k, double element_bytes, bool works) {
  const double all = groups_over(static_cast<double>(part.columns), part.x) *
                     groups_over(static_cast<double>(n), part.y);
  const double begin = std::max(k + 1, static_cast<double>(part.first));
  const double end = static_cast<double>(std::min(part.first + part.columns, n + 1));
  const double columns = std::max(0.0, end - begin), rows = static_cast<double>(n) - 1 - k;
  Groups busy{0,      part.x,
              part.y, {2 * element_bytes, 0, element_bytes, 2, 1},
              0,      element_bytes * static_cast<double>(n * (n + 1))};
  if (works && columns > 0 && rows > 0) {
    busy.count = groups_over(columns, part.x) * groups_over(rows, part.y);
    busy.active = columns * rows / (busy.count * static_cast<double>(part.x * part.y));
  }
  return {busy, {all - busy.count, part.x, part.y, {}, 0}};
}

/// A launch over a line of `length`, of which half works, each work-item in another row.
std::vector<Step> line_steps(const Row& row, double element_bytes) {
  const std::size_t length = row.kernel == "gauss_swap" ? row.n + 1 : row.n;
  const std::size_t local = std::min(row.local, length);
  if (local == 0) return {};
  const bool along = row.kernel == "gauss_swap";
  const ItemWork work{along ? 4 * element_bytes : 0, along ? 0 : 2 * element_bytes, element_bytes,
                      1, 2};
  Step step{{{static_cast<double>(length / local), local, 1, work, 0.5}}};
  if (length % local != 0) step.push_back({{1, local, 1, work, 0}});
  return {step};
}

double element_bytes_of(const Row& row) { return row.type == "f64" ? 8 : 4; }

std::vector<Step> steps_of(const Row& row, std::size_t max_group) {
  if (const Probe* probe = find_probe(row.kernel)) {
    const std::string high = parameter(row, "Y");
    const std::size_t y = high.empty() ? 1 : std::stoul(high);
    if (row.local == 0) return {};
    return {probe_step(*probe, row.n, row.local / y, y)};
  }
  if (row.variant != "fixed" && row.experiment != "explain") return {};
  if (row.kernel == "gauss_fwd_pre" || row.kernel == "gauss_bwd" || row.kernel == "gauss_swap")
    return line_steps(row, element_bytes_of(row));
  const bool empty = row.kernel == kEmptyKernel;
  if (!empty && row.kernel != "gauss_fwd" && row.kernel != "solve") return {};
  if (empty && row.parameters == kOneItem) return {{{{1, 1, 1, {}, 0}}}};
  return elimination_steps(row, max_group).value_or(std::vector<Step>{});
}

/// Empty for what the model does not know.
std::optional<Observed> observed_of(const Row& row, std::size_t max_group) {
  Observed one{row, 1, 1, {steps_of(row, max_group), 0}};
  if (one.observation.steps.empty()) return std::nullopt;
  const Groups& first = one.observation.steps.front().front().front();
  one.x = first.x;
  one.y = first.y;
  return one;
}

}  // namespace

std::optional<std::array<std::size_t, 2>> parse_group(const std::string& text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string::npos) return std::nullopt;
  std::array<std::size_t, 2> group{};
  const char *begin = text.data(), *end = begin + text.size();
  const auto x = std::from_chars(begin, begin + cross, group[0]);
  const auto y = std::from_chars(begin + cross + 1, end, group[1]);
  if (x.ec != std::errc() || y.ec != std::errc() || y.ptr != end || x.ptr != begin + cross ||
      group[0] == 0 || group[1] == 0)
    return std::nullopt;
  return group;
}

std::optional<std::vector<Step>> elimination_steps(const Row& row, std::size_t max_group) {
  const std::vector<Part> parts = parts_of(row, max_group);
  if (parts.empty() || row.n < 2) return std::nullopt;
  const bool works = row.kernel != kEmptyKernel;
  std::vector<Step> steps;
  for (std::size_t s = 0; s < (works ? kSampledSteps : 1); ++s) {
    const double k =
        (static_cast<double>(s) + 0.5) / kSampledSteps * static_cast<double>(row.n - 1);
    Step step;
    for (const Part& part : parts)
      step.push_back(launch_of(part, row.n, std::floor(k), element_bytes_of(row), works));
    if (row.kernel == "solve")
      for (int other = 0; other < kOtherKernels; ++other) step.push_back({{1, 1, 1, {}, 0}});
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<Observed> observations_of(const std::vector<Results>& results) {
  std::vector<Observed> all;
  for (const Results& result : results)
    for (const Point& point : group_rows(result.rows)) {
      const Row& row = point.row;
      if (point.times_ns.empty() || !row.part.empty() || row.rule == kControlRule) continue;
      auto one = observed_of(row, result.info.device.max_work_group_size);
      if (!one) continue;
      const bool elimination = find_probe(row.kernel) == nullptr && row.experiment != "explain";
      const double launches = elimination ? static_cast<double>(row.n - 1) : 1;
      one->observation.ns = median(point.times_ns) / launches;
      all.push_back(std::move(*one));
    }
  return all;
}

std::vector<Observed> unmeasured(const std::vector<Row>& rows, const ExperimentInfo& info) {
  std::vector<Observed> all;
  for (const Row& row : rows)
    if (auto one = observed_of(row, info.device.max_work_group_size))
      all.push_back(std::move(*one));
  return all;
}

}  // namespace clgauss::tune
