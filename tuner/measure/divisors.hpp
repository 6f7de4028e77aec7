#pragma once
/// Ranges that leave a driver no divisor to cut them by.

#include <clgauss/lab/launch.hpp>
#include <cstddef>

namespace clgauss::tune {

[[nodiscard]] inline bool is_prime(std::size_t number) {
  return number > 1 && largest_divisor(number, number - 1) == 1;
}

}  // namespace clgauss::tune
