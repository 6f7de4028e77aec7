#pragma once
/// The configurations among which a search chooses.

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/rows/configuration.hpp"

namespace clgauss::tune {

/// A parameter and what it may be, in an order in which neighbours resemble each other.
struct Parameter {
  std::string name;
  std::vector<Value> values;
};

/// The valid configurations of some parameters, numbered 0 .. size() - 1; or all combinations, of
/// which is asked one by one whether they are valid.
class Space {
 public:
  /// The number of a parameter's value, one a parameter.
  using Point = std::vector<std::uint16_t>;
  /// What must hold of a configuration.
  using Predicate = std::function<bool(const Point&)>;

  /// All combinations that `valid` accepts; each is looked at once, here. Throws UsageError if
  /// there is none, or if there are more than 50 million to look at.
  Space(std::vector<Parameter> parameters, const Predicate& valid);

  /// Just these configurations, numbered as they come. Parameters and values are taken from them:
  /// integers in ascending order, words in alphabetical order. Throws UsageError if there is none,
  /// if one comes twice, or if they differ in their parameters.
  explicit Space(const std::vector<Configuration>& configurations);

  /// All combinations, none of which is looked at here: there may be up to 2^62, and UsageError is
  /// thrown for more. They are numbered whether valid or not. `valid` is kept.
  [[nodiscard]] static Space unlisted(std::vector<Parameter> parameters, Predicate valid);

  [[nodiscard]] bool is_listed() const noexcept { return !valid_; }
  /// Configurations; of an unlisted space the combinations, valid or not.
  [[nodiscard]] std::size_t size() const noexcept {
    return is_listed() ? points_.size() / parameters_.size() : combinations_;
  }
  [[nodiscard]] const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] Point point(std::size_t configuration) const;
  [[nodiscard]] Configuration configuration(std::size_t number) const;

  /// The number of a point; empty if it is not valid.
  [[nodiscard]] std::optional<std::size_t> find(std::span<const std::uint16_t> point) const;
  /// The number of the configuration with these values; empty if it is not valid. Parameters that
  /// the space does not have are skipped; one that is missing matches nothing.
  [[nodiscard]] std::optional<std::size_t> find(const Configuration& configuration) const;

  /// The valid configurations that differ in one parameter.
  [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t configuration) const;
  /// Those of them whose one value is the next one up or down.
  [[nodiscard]] std::vector<std::size_t> adjacent(std::size_t configuration) const;

  /// Uniform among all; empty if that one is not valid.
  [[nodiscard]] std::optional<std::size_t> draw(std::mt19937_64& generator) const;
  /// Uniform among the valid ones; empty where 200,000 draws find none.
  [[nodiscard]] std::optional<std::size_t> random(std::mt19937_64& generator) const;
  /// Up to `count` valid ones, far from each other or random.
  [[nodiscard]] std::vector<std::size_t> some(std::size_t count) const;

 private:
  Space() = default;
  void add(std::span<const std::uint16_t> point);
  /// Number among all combinations, valid or not.
  [[nodiscard]] std::uint64_t rank(std::span<const std::uint16_t> point) const;
  template <typename Accept>
  [[nodiscard]] std::vector<std::size_t> one_changed(std::size_t configuration,
                                                     Accept&& accept) const;

  std::vector<Parameter> parameters_;
  std::vector<std::uint16_t> points_;                       // size() times parameters_.size()
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  // by rank
  Predicate valid_;               // of an unlisted space, which has neither of these
  std::size_t combinations_ = 0;  // likewise
};

/// How many combinations `parameters` have; 2^62 stands for more.
[[nodiscard]] std::uint64_t combinations_of(const std::vector<Parameter>& parameters);

/// Uniform below `bound` > 0, the same with every standard library for one state of the generator.
[[nodiscard]] std::size_t below(std::size_t bound, std::mt19937_64& generator);

}  // namespace clgauss::tune
