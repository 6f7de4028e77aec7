#pragma once
/// How a search goes through a space: which configuration is tried next, given what the ones before
/// took.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tuner/search/space.hpp"

namespace clgauss::tune {

/// A conversation: next() asks, report() answers, in turns. Each configuration is asked for at most
/// once. Nothing but the seed decides among equals, so that the same answers give the same search.
class Searcher {
 public:
  virtual ~Searcher() = default;
  Searcher(const Searcher&) = delete;
  Searcher& operator=(const Searcher&) = delete;

  /// The configuration to try; empty when all were tried.
  [[nodiscard]] virtual std::optional<std::size_t> next() = 0;
  /// What the configuration of the last next() took, in any one unit; empty if it failed.
  virtual void report(std::size_t configuration, std::optional<double> time) = 0;

 protected:
  Searcher() = default;
};

struct SearchStart {
  /// Tried first, in this order: the built-in default, the best of other devices and sizes.
  std::vector<std::size_t> seeds;
  std::uint64_t random_seed = 1;
};

/// One way to search.
struct Strategy {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Searcher> (*make)(const Space& space, const SearchStart& start);
};

/// All strategies; the first is the default.
[[nodiscard]] const std::vector<Strategy>& strategies();
[[nodiscard]] std::string default_strategy();

/// Name and description of each strategy, one a line, for an option's help.
[[nodiscard]] std::string strategies_text();
[[nodiscard]] std::vector<std::string> strategy_names();

/// A searcher of `space`, which must outlive it. Throws UsageError for an unknown strategy, naming
/// those there are.
[[nodiscard]] std::unique_ptr<Searcher> make_searcher(std::string_view strategy, const Space& space,
                                                      const SearchStart& start = {});

// The strategies, each in its own file.
[[nodiscard]] std::unique_ptr<Searcher> make_model_searcher(const Space& space,
                                                            const SearchStart& start);
[[nodiscard]] std::unique_ptr<Searcher> make_random_searcher(const Space& space,
                                                             const SearchStart& start);
[[nodiscard]] std::unique_ptr<Searcher> make_exhaustive_searcher(const Space& space,
                                                                 const SearchStart& start);

/// The configurations not yet asked for, and the seeds among them first.
class Untried {
 public:
  Untried(const Space& space, const SearchStart& start);

  [[nodiscard]] bool empty() const noexcept { return left_ == 0; }
  [[nodiscard]] bool contains(std::size_t configuration) const {
    return space_.is_listed() ? !tried_[configuration] : !taken_.contains(configuration);
  }
  /// The next seed; empty when there is none left.
  [[nodiscard]] std::optional<std::size_t> take_seed();
  /// A uniformly random one. There must be one; empty where that of an unlisted space is not found.
  [[nodiscard]] std::optional<std::size_t> take_random(std::mt19937_64& generator);
  void take(std::size_t configuration);

 private:
  const Space& space_;
  std::vector<bool> tried_;                // of a listed space
  std::unordered_set<std::size_t> taken_;  // of an unlisted one
  /// of a listed space, the untried ones, and tried ones that take_random() has not met
  std::vector<std::size_t> order_;
  std::size_t left_;
  std::vector<std::size_t> seeds_;
  std::size_t next_seed_ = 0;
};

}  // namespace clgauss::tune
