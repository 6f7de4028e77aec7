#pragma once
/// The vectors of two numbers that every 64-bit processor has, for loops written out by hand: the
/// compiler's own vectorization combines lanes of several steps and shuffles them in registers,
/// which takes longer than the arithmetic.

#include <clgauss/matrix.hpp>
#include <cstdint>
#include <cstring>

namespace clgauss {

using Pair [[gnu::vector_size(16)]] = double;
using PairBits [[gnu::vector_size(16)]] = std::uint64_t;

inline Pair load_pair(const double* from) {
  Pair pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

inline Pair magnitude_of(Pair pair) {
  return reinterpret_cast<Pair>(reinterpret_cast<PairBits>(pair) & (~std::uint64_t{0} >> 1U));
}

}  // namespace clgauss
