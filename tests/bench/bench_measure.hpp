#pragma once
/// How contestants are timed: checked first, then in turns.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench_contestant.hpp"

namespace clgauss::bench {

/// One contestant of a match.
struct Entry {
  std::string_view name;
  std::unique_ptr<Contestant> contestant;
};

/// What one contestant did.
struct Measurement {
  std::string contestant;
  std::string detail;  // of the run with the median time, the faster of two
  Accuracy accuracy;
  std::vector<double> samples_ms;  // one a round
};

/// Lets every contestant answer once, checks the answer (which is the warm-up too), then times
/// `rounds` rounds in which each has one turn: A B C, A B C. A turn is a pause, a fresh copy of the
/// inputs, and the timed run.
[[nodiscard]] std::vector<Measurement> run_match(const Problem& problem,
                                                 const std::vector<Entry>& entries, int rounds);

}  // namespace clgauss::bench
