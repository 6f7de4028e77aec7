#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "statistics.hpp"
#include "tuner/search/gaussian_process.hpp"
#include "tuner/search/searcher.hpp"

namespace clgauss::tune {

namespace {

constexpr std::size_t kModelSample = 5;       // configurations before the first model
constexpr std::size_t kLeastRandom = 3;       // random ones among them: seeds resemble each other
constexpr std::size_t kMaxCandidates = 8192;  // among which the model chooses at one time
constexpr std::size_t kMostDraws = 8 * kMaxCandidates;
constexpr std::size_t kNearest = 5;  // best ones whose neighbours have every second turn
constexpr int kTrials = 20;          // steps of a fit
constexpr double kFitGrowth = 1.15;  // a fit whenever there are so many times more observations
constexpr std::size_t kMaxObservations = 400;  // the model's cost grows with their square
constexpr double kTold = 0.75;                 // share of the times that are told apart

/// Columns that span 0 .. 1 and along which configurations resemble each other.
void add_column(std::vector<std::vector<float>>& columns, std::vector<float> column) {
  const auto [low, high] = std::ranges::minmax(column);
  if (!(low < high)) return;
  for (float& value : column) value = (value - low) / (high - low);
  columns.push_back(std::move(column));
}

/// Of one parameter's values: the number, as a logarithm where all are positive, and how often 2
/// divides it where that says something new, because hardware likes powers of two; of words, which
/// is it.
std::vector<std::vector<float>> columns_of(const Parameter& parameter) {
  std::vector<std::vector<float>> columns;
  std::vector<float> size, twos;
  bool positive = true, powers = true;
  for (const Value& value : parameter.values) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) {
      for (std::size_t i = 0; i < parameter.values.size(); ++i) {
        std::vector<float> is(parameter.values.size(), 0.0F);
        is[i] = 1;
        add_column(columns, std::move(is));
      }
      return columns;
    }
    positive = positive && *number > 0;
    size.push_back(static_cast<float>(*number));
    const auto bits = static_cast<std::uint64_t>(std::max<std::int64_t>(*number, 1));
    powers = powers && std::has_single_bit(bits);
    twos.push_back(static_cast<float>(std::countr_zero(bits)));
  }
  if (positive)
    for (float& value : size) value = std::log2(value);
  add_column(columns, std::move(size));
  if (positive && !powers) add_column(columns, std::move(twos));
  return columns;
}

/// E max(0, best - Y) of a normal Y, without its best-known cancellation far out.
double expected_improvement(double best, double mean, double deviation) {
  const double u = (best - mean) / deviation;
  const double value = deviation * (0.5 * u * std::erfc(-u * 0.7071067811865475) +
                                    0.3989422804014327 * std::exp(-0.5 * u * u));
  return value > 1e-15
             ? value
             : u * 1e-15 - 1;  // beyond f64 the order of u is the order of the improvement
}

/// Bayesian optimisation: a Gaussian process of the logarithm of the time, and of all candidates
/// the one with the largest expected improvement (Jones, Schonlau and Welch 1998), interleaved with
/// the same among the neighbours of the best: the model is smooth, and an isolated optimum beside a
/// good configuration would wait for long. Times above the third quartile, and failures, count as
/// that quartile, so that a few that are slower by far do not set the scale.
class ModelSearcher : public Searcher {
 public:
  ModelSearcher(const Space& space, const SearchStart& start)
      : space_(space),
        untried_(space, start),
        generator_(start.random_seed),
        sample_(std::max(kModelSample, start.seeds.size() + kLeastRandom)) {
    for (const Parameter& parameter : space.parameters()) columns_.push_back(columns_of(parameter));
  }

  std::optional<std::size_t> next() override {
    if (const auto seed = untried_.take_seed()) return seed;
    if (untried_.empty()) return std::nullopt;
    if (observations_.size() < sample_ || !best_time_ || observations_.size() > kMaxObservations)
      return untried_.take_random(generator_);
    if (candidates_.empty() || (sampled_ && renew_)) gather_candidates();
    const auto chosen = choose();
    if (!chosen) return untried_.take_random(generator_);
    untried_.take(*chosen);
    return chosen;
  }

  void report(std::size_t configuration, std::optional<double> time) override {
    observations_.emplace_back(configuration, time);
    if (time && (!best_time_ || *time < *best_time_)) {
      best_time_ = time;
      best_ = configuration;
      renew_ = true;
    }
    if (process_) observe(configuration);
  }

 private:
  void add_candidate(std::size_t configuration) {
    if (!rows_.emplace(configuration, candidates_.size()).second) return;
    candidates_.push_back(configuration);
    const Space::Point point = space_.point(configuration);
    for (std::size_t p = 0; p < point.size(); ++p)
      for (const auto& column : columns_[p]) features_.values.push_back(column[point[p]]);
  }

