#include "tuner/search/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <set>

namespace clgauss::tune {

namespace {

constexpr std::uint64_t kMaxCombinations = 50'000'000;
constexpr std::uint64_t kMaxUnlisted = std::uint64_t{1} << 62U;
constexpr std::size_t kMostSpaceDraws = 200'000;

/// Parameters with all values that the configurations have.
std::vector<Parameter> parameters_of(const std::vector<Configuration>& configurations) {
  if (configurations.empty() || configurations.front().empty())
    throw UsageError("a space needs at least one configuration of at least one parameter");
  std::vector<Parameter> parameters;
  for (std::size_t p = 0; p < configurations.front().size(); ++p) {
    const std::string& name = configurations.front()[p].first;
    std::set<Value> values;
    for (const Configuration& configuration : configurations) {
      if (configuration.size() != configurations.front().size() || configuration[p].first != name)
        throw UsageError("the configurations of a space differ in their parameters: " + name);
      values.insert(configuration[p].second);
    }
    parameters.push_back({name, {values.begin(), values.end()}});
  }
  return parameters;
}

}  // namespace

std::size_t below(std::size_t bound, std::mt19937_64& generator) {
  // The bias of the remainder is below bound / 2^64.
  return static_cast<std::size_t>(generator() % bound);
}

std::uint64_t combinations_of(const std::vector<Parameter>& parameters) {
  std::uint64_t combinations = parameters.empty() ? 0 : 1;
  for (const Parameter& parameter : parameters) {
    if (combinations > kMaxUnlisted / std::max<std::size_t>(parameter.values.size(), 1))
      return kMaxUnlisted;
    combinations *= parameter.values.size();
  }
  return combinations;
}

Space Space::unlisted(std::vector<Parameter> parameters, Predicate valid) {
  Space space;
  space.combinations_ = combinations_of(parameters);
  if (space.combinations_ >= kMaxUnlisted)
    throw UsageError("a space has 2^62 combinations or more, which is too many to number");
  space.parameters_ = std::move(parameters);
  space.valid_ = std::move(valid);
  return space;
}

Space::Space(std::vector<Parameter> parameters, const Predicate& valid)
    : parameters_(std::move(parameters)) {
  const std::uint64_t combinations = combinations_of(parameters_);
  if (combinations > kMaxCombinations)
    throw UsageError(
        fmt::format("a space has more than {} combinations to look at", kMaxCombinations));
  Point point(parameters_.size(), 0);
  for (std::uint64_t i = 0; i < combinations; ++i) {
    if (valid(point)) add(point);
    for (std::size_t p = point.size(); p-- > 0;) {  // counts up, the last parameter fastest
      if (++point[p] < parameters_[p].values.size()) break;
      point[p] = 0;
    }
  }
  if (points_.empty()) throw UsageError("no configuration of the space is valid");
}

Space::Space(const std::vector<Configuration>& configurations)
    : parameters_(parameters_of(configurations)) {
  Point point(parameters_.size());
  for (const Configuration& configuration : configurations) {
    for (std::size_t p = 0; p < point.size(); ++p)
      point[p] = static_cast<std::uint16_t>(
          std::ranges::lower_bound(parameters_[p].values, configuration[p].second) -
          parameters_[p].values.begin());
    if (find(point))
      throw UsageError("a configuration of the space comes twice: " + text_of(configuration));
    add(point);
  }
}

void Space::add(std::span<const std::uint16_t> point) {
  numbers_.emplace(rank(point), size());
  points_.insert(points_.end(), point.begin(), point.end());
}

std::uint64_t Space::rank(std::span<const std::uint16_t> point) const {
  std::uint64_t rank = 0;
  for (std::size_t p = 0; p < point.size(); ++p)
    rank = rank * parameters_[p].values.size() + point[p];
  return rank;
}

Space::Point Space::point(std::size_t configuration) const {
  Point point(parameters_.size());
  if (is_listed()) {
    std::ranges::copy_n(points_.begin() + static_cast<std::ptrdiff_t>(configuration * point.size()),
                        static_cast<std::ptrdiff_t>(point.size()), point.begin());
    return point;
  }
  for (std::size_t p = point.size(); p-- > 0;) {  // rank() backwards
    point[p] = static_cast<std::uint16_t>(configuration % parameters_[p].values.size());
    configuration /= parameters_[p].values.size();
  }
  return point;
}

Configuration Space::configuration(std::size_t number) const {
  Configuration configuration;
  const Point point = this->point(number);
  for (std::size_t p = 0; p < parameters_.size(); ++p)
    configuration.emplace_back(parameters_[p].name, parameters_[p].values[point[p]]);
  return configuration;
}

std::optional<std::size_t> Space::find(std::span<const std::uint16_t> point) const {
  if (!is_listed())
    return valid_(Point(point.begin(), point.end())) ? std::optional<std::size_t>(rank(point))
                                                     : std::nullopt;
  const auto found = numbers_.find(rank(point));
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> Space::find(const Configuration& configuration) const {
  Point point;
  for (const Parameter& parameter : parameters_) {
    const auto given =
        std::ranges::find(configuration, parameter.name, &std::pair<std::string, Value>::first);
    if (given == configuration.end()) return std::nullopt;
    const auto value = std::ranges::find(parameter.values, given->second);
    if (value == parameter.values.end()) return std::nullopt;
    point.push_back(static_cast<std::uint16_t>(value - parameter.values.begin()));
  }
  return find(point);
}

template <typename Accept>
std::vector<std::size_t> Space::one_changed(std::size_t configuration, Accept&& accept) const {
  const Point centre = point(configuration);
  Point changed = centre;
  std::vector<std::size_t> found;
  for (std::size_t p = 0; p < changed.size(); ++p) {
    for (std::uint16_t value = 0; value < parameters_[p].values.size(); ++value) {
      if (value == centre[p] || !accept(value, centre[p])) continue;
      changed[p] = value;
      if (const auto number = find(changed)) found.push_back(*number);
    }
    changed[p] = centre[p];
  }
  return found;
}

std::vector<std::size_t> Space::neighbours(std::size_t configuration) const {
  return one_changed(configuration, [](int, int) { return true; });
}

std::vector<std::size_t> Space::adjacent(std::size_t configuration) const {
  return one_changed(configuration, [](int a, int b) { return a - b == 1 || b - a == 1; });
}

std::optional<std::size_t> Space::draw(std::mt19937_64& generator) const {
  const std::size_t number = below(size(), generator);
  return is_listed() || valid_(point(number)) ? std::optional(number) : std::nullopt;
}

std::optional<std::size_t> Space::random(std::mt19937_64& generator) const {
  for (std::size_t i = 0; i < kMostSpaceDraws; ++i)
    if (const auto drawn = draw(generator)) return drawn;
  return std::nullopt;
}

std::vector<std::size_t> Space::some(std::size_t count) const {
  std::vector<std::size_t> chosen;
  std::mt19937_64 generator;
  for (std::size_t i = 0; i < std::min(count, size()); ++i) {
    const std::optional<std::size_t> one =
        is_listed() ? i * size() / std::min(count, size()) : random(generator);
    if (one) chosen.push_back(*one);
  }
  return chosen;
}

}  // namespace clgauss::tune
