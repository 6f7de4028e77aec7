#pragma once
/// What a side of a range leaves to a driver that wants a divisor of it for its groups.

#include <algorithm>
#include <cstddef>

namespace clgauss::tune {

/// The largest divisor of `range` that is at most `limit`, both at least 1: the largest group that
/// cuts the range evenly. It is 1 for a prime above the limit, but 2 for twice such a prime, and
/// small for many others.
[[nodiscard]] constexpr std::size_t largest_divisor(std::size_t range, std::size_t limit) {
  if (range <= limit) return range;
  std::size_t largest = 1;
  for (std::size_t divisor = 1; divisor * divisor <= range; ++divisor) {
    if (range % divisor != 0) continue;
    if (divisor <= limit) largest = std::max(largest, divisor);
    if (range / divisor <= limit) largest = std::max(largest, range / divisor);
  }
  return largest;
}

[[nodiscard]] constexpr bool is_prime(std::size_t number) {
  return number > 1 && largest_divisor(number, number - 1) == 1;
}

}  // namespace clgauss::tune
