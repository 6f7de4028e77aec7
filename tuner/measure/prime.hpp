#pragma once
/// Primes: a side of a range that is one leaves no work-group size but 1 and itself to a driver that wants a divisor.

#include <cstddef>

namespace clgauss::tune {

[[nodiscard]] constexpr bool is_prime(std::size_t number) {
  for (std::size_t divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0) return false;
  return number > 1;
}

}  // namespace clgauss::tune
