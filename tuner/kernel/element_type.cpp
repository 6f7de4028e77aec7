#include "tuner/kernel/element_type.hpp"

#include <fmt/format.h>

#include <array>
#include <clgauss/error.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "suggestion.hpp"

namespace clgauss::tune {

namespace {

using Kind = ElementType::Kind;

struct Names {
  std::array<std::string_view, 3> names;  // OpenCL C's first
  Kind kind;
  unsigned bytes;
};
constexpr std::array<Names, 10> kNames{{
    {{"char", "i8", "int8"}, Kind::signed_integer, 1},
    {{"uchar", "u8", "uint8"}, Kind::unsigned_integer, 1},
    {{"short", "i16", "int16"}, Kind::signed_integer, 2},
    {{"ushort", "u16", "uint16"}, Kind::unsigned_integer, 2},
    {{"int", "i32", "int32"}, Kind::signed_integer, 4},
    {{"uint", "u32", "uint32"}, Kind::unsigned_integer, 4},
    {{"long", "i64", "int64"}, Kind::signed_integer, 8},
    {{"ulong", "u64", "uint64"}, Kind::unsigned_integer, 8},
    {{"float", "f32", "float32"}, Kind::real, 4},
    {{"double", "f64", "float64"}, Kind::real, 8},
}};

std::optional<ElementType> find_type(std::string_view name) {
  for (const Names& one : kNames)
    for (const std::string_view known : one.names) {
      if (!name.starts_with(known)) continue;
      const std::string_view rest = name.substr(known.size());
      if (rest.empty()) return ElementType{one.kind, one.bytes, 1};
      if (known != one.names.front()) continue;  // vectors by OpenCL C's names alone
      for (const unsigned width : {2U, 4U, 8U, 16U})
        if (rest == std::to_string(width)) return ElementType{one.kind, one.bytes, width};
    }
  return std::nullopt;
}

/// Calls `use` with a number of the C++ type that the device's is.
template <typename Use>
void with_type(const ElementType& type, const Use& use) {
  const auto of = [&]<typename Small, typename Short, typename Int, typename Long>(
                      Small small, Short word, Int number, Long large) {
    if (type.bytes == 1) use(small);
    if (type.bytes == 2) use(word);
    if (type.bytes == 4) use(number);
    if (type.bytes == 8) use(large);
  };
  if (type.kind == Kind::real) {
    if (type.bytes == 4) use(cl_float{});
    if (type.bytes == 8) use(cl_double{});
  } else if (type.kind == Kind::signed_integer) {
    of(cl_char{}, cl_short{}, cl_int{}, cl_long{});
  } else {
    of(cl_uchar{}, cl_ushort{}, cl_uint{}, cl_ulong{});
  }
}

}  // namespace

bool is_element_type(std::string_view name) { return find_type(name).has_value(); }

ElementType parse_element_type(std::string_view name) {
  if (const auto found = find_type(name)) return *found;
  std::vector<std::string> known;
  for (const Names& one : kNames) known.emplace_back(one.names.front());
  throw UsageError(
      fmt::format("the type '{}' is none of char, uchar, short, ushort, int, uint, long, ulong, "
                  "float and double, with 2, 4, 8 or 16 behind it "
                  "for vectors{}",
                  name, did_you_mean(name, known)));
}

std::string element_type_name(const ElementType& type) {
  for (const Names& one : kNames)
    if (one.kind == type.kind && one.bytes == type.bytes)
      return std::string(one.names.front()) + (type.width > 1 ? std::to_string(type.width) : "");
  return {};
}

std::vector<std::byte> to_bytes(const ElementType& type, std::span<const double> values) {
  std::vector<std::byte> bytes(values.size() * type.bytes);
  with_type(type, [&]<typename Number>(Number) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = values[i];
      if constexpr (std::is_integral_v<Number>) {
        // 2^63 and 2^64 are f64, the largest integers below them are not.
        const double beyond = std::ldexp(1.0, std::numeric_limits<Number>::digits);
        if (!(value == std::trunc(value) && value < beyond &&
              value >= static_cast<double>(std::numeric_limits<Number>::min())))
          throw UsageError(fmt::format("{:.17g} is not a {}", value, element_type_name(type)));
      }
      const auto number = static_cast<Number>(value);
      std::memcpy(&bytes[i * sizeof number], &number, sizeof number);
    }
  });
  return bytes;
}

std::vector<double> from_bytes(const ElementType& type, std::span<const std::byte> bytes) {
  std::vector<double> values(bytes.size() / type.bytes);
  with_type(type, [&]<typename Number>(Number number) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::memcpy(&number, &bytes[i * sizeof number], sizeof number);
      values[i] = static_cast<double>(number);
    }
  });
  return values;
}

}  // namespace clgauss::tune
