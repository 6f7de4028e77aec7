#include "tuner/cli/search_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command_line/interrupt.hpp"
#include "command_line/typed.hpp"
#include "tuner/search/searcher.hpp"

namespace clgauss::tune {

using namespace cli;

void add_search_options(CommandTable& table) {
  static const std::string strategies = strategies_text();
  // clang-format off
  table.group("Search")
      ("budget", cli::text("TIME"), "stop after this time: 60s, 3min (default 60s without --evaluations)")
      ("evaluations", po::value<std::size_t>()->value_name("E"), "stop after so many configurations")
      ("strategy", words("S", strategy_names())->default_value(default_strategy()),
       strategies.c_str())
      ("reps", po::value<int>()->default_value(5)->value_name("N"), "timed runs a configuration")
      ("seed", po::value<std::uint64_t>()->default_value(1)->value_name("S"), "seed of the random numbers");
  // clang-format on
}

Mode search_mode(const po::variables_map& values) {
  const bool chance = values["strategy"].as<std::string>() != "exhaustive";
  return {chance ? kRandomised : kWithoutChance, ""};
}

std::vector<Scope> search_scopes() {
  return {{kRandomised, "strategies that draw random numbers; exhaustive does not", {"seed"}}};
}

bool search_is_interrupted() {
  try {
    throw_if_interrupted();
  } catch (const Interrupted&) {
    return true;
  }
  return false;
}

SearchEnd search_end(const po::variables_map& values) {
  SearchEnd end{{}, option<std::size_t>(values, "evaluations")};
  if (end.evaluations && *end.evaluations == 0)
    throw UsageError("--evaluations must be at least 1");
  if (const auto budget = option<std::string>(values, "budget"))
    end.budget_s = parse_duration(*budget).count();
  return end;
}

namespace {

std::optional<double> budget_of(const SearchEnd& end) {
  constexpr double kBudget = 60;
  return end.budget_s || end.evaluations ? end.budget_s : kBudget;
}

}  // namespace

std::string text_of(const SearchEnd& end) {
  std::string text = end.evaluations ? fmt::format("{} configurations", *end.evaluations) : "";
  if (const auto budget_s = budget_of(end))
    text += (text.empty() ? "" : " or ") + duration_text(*budget_s);
  return text;
}

StopCondition stop_at(const SearchEnd& end) {
  std::vector<StopCondition> conditions{[](std::size_t) { return search_is_interrupted(); }};
  if (end.evaluations) conditions.push_back(after_evaluations(*end.evaluations));
  if (const auto budget_s = budget_of(end))
    conditions.push_back(after_duration(std::chrono::duration<double>(*budget_s)));
  return any_of(std::move(conditions));
}

SearchProgress shown_on(ProgressLine& line, std::string title, const SearchEnd& end) {
  if (const auto budget_s = budget_of(end)) line.end_within(*budget_s);
  line.update(title, 0);  // the first configuration may take long
  return [&line, title = std::move(title), end](Status last, std::size_t tried, std::size_t size) {
    const std::size_t all = std::min(size, end.evaluations.value_or(size));
    line.update(title, static_cast<double>(tried) / static_cast<double>(all),
                fmt::format("{} of {} tried, last: {}", tried, size, status_name(last)));
  };
}

std::size_t repetitions_of(const po::variables_map& values) {
  const int repetitions = values["reps"].as<int>();
  if (repetitions < 1) throw UsageError("--reps must be at least 1");
  return static_cast<std::size_t>(repetitions);
}

}  // namespace clgauss::tune
