#pragma once
/// The types of OpenCL C that arguments are made of.

#include <clgauss/opencl.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clgauss::tune {

/// A number, or a vector of 2, 4, 8 or 16.
struct ElementType {
  enum class Kind { signed_integer, unsigned_integer, real };
  Kind kind = Kind::real;
  unsigned bytes = 4;  // of a number
  unsigned width = 1;

  [[nodiscard]] std::size_t size() const { return std::size_t{bytes} * width; }
  [[nodiscard]] bool operator==(const ElementType&) const = default;
};

/// char, uchar .. ulong, float, double as OpenCL C has them, f32, f64, i32, u32 .. or int32, uint32
/// .. as others do, each with a width behind it: float4. Throws UsageError for anything else.
[[nodiscard]] ElementType parse_element_type(std::string_view name);
/// Whether it is one of these names.
[[nodiscard]] bool is_element_type(std::string_view name);
/// As OpenCL C has it.
[[nodiscard]] std::string element_type_name(const ElementType& type);

/// `values` as the device has them, one after the other. Throws UsageError for a number that the
/// type does not hold.
[[nodiscard]] std::vector<std::byte> to_bytes(const ElementType& type,
                                              std::span<const double> values);
/// The numbers in `bytes`.
[[nodiscard]] std::vector<double> from_bytes(const ElementType& type,
                                             std::span<const std::byte> bytes);

}  // namespace clgauss::tune
