#include "bench_breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "launch/launch_times.hpp"

namespace clgauss::bench {

namespace {

/// What a launch is for: the steps of an LU have several kernels each.
std::string part_of(const std::string& kernel) {
  if (kernel.starts_with("lu_panel") || kernel.starts_with("tournament")) return "panel";
  if (kernel == "lu_swap_solve" || kernel == "block_solve") return "laswp + trsm";
  return kernel;
}

}  // namespace

std::vector<Part> breakdown(const DeviceProblem& device) {
  const auto contestant = make_clgauss(device);
  contestant->restore();
  contestant->run();
  contestant->restore();
  const LaunchTimes times;
  contestant->run();
  std::vector<Part> parts;
  Part gaps{"gaps"};
  std::uint64_t last_end = 0;
  for (const auto& [kernel, start, end] : times.launches()) {
    const std::string name = part_of(kernel);
    auto part = std::ranges::find(parts, name, &Part::name);
    if (part == parts.end()) part = parts.insert(parts.end(), Part{name});
    ++part->launches;
    part->ms += static_cast<double>(end - start) / 1e6;
    if (last_end != 0 && start > last_end) {
      ++gaps.launches;
      gaps.ms += static_cast<double>(start - last_end) / 1e6;
    }
    last_end = std::max(last_end, end);
  }
  parts.push_back(gaps);
  return parts;
}

void report_breakdown(const std::string& device, const ProblemSize& size,
                      const std::vector<Part>& parts, CsvFile* csv) {
  const std::string type = real_type_name(size.type);
  for (const Part& part : parts) {
    fmt::print("{:<7} {:<4} {:>6}  {:<24} {:>6} x {:>10.3f} ms\n", what_name(size.what), type,
               size.n, part.name, part.launches, part.ms);
    if (csv != nullptr)
      csv->append({device, std::string(what_name(size.what)), type, std::to_string(size.n),
                   part.name, std::to_string(part.launches), fmt::format("{:.4f}", part.ms)});
  }
}

}  // namespace clgauss::bench
