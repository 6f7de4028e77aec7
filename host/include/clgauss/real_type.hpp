#pragma once
/// The element types that clgauss computes in.

#include <clgauss/export.hpp>
#include <clgauss/lab/program.hpp>
#include <cstddef>

namespace CLGAUSS_EXPORT clgauss {

enum class RealType { f32, f64 };

[[nodiscard]] const char* real_type_name(RealType type);

/// Bytes of one element.
[[nodiscard]] std::size_t bytes_of(RealType type);

/// The unit roundoff 2^-24 or 2^-53: the distance from 1 to the next smaller number. It is the eps
/// of every bound in clgauss, except where a bound states another eps.
[[nodiscard]] double unit_roundoff(RealType type);

/// The define that every kernel file is built with for `type`: REAL_BITS (cl/common/common.clh).
[[nodiscard]] Defines real_defines(RealType type);

}  // namespace clgauss
