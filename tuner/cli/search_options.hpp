#pragma once
/// The options of everything that searches.

#include <functional>
#include <optional>
#include <string>

#include "command_line/progress_line.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/measure/outcome.hpp"
#include "tuner/search/stop.hpp"

namespace clgauss::tune {

/// Adds --budget, --evaluations, --strategy, --reps, --seed to the group "Search".
void add_search_options(cli::CommandTable& table);

/// What searches are, as --strategy says: of random numbers or, exhaustive, without them.
enum Searches : unsigned { kRandomised = 1, kWithoutChance = 2 };
[[nodiscard]] cli::Mode search_mode(const cli::po::variables_map& values);
[[nodiscard]] std::vector<cli::Scope> search_scopes();

/// Whether Ctrl-C was pressed: a search then ends and keeps what it found.
[[nodiscard]] bool search_is_interrupted();

/// When a search ends: whichever comes first of those that are given, else after 60 s.
struct SearchEnd {
  std::optional<double> budget_s;
  std::optional<std::size_t> evaluations;
};

/// --budget and --evaluations. Throws UsageError.
[[nodiscard]] SearchEnd search_end(const cli::po::variables_map& values);
/// "60 s", "12 configurations".
[[nodiscard]] std::string text_of(const SearchEnd& end);
/// Then, counted from this call on, and at Ctrl-C.
[[nodiscard]] StopCondition stop_at(const SearchEnd& end);

/// Shows on `line`, which must outlive it, how many of how many configurations were tried, and the
/// time left until then, counted from this call on.
using SearchProgress = std::function<void(Status last, std::size_t tried, std::size_t size)>;
[[nodiscard]] SearchProgress shown_on(cli::ProgressLine& line, std::string title,
                                      const SearchEnd& end);

/// --reps. Throws UsageError unless it is at least 1.
[[nodiscard]] std::size_t repetitions_of(const cli::po::variables_map& values);

}  // namespace clgauss::tune
