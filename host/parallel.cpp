#include "parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

namespace clgauss {

Index parts_of(Index count, Index grain) {
  constexpr Index kMost = 16;  // more only share the same memory
  const Index cores = std::max<Index>(1, std::thread::hardware_concurrency());
  return std::clamp<Index>(count / std::max<Index>(grain, 1), 1, std::min(cores, kMost));
}

void in_parallel(Index count, Index grain, const std::function<void(Index, Index)>& body) {
  const Index parts = parts_of(count, grain);
  const auto begin_of = [&](Index part) {
    return count / parts * part + count % parts * part / parts;
  };
  std::vector<std::jthread> threads;
  for (Index part = 1; part < parts; ++part)
    threads.emplace_back(body, begin_of(part), begin_of(part + 1));
  body(0, begin_of(1));
}

namespace {

/// The least of what search(part) finds in parts of the values, all cores beside each other.
template <typename Search>
Index search_parts(std::span<const double> values, const Search& search) {
  std::atomic<Index> least = values.size();
  in_parallel(values.size(), kElementsPerThread, [&](Index first, Index last) {
    const Index found = search(values.subspan(first, last - first));
    if (found == last - first) return;
    const Index index = first + found;
    for (Index known = least; index < known && !least.compare_exchange_weak(known, index);) {
    }
  });
  return least;
}

}  // namespace

Index find_first(std::span<const double> values, bool (*is_bad)(double)) {
  return search_parts(values, [&](std::span<const double> part) {
    return static_cast<Index>(std::ranges::find_if(part, is_bad) - part.begin());
  });
}

Index find_nonfinite(std::span<const double> values) {
  return search_parts(values, first_nonfinite);
}

Index first_nonfinite(std::span<const double> values) {
  constexpr Index kBlock = 4096, kLanes = 8;
  for (Index begin = 0; begin < values.size(); begin += kBlock) {
    const auto block = values.subspan(begin, std::min(kBlock, values.size() - begin));
    std::array<double, kLanes> differences{};  // NaN for NaN and Inf
    for (Index i = 0; i + kLanes <= block.size(); i += kLanes)
      for (Index lane = 0; lane < kLanes; ++lane)
        differences[lane] += block[i + lane] - block[i + lane];
    const auto is_nan = [](double value) { return std::isnan(value); };
    const bool whole = block.size() % kLanes == 0;
    if (whole && std::ranges::none_of(differences, is_nan)) continue;
    const auto found =
        std::ranges::find_if(block, [](double value) { return !std::isfinite(value); });
    if (found != block.end()) return begin + static_cast<Index>(found - block.begin());
  }
  return values.size();
}

}  // namespace clgauss
