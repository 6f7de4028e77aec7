#pragma once
/// The command line of clgauss-bench.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bench_contestant.hpp"
#include "command_line/command.hpp"

namespace clgauss::bench {

struct BenchOptions {
  std::vector<What> whats;
  std::vector<Index> sizes;
  std::vector<RealType> types;  // empty: f32, and f64 where the device has it
  std::string device;
  std::optional<std::vector<const Peer*>> peers;  // empty: all that fit
  int reps = 5;
  bool breakdown = false;  // where the time of clgauss goes, instead of a match
  std::optional<Index> k;
  Index right_hand_sides = 1;  // of host; 0: as many as rows
  Index pad = 0;
  Index batch = 0;
  Index smallest = 0;  // n of vbatched; 0: a twentieth of the largest
  BatchedLuOptions batched;
  bool rook = false;  // of ldlt
  std::optional<std::string> csv, samples;

  /// The least n of a vbatched whose largest is `n`.
  [[nodiscard]] Index smallest_of(Index n) const {
    return smallest != 0 ? std::min(smallest, n) : std::max<Index>(1, n / 20);
  }
};

[[nodiscard]] cli::CommandTable bench_table();

/// What was given. Throws UsageError.
[[nodiscard]] BenchOptions bench_options(const cli::po::variables_map& values);

}  // namespace clgauss::bench
