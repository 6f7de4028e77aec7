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

/// Distance from 1 to the nearest number below it: 2^-24 or 2^-53, the eps of every bound in
/// clgauss.
[[nodiscard]] double unit_roundoff(RealType type);

/// What every kernel file is built with for `type`: REAL_BITS (cl/common/common.clh).
[[nodiscard]] Defines real_defines(RealType type);

}  // namespace clgauss
