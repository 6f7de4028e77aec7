#include "tuner/experiments/case.hpp"

#include <algorithm>
#include <random>

#include "clock.hpp"

namespace clgauss::tune {

namespace {

/// One outcome a row, whatever happens.
std::vector<Outcome> outcomes_of(const Case& one) {
  std::vector<Outcome> outcomes;
  const Outcome failure = guarded([&]() -> Outcome {
    outcomes = one.measure();
    return {};
  });
  if (failure.status != Status::ok) outcomes.assign(one.rows.size(), failure);
  return outcomes;
}

/// Shuffles neighbours of one n; those of the next n wait, as every n holds its matrices.
void shuffle(std::vector<Case>& cases) {
  constexpr std::size_t most = 32;
  std::mt19937 random(1);
  for (std::size_t first = 0, end = 0; first < cases.size(); first = end) {
    while (end < cases.size() && end - first < most &&
           cases[end].rows.front().n == cases[first].rows.front().n)
      ++end;
    std::shuffle(cases.begin() + static_cast<std::ptrdiff_t>(first),
                 cases.begin() + static_cast<std::ptrdiff_t>(end), random);
  }
}

}  // namespace

Case control_of(Case one) {
  for (Row& row : one.rows) row.rule = kControlRule;
  return one;
}

Case single_case(Row row, std::function<Outcome()> measure) {
  return {{std::move(row)},
          [measure = std::move(measure)] { return std::vector<Outcome>{measure()}; }};
}

ExperimentSummary run_cases(ResultFolder& folder, std::vector<Case> cases,
                            const ExperimentLimits& limits, const ExperimentProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  shuffle(cases);
  ExperimentSummary summary{cases.size(), 0, 0};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    Case one = std::move(cases[c]);  // what it holds, matrices among it, goes with it
    if (std::ranges::all_of(one.rows, [&](const Row& row) { return folder.has(row); })) continue;
    if (limits.budget_s && seconds_since(start) >= *limits.budget_s) {
      ++summary.left;
      continue;
    }
    progress(static_cast<double>(c) / static_cast<double>(summary.points),
             description_of(one.rows.front()));
    for (Row& row : one.rows) row.time = row_for({}).time;
    const std::vector<Outcome> outcomes = outcomes_of(one);
    std::vector<Row> rows;
    for (std::size_t r = 0; r < one.rows.size(); ++r)
      if (!folder.has(one.rows[r]))
        std::ranges::move(rows_of(one.rows[r], outcomes[r]), std::back_inserter(rows));
    folder.append(rows);
    ++summary.measured;
  }
  return summary;
}

}  // namespace clgauss::tune
