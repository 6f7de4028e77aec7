#pragma once
/// Processes an array eight numbers at a time, in the vectors of two that every 64-bit processor
/// has. The lanes are written out by hand: the compiler's own vectorization combines lanes of
/// several steps and shuffles them in registers, which takes longer than the arithmetic.

#include <array>
#include <clgauss/matrix.hpp>
#include <cstdint>
#include <cstring>

namespace clgauss {

using Pair [[gnu::vector_size(16)]] = double;
using PairBits [[gnu::vector_size(16)]] = std::uint64_t;

inline constexpr Index kPairs = 4, kLanes = 2 * kPairs;
using Lanes = std::array<Pair, kPairs>;

inline Pair load_pair(const double* from) {
  Pair pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

inline Pair magnitude_of(Pair pair) {
  return reinterpret_cast<Pair>(reinterpret_cast<PairBits>(pair) & (~std::uint64_t{0} >> 1U));
}

inline std::array<double, kLanes> numbers_of(const Lanes& lanes) {
  std::array<double, kLanes> numbers;
  std::memcpy(numbers.data(), lanes.data(), sizeof numbers);
  return numbers;
}

/// Adds the lanes sequentially, in order.
inline double sum_of(const Lanes& lanes) {
  double sum = 0;
  for (const double number : numbers_of(lanes)) sum += number;
  return sum;
}

}  // namespace clgauss
