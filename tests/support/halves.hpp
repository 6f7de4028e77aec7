#pragma once
/// What cl/halves.cl makes, by the definition of f16.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace clgauss::test {

/// The bits of the f16 that is nearest to x, |x| < 65520 or NaN; of two the even one.
inline std::uint16_t half_of(double x) {
  if (std::isnan(x)) return 0x7e00;
  const int exponent = x == 0 ? -14 : std::max(std::ilogb(x), -14);  // below it the spacing stays
  const auto fraction = static_cast<int>(std::nearbyint(std::ldexp(std::abs(x), 10 - exponent)));
  const int bits = (exponent + 14) * 1024 + fraction;  // a fraction of 2048 is the next exponent's
  return static_cast<std::uint16_t>(bits | (std::signbit(x) ? 0x8000 : 0));
}

inline double value_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) return std::nan("");
  const double size =
      std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

enum class Operand { a, b };

/// Where halves.cl puts the high part of number k of a row of A or of a column of B, and how far behind it its low part.
struct PlaceOfHalf {
  std::size_t high, low_behind;
};
inline PlaceOfHalf place_of_half(Operand operand, std::size_t r, std::size_t k,
                                 std::size_t padded_k) {
  const std::size_t unit = k / 16, t = k % 16 / 4, e = k % 4;
  if (operand == Operand::a) {
    const std::size_t chunk = (r / 16 * (padded_k / 16) + unit) * 64 + r % 16 / 2 * 4 + t;
    return {8 * chunk + e / 2 * 4 + r % 2 * 2 + e % 2, std::size_t{8} * 32};
  }
  const std::size_t j = r % 4, block = r / 32 * 2 + j / 2;
  const std::size_t chunk = (block * (padded_k / 16) + unit) * 64 + j % 2 * 32 + r % 32 / 4 * 4 + t;
  return {8 * chunk + e, 4};
}

struct SplitOperand {
  std::vector<std::uint16_t> halves;
  std::vector<std::int32_t> exponents;
  bool unfit = false;
};

/// Rows of A or columns of B, each of k numbers; what is padded is 0.
inline SplitOperand split_operand(Operand operand, std::size_t rows, std::size_t k,
                                  std::size_t padded_rows, std::size_t padded_k,
                                  const std::function<float(std::size_t, std::size_t)>& number) {
  SplitOperand split;
  split.halves.resize(2 * padded_rows * padded_k);
  for (std::size_t i = 0; i < padded_rows; ++i) {
    double largest = 0;
    bool finite = true;
    for (std::size_t j = 0; i < rows && j < k; ++j) {
      const double size = std::abs(number(i, j));
      finite = finite && std::isfinite(size);
      largest = std::max(largest, size);
    }
    const int exponent = !finite ? 128 : largest == 0 ? -112 : std::max(std::ilogb(largest), -112);
    split.exponents.push_back(exponent - 14);
    for (std::size_t j = 0; j < padded_k; ++j) {
      const double x =
          i < rows && j < k ? std::ldexp(static_cast<double>(number(i, j)), 14 - exponent) : 0;
      const PlaceOfHalf place = place_of_half(operand, i, j, padded_k);
      const std::uint16_t high = finite ? half_of(x) : 0x7e00;
      split.halves[place.high] = high;
      if (!finite) continue;  // whatever it is
      split.halves[place.high + place.low_behind] = half_of((x - value_of_half(high)) * 4096);
      split.unfit = split.unfit || (x != 0 && std::abs(x) < 0x1p-15);
    }
  }
  return split;
}

}  // namespace clgauss::test
