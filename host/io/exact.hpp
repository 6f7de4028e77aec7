#pragma once
/// Checks whether integers convert to double without rounding.

#include <fmt/format.h>

#include <bit>
#include <clgauss/error.hpp>
#include <concepts>
#include <cstdint>
#include <string>

namespace clgauss::io {

/// Whether a double represents `value` exactly: its first and last set bits span at most 53 bits.
template <std::integral Integer>
[[nodiscard]] constexpr bool is_exact(Integer value) {
  if constexpr (sizeof(Integer) < sizeof(std::uint64_t)) return true;
  const bool negative = value < Integer{0};
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = negative ? ~bits + 1 : bits;
  return magnitude == 0 || 64 - std::countl_zero(magnitude) - std::countr_zero(magnitude) <= 53;
}

/// The error message for the element at `row` and `col`, counted from 0.
template <std::integral Integer>
[[nodiscard]] std::string inexact_text(Integer value, std::size_t row, std::size_t col) {
  return fmt::format("row {}, column {} holds {}, which no 64-bit float represents", row + 1,
                     col + 1, value);
}

}  // namespace clgauss::io