  /// All configurations, or of a large space the tried ones, the neighbours of the best, and a
  /// random sample.
  void gather_candidates() {
    renew_ = false;
    sampled_ = !space_.is_listed() || space_.size() > kMaxCandidates;
    candidates_.clear();
    rows_.clear();
    features_ = {};
    for (const auto& columns : columns_) features_.columns += columns.size();
    for (const auto& [configuration, time] : observations_) add_candidate(configuration);
    if (sampled_) {
      for (const std::size_t near : space_.neighbours(best_)) add_candidate(near);
      // Of an unlisted space what so many draws find, which is little where few are valid.
      for (std::size_t i = 0; candidates_.size() < kMaxCandidates; ++i) {
        if (!space_.is_listed() && i == kMostDraws) break;
        if (const auto drawn = space_.draw(generator_)) add_candidate(*drawn);
      }
    } else {
      for (std::size_t i = 0; i < space_.size(); ++i) add_candidate(i);
    }
    process_ = std::make_unique<GaussianProcess>(features_);
    if (scales_) process_->set_scales(*scales_);
    for (const auto& [configuration, time] : observations_) observe(configuration);
  }

  void observe(std::size_t configuration) {
    if (const auto row = rows_.find(configuration); row != rows_.end())
      process_->observe(row->second);
    else
      candidates_.clear();  // it was no candidate: they are gathered anew, it among them
  }

  /// Logarithms of the times, those of the slowest and of failures cut, shifted and scaled to mean
  /// 0 and variance 1.
  [[nodiscard]] std::vector<double> targets() const {
    std::vector<double> times;
    for (const auto& [configuration, time] : observations_)
      if (time) times.push_back(*time);
    const double worst = quantile(std::move(times), kTold);
    std::vector<double> targets;
    double sum = 0, squares = 0;
    for (const auto& [configuration, time] : observations_)
      sum += targets.emplace_back(std::log(std::min(worst, time.value_or(worst))));
    const auto count = static_cast<double>(targets.size());
    for (double& target : targets) target -= sum / count;
    for (const double target : targets) squares += target * target;
    const double deviation = squares > 0 ? std::sqrt(squares / count) : 1;
    for (double& target : targets) target /= deviation;
    return targets;
  }

  /// Marks the untried neighbours of the best configurations; empty if there is none.
  [[nodiscard]] std::vector<bool> near_best() const {
    std::vector<std::pair<double, std::size_t>> fastest;
    for (const auto& [configuration, time] : observations_)
      if (time) fastest.emplace_back(*time, configuration);
    std::ranges::sort(fastest);
    fastest.resize(std::min(fastest.size(), kNearest));
    std::vector<bool> near(candidates_.size());
    bool any = false;
    for (const auto& [time, configuration] : fastest)
      for (const std::size_t neighbour : space_.neighbours(configuration)) {
        const auto row = rows_.find(neighbour);
        if (row == rows_.end() || !untried_.contains(neighbour)) continue;
        any = near[row->second] = true;
      }
    return any ? near : std::vector<bool>();
  }

  /// The untried candidate that promises most, in every second round among the neighbours of the
  /// best; empty if all were tried.
  std::optional<std::size_t> choose() {
    const std::vector<double> observed = targets();
    if (static_cast<double>(observed.size()) >= kFitGrowth * static_cast<double>(fitted_at_)) {
      process_->fit(observed, kTrials, generator_);
      scales_ = process_->scales();
      fitted_at_ = observed.size();
    }
    process_->predict(observed, mean_, deviation_);
    const double best = std::ranges::min(observed);
    double most = -std::numeric_limits<double>::infinity();
    std::optional<std::size_t> chosen;
    const std::vector<bool> near =
        observations_.size() % 2 == 0 ? near_best() : std::vector<bool>();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (!untried_.contains(candidates_[i])) continue;
      if (!near.empty() && !near[i]) continue;
      const double promise = expected_improvement(best, double{mean_[i]}, double{deviation_[i]});
      if (!(promise > most)) continue;
      most = promise;
      chosen = candidates_[i];
    }
    return chosen;
  }

  const Space& space_;
  Untried untried_;
  std::mt19937_64 generator_;
  std::size_t sample_;
  std::vector<std::vector<std::vector<float>>> columns_;  // by parameter, column, value
  std::vector<std::pair<std::size_t, std::optional<double>>> observations_;
  std::optional<double> best_time_;
  std::size_t best_ = 0;

  std::vector<std::size_t> candidates_;                // their configurations
  std::unordered_map<std::size_t, std::size_t> rows_;  // the candidate of a configuration
  FeatureTable features_;                              // one row a candidate
  bool sampled_ = false, renew_ = false;
  std::unique_ptr<GaussianProcess> process_;
  std::optional<GaussianProcess::Scales> scales_;
  std::size_t fitted_at_ = 0;
  std::vector<float> mean_, deviation_;
};

}  // namespace

std::unique_ptr<Searcher> make_model_searcher(const Space& space, const SearchStart& start) {
  return std::make_unique<ModelSearcher>(space, start);
}

}  // namespace clgauss::tune
