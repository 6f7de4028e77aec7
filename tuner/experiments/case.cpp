#include "tuner/experiments/case.hpp"

#include <algorithm>

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

}  // namespace

Case single_case(Row row, std::function<Outcome()> measure) {
  return {{std::move(row)},
          [measure = std::move(measure)] { return std::vector<Outcome>{measure()}; }};
}

ExperimentSummary run_cases(ResultFolder& folder, std::vector<Case> cases,
                            const ExperimentLimits& limits, const ExperimentProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
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
