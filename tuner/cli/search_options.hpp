#pragma once
/// The options of everything that searches.

#include "tuner/cli/commands.hpp"
#include "tuner/search/stop.hpp"

namespace clgauss::tune {

/// Adds --budget, --evaluations, --strategy, --reps, --seed to the group "Search".
void add_search_options(cli::CommandTable& table);

/// Whether Ctrl-C was pressed: a search then ends and keeps what it found.
[[nodiscard]] bool search_is_interrupted();

/// At Ctrl-C, after --evaluations, after --budget (of 60 s where neither is given). Throws UsageError.
[[nodiscard]] StopCondition stop_of(const cli::po::variables_map& values);

/// --reps. Throws UsageError unless it is at least 1.
[[nodiscard]] std::size_t repetitions_of(const cli::po::variables_map& values);

}  // namespace clgauss::tune
