#include <clgauss/real_type.hpp>

namespace clgauss {

const char* real_type_name(RealType type) { return type == RealType::f32 ? "f32" : "f64"; }

std::size_t bytes_of(RealType type) { return type == RealType::f32 ? 4 : 8; }

double unit_roundoff(RealType type) { return type == RealType::f32 ? 0x1p-24 : 0x1p-53; }

Defines real_defines(RealType type) { return {{"REAL_BITS", std::to_string(8 * bytes_of(type))}}; }

}  // namespace clgauss
