#include "parallel.hpp"

#include <algorithm>
#include <atomic>
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

Index find_first(std::span<const double> values, bool (*is_bad)(double)) {
  std::atomic<Index> least = values.size();
  in_parallel(values.size(), kElementsPerThread, [&](Index first, Index last) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(last);
    const auto found = std::find_if(begin, end, is_bad);
    if (found == end) return;
    const auto index = static_cast<Index>(found - values.begin());
    Index known = least;
    while (index < known && !least.compare_exchange_weak(known, index)) {
    }
  });
  return least;
}

}  // namespace clgauss
