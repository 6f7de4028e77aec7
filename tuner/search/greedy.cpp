#include <algorithm>
#include <deque>

#include "tuner/search/searcher.hpp"

namespace clgauss::tune {

namespace {

constexpr std::size_t kSample = 10;  // random configurations before the first climb

/// Iterated local search: from the best start so far to its neighbours in random order, over to
/// each that is faster. When none is, the next start is the best configuration whose neighbours
/// were not looked at, or in every second round a random one.
class GreedySearcher : public Searcher {
 public:
  GreedySearcher(const Space& space, const SearchStart& start)
      : space_(space),
        untried_(space, start),
        generator_(start.random_seed),
        expanded_(space.size()),
        sample_(start.seeds.empty() ? kSample : 0) {}

  std::optional<std::size_t> next() override {
    if (const auto seed = untried_.take_seed()) return seed;
    if (untried_.empty()) return std::nullopt;
    if (sample_ > 0) {
      --sample_;
      return untried_.take_random(generator_);
    }
    while (true) {
      while (!queue_.empty()) {
        const std::size_t candidate = queue_.front();
        queue_.pop_front();
        if (!untried_.contains(candidate)) continue;
        untried_.take(candidate);
        return candidate;
      }
      if (!restart()) return untried_.take_random(generator_);
    }
  }

  void report(std::size_t configuration, std::optional<double> time) override {
    if (!time) return;
    times_.emplace_back(*time, configuration);
    if (climbing_ && *time < centre_time_) climb_from(configuration, *time);
  }

 private:
  void climb_from(std::size_t configuration, double time) {
    climbing_ = true;
    centre_time_ = time;
    expanded_[configuration] = true;
    // The values next to the present ones first: a slope continues more often than not.
    std::vector<std::size_t> near = space_.adjacent(configuration);
    std::vector<std::size_t> far = space_.neighbours(configuration);
    shuffle(near);
    shuffle(far);
    queue_.assign(near.begin(), near.end());
    queue_.insert(queue_.end(), far.begin(), far.end());
  }

  /// Begins a climb; false if a random configuration is to be tried instead.
  bool restart() {
    climbing_ = false;
    if (std::exchange(random_round_, !random_round_)) return false;
    const auto best = std::ranges::min_element(times_, {}, [&](const auto& tried) {
      return std::pair(expanded_[tried.second] ? 1 : 0, tried.first);
    });
    if (best == times_.end() || expanded_[best->second]) return false;
    climb_from(best->second, best->first);
    return true;
  }

  void shuffle(std::vector<std::size_t>& list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i, generator_)]);
  }

  const Space& space_;
  Untried untried_;
  std::mt19937_64 generator_;
  std::vector<bool> expanded_;  // whose neighbours were queued
  std::size_t sample_;
  std::vector<std::pair<double, std::size_t>> times_;
  std::deque<std::size_t> queue_;
  double centre_time_ = 0;
  bool climbing_ = false, random_round_ = false;
};

}  // namespace

std::unique_ptr<Searcher> make_greedy_searcher(const Space& space, const SearchStart& start) {
  return std::make_unique<GreedySearcher>(space, start);
}

}  // namespace clgauss::tune
