#include "tuner/measure/turns.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "statistics.hpp"
#include "tuner/measure/estimate.hpp"

namespace clgauss::tune {

double Turns::floor() const { return noise_floor(times_ns[twin_of], twin_ns); }

std::vector<bool> Turns::may_be_best() const {
  std::vector<bool> may(times_ns.size());
  const auto best = std::ranges::min_element(
      times_ns, {}, [](const std::vector<double>& times) { return median(times); });
  for (std::size_t i = 0; i < times_ns.size(); ++i)
    may[i] = &times_ns[i] == &*best || order_of(times_ns[i], *best, floor()) == Order::tie;
  return may;
}

Turns in_turns(std::size_t rounds, std::size_t further,
               const std::vector<std::function<double()>>& timed_ns, std::size_t twin_of) {
  Turns turns{std::vector<std::vector<double>>(timed_ns.size()), {}, twin_of};
  for (const auto& timed : timed_ns) timed();
  std::mt19937 random(1);
  const std::size_t twin = timed_ns.size();
  std::vector<std::size_t> order(timed_ns.size() + 1);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t round = 0; round < rounds + further; ++round) {
    if (round >= rounds) {
      const std::vector<bool> may = turns.may_be_best();
      if (std::ranges::count(may, true) == 1) break;
      std::erase_if(order, [&](std::size_t i) { return i != twin_of && i != twin && !may[i]; });
    }
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order)
      if (i == twin)
        turns.twin_ns.push_back(timed_ns[twin_of]());
      else
        turns.times_ns[i].push_back(timed_ns[i]());
  }
  return turns;
}

}  // namespace clgauss::tune
