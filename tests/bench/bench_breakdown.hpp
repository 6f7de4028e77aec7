#pragma once
/// Where the time of a factorisation goes, by the device's own clock.

#include <optional>
#include <string>
#include <vector>

#include "bench_contestant.hpp"
#include "bench_report.hpp"

namespace clgauss::bench {

/// The launches of one kind in one run, or what lies between the launches.
struct Part {
  std::string name;  // panel, laswp + trsm, gemm, a kernel's name, gaps
  std::size_t launches = 0;
  double ms = 0;
};

/// Of the second of two runs, in the order of the first launches, gaps last. The context's queue
/// must profile.
[[nodiscard]] std::vector<Part> breakdown(const DeviceProblem& device);

/// Prints them, and adds a row each to `csv` where it is given.
void report_breakdown(const std::string& device, const ProblemSize& size,
                      const std::vector<Part>& parts, CsvFile* csv);

inline constexpr const char* kBreakdownHeader = "device,what,type,n,part,launches,ms";

}  // namespace clgauss::bench
