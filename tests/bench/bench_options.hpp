#pragma once
/// The command line of clgauss-bench.

#include <optional>
#include <string>
#include <vector>

#include "bench_contestant.hpp"

namespace clgauss::bench {

struct BenchOptions {
  std::vector<What> whats;
  std::vector<Index> sizes;
  std::vector<RealType> types;  // empty: f32, and f64 where the device has it
  std::string device;
  std::optional<std::vector<const Peer*>> peers;  // empty: all that fit
  int reps = 5;
  std::optional<Index> k;
  Index pad = 0;
  Index batch = 0;
  BatchedLuOptions batched;
  std::optional<std::string> csv, samples;
};

/// Empty after --help, which it prints. Throws UsageError and boost::program_options::error.
[[nodiscard]] std::optional<BenchOptions> parse_bench_options(
    const std::vector<std::string>& arguments);

}  // namespace clgauss::bench
