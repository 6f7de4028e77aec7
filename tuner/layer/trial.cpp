#include "tuner/layer/trial.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "statistics.hpp"
#include "tuner/measure/estimate.hpp"

namespace clgauss::layer {

namespace {

constexpr double kLeastGain = 0.05, kLeastGainOfSplit = 0.25;

enum LaneOfComparison : std::size_t { kChosen, kDriver, kControl };

}  // namespace

std::string text(const Way& way) { return (way.split ? "split, " : "") + text(way.group); }

Trial::Trial(std::vector<Way> ways)
    : ways_(std::move(ways)), given_up_(ways_.size()), choosing_(ways_.size()) {
  std::vector<Turn> all;
  for (std::size_t way = 0; way < ways_.size(); ++way) all.push_back({way, way, 0});
  plan(1, all);
  go_on();
}

/// Makes `contenders` the turns of so many rounds, each in a random order.
void Trial::plan(std::size_t rounds, const std::vector<Turn>& contenders) {
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<Turn> turns = contenders;
    std::ranges::shuffle(turns, random_);
    for (Turn& turn : turns) turn.round = round;
    turns_.insert(turns_.begin(), turns.begin(), turns.end());
  }
}

/// The way with the least median; one that was given up is none.
void Trial::choose() {
  for (std::size_t way = 0; way < ways_.size(); ++way)
    if (!given_up_[way] && median_ns(way) && (!chosen_ || *median_ns(way) < *median_ns(*chosen_)))
      chosen_ = way;
}

/// Enters the next phase where this one has ended.
void Trial::go_on() {
  while (phase_ != Phase::over && turns_.empty() && running_ == 0) {
    std::vector<Turn> contenders;
    if (phase_ == Phase::warming) {
      phase_ = Phase::choosing;
      for (std::size_t way = 0; way < ways_.size(); ++way)
        if (!given_up_[way]) contenders.push_back({way, way, 0});
      plan(kChoosing, contenders);
    } else if (phase_ == Phase::choosing) {
      phase_ = Phase::comparing;
      choose();
      if (chosen_) plan(kComparing, {{*chosen_, kChosen, 0}, {{}, kDriver, 0}, {{}, kControl, 0}});
    } else {
      phase_ = Phase::over;
    }
  }
}

std::optional<Trial::Turn> Trial::next() {
  if (turns_.empty()) return std::nullopt;
  const Turn turn = turns_.back();
  turns_.pop_back();
  ++running_;
  return turn;
}

void Trial::add(const Turn& turn, std::optional<double> time_ns) {
  --running_;
  if (time_ns && phase_ != Phase::warming) {
    Lane* const lanes[] = {&chosen_times_, &driver_, &control_};
    Lane& lane = phase_ == Phase::choosing ? choosing_[turn.lane] : *lanes[turn.lane];
    // paired_ratio() takes rounds in their order, and events may end in another.
    const auto at = std::ranges::upper_bound(lane.rounds, turn.round) - lane.rounds.begin();
    lane.rounds.insert(lane.rounds.begin() + at, turn.round);
    lane.times_ns.insert(lane.times_ns.begin() + at, *time_ns);
  }
  go_on();
}

void Trial::give_up(std::size_t way) {
  given_up_[way] = true;
  if (chosen_ == way) turns_.clear();
  std::erase_if(turns_, [&](const Turn& turn) { return turn.way == way; });
  go_on();
}

std::optional<double> Trial::median_ns(std::size_t way) const {
  if (choosing_[way].times_ns.empty()) return std::nullopt;
  return median(choosing_[way].times_ns);
}

Verdict Trial::verdict() const {
  Verdict verdict;
  if (!chosen_ || given_up_[*chosen_]) return verdict;
  std::vector<std::size_t> common;
  std::ranges::set_intersection(chosen_times_.rounds, driver_.rounds, std::back_inserter(common));
  if (common.empty()) return verdict;
  const tune::Estimate ratio = tune::paired_ratio({chosen_times_.times_ns, chosen_times_.rounds},
                                                  {driver_.times_ns, driver_.rounds});
  verdict.floor = tune::noise_floor(driver_.times_ns, control_.times_ns);
  verdict.tried_gain = 1 / ratio.median;
  const Way& way = ways_[*chosen_];
  const double least = way.split ? kLeastGainOfSplit : kLeastGain;
  if (tune::order_of(ratio, std::max(verdict.floor, least)) != tune::Order::faster) return verdict;
  verdict.way = way;
  verdict.gain = verdict.tried_gain;
  return verdict;
}

}  // namespace clgauss::layer
