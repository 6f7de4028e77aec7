#include "tuner/search/searcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <numeric>

#include "suggestion.hpp"

namespace clgauss::tune {

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> all{
      {"model", "a Gaussian process learns the times; the largest expected improvement is next",
       make_model_searcher},
      {"random", "uniformly random", make_random_searcher},
      {"exhaustive", "all, in the order of the space", make_exhaustive_searcher}};
  return all;
}

std::string default_strategy() { return std::string(strategies().front().name); }

std::string strategies_text() {
  std::string text = "one or more of:";
  for (const Strategy& strategy : strategies())
    text += fmt::format("\n  {}: {}", strategy.name, strategy.description);
  return text;
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
  return names;
}

std::unique_ptr<Searcher> make_searcher(std::string_view strategy, const Space& space,
                                        const SearchStart& start) {
  for (const Strategy& one : strategies())
    if (one.name == strategy) return one.make(space, start);
  const std::vector<std::string> known = strategy_names();
  throw UsageError(fmt::format("the strategy '{}' is not one of: {}{}", strategy,
                               fmt::join(known, ", "), did_you_mean(strategy, known)));
}

Untried::Untried(const Space& space, const SearchStart& start)
    : space_(space),
      tried_(space.is_listed() ? space.size() : 0),
      order_(tried_.size()),
      left_(space.size()),
      seeds_(start.seeds) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

std::optional<std::size_t> Untried::take_seed() {
  while (next_seed_ < seeds_.size()) {
    const std::size_t seed = seeds_[next_seed_++];
    if (!contains(seed)) continue;
    take(seed);
    return seed;
  }
  return std::nullopt;
}

std::optional<std::size_t> Untried::take_random(std::mt19937_64& generator) {
  if (!space_.is_listed()) {
    constexpr int kMostRepeats = 1000;
    for (int i = 0; i < kMostRepeats; ++i) {
      const auto drawn = space_.random(generator);
      if (!drawn) return std::nullopt;
      if (!contains(*drawn)) continue;
      take(*drawn);
      return drawn;
    }
    return std::nullopt;
  }
  // A Fisher-Yates shuffle, one step at a time; those taken otherwise are dropped when they come
  // up.
  for (std::size_t end = order_.size();; end = order_.size()) {
    std::swap(order_[below(end, generator)], order_[end - 1]);
    const std::size_t drawn = order_.back();
    order_.pop_back();
    if (!contains(drawn)) continue;
    take(drawn);
    return drawn;
  }
}

void Untried::take(std::size_t configuration) {
  if (space_.is_listed())
    tried_[configuration] = true;
  else
    taken_.insert(configuration);
  --left_;
}

namespace {

class RandomSearcher : public Searcher {
 public:
  RandomSearcher(const Space& space, const SearchStart& start)
      : untried_(space, start), generator_(start.random_seed) {}

  std::optional<std::size_t> next() override {
    if (const auto seed = untried_.take_seed()) return seed;
    if (untried_.empty()) return std::nullopt;
    return untried_.take_random(generator_);
  }
  void report(std::size_t /*configuration*/, std::optional<double> /*time*/) override {}

 private:
  Untried untried_;
  std::mt19937_64 generator_;
};

class ExhaustiveSearcher : public Searcher {
 public:
  ExhaustiveSearcher(const Space& space, const SearchStart& start)
      : space_(space), untried_(space, start) {}

  std::optional<std::size_t> next() override {
    if (const auto seed = untried_.take_seed()) return seed;
    while (position_ < space_.size() && !is_next(position_)) ++position_;
    if (position_ == space_.size()) return std::nullopt;
    untried_.take(position_);
    return position_;
  }
  void report(std::size_t /*configuration*/, std::optional<double> /*time*/) override {}

 private:
  [[nodiscard]] bool is_next(std::size_t position) const {
    return untried_.contains(position) &&
           (space_.is_listed() || space_.find(space_.point(position)));
  }

  const Space& space_;
  std::size_t position_ = 0;
  Untried untried_;
};

}  // namespace

std::unique_ptr<Searcher> make_random_searcher(const Space& space, const SearchStart& start) {
  return std::make_unique<RandomSearcher>(space, start);
}

std::unique_ptr<Searcher> make_exhaustive_searcher(const Space& space, const SearchStart& start) {
  return std::make_unique<ExhaustiveSearcher>(space, start);
}

}  // namespace clgauss::tune
