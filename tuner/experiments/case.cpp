#include "tuner/experiments/case.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include "clock.hpp"

namespace clgauss::tune {

namespace {

constexpr std::size_t kMostCases = 32;
constexpr double kLongestRounds =
    60;  // seconds of all rounds of a block: what a lost process loses

/// One a row, whatever happens.
std::vector<Prepared> preparations_of(const Case& one) {
  std::vector<Prepared> prepared;
  const Prepared failure = guarded_prepare([&] {
    prepared = one.prepare();
    return Prepared{};
  });
  if (failure.outcome.status != Status::ok) prepared.assign(one.rows.size(), failure);
  return prepared;
}

/// What takes part in the rounds for one row.
struct Contestant {
  Row row;
  Prepared prepared;

  [[nodiscard]] bool runs() const { return static_cast<bool>(prepared.timed_ns); }

  void run_once() {
    const Outcome failure = guarded([&]() -> Outcome {
      prepared.outcome.times_ns.push_back(prepared.timed_ns());
      return {};
    });
    if (failure.status != Status::ok) prepared = {failure};
  }
};

/// Cases that are timed interleaved.
class Block {
 public:
  Block(ResultFolder& folder, std::size_t rounds) : folder_(folder), rounds_(rounds) {}

  [[nodiscard]] std::size_t size() const { return cases_.size(); }

  /// Whether `next` belongs here, where `left_s` are left.
  [[nodiscard]] bool takes(const Case& next, double left_s) const {
    const Row& row = next.rows.front();
    if (row.n != cases_.front().rows.front().n) return false;
    return row.rule == kControlRule ||
           (size() < kMostCases && rounds_s_ < std::min(left_s, kLongestRounds));
  }

  void prepare(Case one) {
    for (Row& row : one.rows) row.time = row_for({}).time;
    std::vector<Prepared> prepared = preparations_of(one);
    for (std::size_t r = 0; r < one.rows.size(); ++r) {
      if (folder_.has(one.rows[r])) continue;
      if (prepared[r].timed_ns) rounds_s_ += static_cast<double>(rounds_) * prepared[r].expected_s;
      contestants_.push_back({one.rows[r], std::move(prepared[r])});
    }
    cases_.push_back(std::move(one));
  }

  /// `hear` is told before each run which share of all is done.
  void run_rounds(std::mt19937& random,
                  const std::function<void(double share, const Row& row)>& hear) {
    for (std::size_t round = 0; round < rounds_; ++round) {
      std::vector<Contestant*> order;
      for (Contestant& one : contestants_)
        if (one.runs()) order.push_back(&one);
      std::ranges::shuffle(order, random);
      for (std::size_t i = 0; i < order.size(); ++i) {
        const double turns = static_cast<double>(i) / static_cast<double>(order.size());
        hear((static_cast<double>(round) + turns) / static_cast<double>(rounds_), order[i]->row);
        order[i]->run_once();
      }
    }
  }

  /// What has an outcome. Times that are fewer than the rounds show by their number.
  void write() {
    std::vector<Row> done;
    for (const Contestant& one : contestants_) {
      const Outcome& outcome = one.prepared.outcome;
      if (one.runs() && outcome.times_ns.empty()) continue;
      std::vector<Row> rows = rows_of(one.row, outcome);
      if (one.runs())
        for (Row& row : rows) row.repetitions = rounds_;
      std::ranges::move(rows, std::back_inserter(done));
    }
    folder_.append(done);
  }

 private:
  ResultFolder& folder_;
  std::size_t rounds_;
  std::vector<Case> cases_;  // with what their contestants use
  std::vector<Contestant> contestants_;
  double rounds_s_ = 0;
};

}  // namespace

Case control_of(Case one) {
  for (Row& row : one.rows) row.rule = kControlRule;
  return one;
}

Case single_case(Row row, std::function<Prepared()> prepare) {
  return {{std::move(row)},
          [prepare = std::move(prepare)] { return std::vector<Prepared>{prepare()}; }};
}

ExperimentSummary run_cases(ResultFolder& folder, std::vector<Case> cases, std::size_t rounds,
                            const ExperimentLimits& limits, const ExperimentProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto left_s = [&] {
    return limits.budget_s ? *limits.budget_s - seconds_since(start)
                           : std::numeric_limits<double>::infinity();
  };
  ExperimentSummary summary{cases.size(), 0, 0};
  std::erase_if(cases, [&](const Case& one) {
    return std::ranges::all_of(one.rows, [&](const Row& row) { return folder.has(row); });
  });
  std::mt19937 random(1);
  while (summary.measured < cases.size() && left_s() > 0) {
    Block block(folder, rounds);
    // To prepare a case is as much as a round of it.
    const auto hear = [&](double prepared, double share, const Row& row) {
      const double done = (prepared + share * static_cast<double>(block.size() * rounds)) /
                          static_cast<double>(rounds + 1);
      progress((static_cast<double>(summary.measured) + done) / static_cast<double>(cases.size()),
               description_of(row));
    };
    const auto next = [&]() -> Case& { return cases[summary.measured + block.size()]; };
    try {
      do {
        hear(static_cast<double>(block.size()), 0, next().rows.front());
        block.prepare(std::move(next()));  // what it holds, matrices among it, goes with the block
      } while (summary.measured + block.size() < cases.size() && block.takes(next(), left_s()));
      block.run_rounds(random, [&](double share, const Row& row) {
        hear(static_cast<double>(block.size()), share, row);
      });
    } catch (...) {
      block.write();
      throw;
    }
    block.write();
    summary.measured += block.size();
  }
  summary.left = cases.size() - summary.measured;
  return summary;
}

}  // namespace clgauss::tune
