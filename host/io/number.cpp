#include "io/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace clgauss::io {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether an out-of-range decimal number is too small rather than too large: its first non-zero
/// digit stands for 10^p with p < 0. `text` is well formed; an exponent begins with 'e'.
bool is_tiny(std::string_view text) {
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  const auto position = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);

  std::int64_t exponent = 0;
  if (e < text.size()) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) {
      digits.remove_prefix(1);
    }
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (read.ec == std::errc::result_out_of_range) {
      return digits.starts_with('-');
    }
  }
  constexpr std::int64_t beyond_any_file = std::int64_t{1} << 60;
  return std::clamp(exponent, -beyond_any_file, beyond_any_file) + position < 0;
}

}  // namespace

Number parse_number(std::string_view token) {
  if (token.starts_with('+')) {
    token.remove_prefix(1);
    if (token.starts_with('-')) {
      return {};
    }
  }
  const bool negative = token.starts_with('-');
  const std::string_view magnitude = token.substr(negative ? 1 : 0);
  const bool numeric = !magnitude.empty() && (is_digit(magnitude[0]) || magnitude[0] == '.');

  std::string text(token);
  if (numeric) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc::invalid_argument || read.ptr != end) {
    return {};
  }
  if (read.ec == std::errc::result_out_of_range) {
    if (is_tiny(std::string_view(text).substr(negative ? 1 : 0))) {
      return {negative ? -0.0 : 0.0, NumberKind::finite};
    }
    return {std::numeric_limits<double>::infinity(), NumberKind::too_large};
  }
  return {value, std::isfinite(value) ? NumberKind::finite : NumberKind::nonfinite};
}

std::string in_quotes(std::string_view token) {
  constexpr std::size_t longest = 40;
  std::string text = "'";
  for (const char c : token.substr(0, longest)) {
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text + (token.size() > longest ? "...'" : "'");
}

}  // namespace clgauss::io
