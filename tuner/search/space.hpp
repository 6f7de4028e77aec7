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

/// The valid configurations of some parameters, numbered 0 .. size() - 1.
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

  [[nodiscard]] std::size_t size() const noexcept { return points_.size() / parameters_.size(); }
  [[nodiscard]] const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::span<const std::uint16_t> point(std::size_t configuration) const noexcept {
    return std::span(points_).subspan(configuration * parameters_.size(), parameters_.size());
  }
  [[nodiscard]] Configuration configuration(std::size_t number) const;

  /// The number of a point; empty if it is not valid.
  [[nodiscard]] std::optional<std::size_t> find(std::span<const std::uint16_t> point) const;
  /// The number of the configuration with these values; empty if it is not valid. Parameters that
  /// the space does not have are passed over; one that is missing matches nothing.
  [[nodiscard]] std::optional<std::size_t> find(const Configuration& configuration) const;

  /// The valid configurations that differ in one parameter.
  [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t configuration) const;
  /// Those of them whose one value is the next one up or down.
  [[nodiscard]] std::vector<std::size_t> adjacent(std::size_t configuration) const;

  /// Uniform among the valid ones.
  [[nodiscard]] std::size_t random(std::mt19937_64& generator) const;

 private:
  void add(std::span<const std::uint16_t> point);
  /// Number among all combinations, valid or not.
  [[nodiscard]] std::uint64_t rank(std::span<const std::uint16_t> point) const;
  template <typename Accept>
  [[nodiscard]] std::vector<std::size_t> one_changed(std::size_t configuration,
                                                     Accept&& accept) const;

  std::vector<Parameter> parameters_;
  std::vector<std::uint16_t> points_;                       // size() times parameters_.size()
  std::unordered_map<std::uint64_t, std::size_t> numbers_;  // by rank
};

/// Uniform below `bound` > 0, the same with every standard library for one state of the generator.
[[nodiscard]] std::size_t below(std::size_t bound, std::mt19937_64& generator);

}  // namespace clgauss::tune
