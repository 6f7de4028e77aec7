#pragma once
/// Checks a system's shapes and numbers, and lays out matrices in the library's own memory.

#include <clgauss/complex.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <string>

namespace clgauss {

/// Throws DimensionError if A is not square or b does not have as many rows.
void check_shapes(const System& system);
void check_shapes(const ComplexSystem& system);

/// As check_shapes(). Also throws ValueError if `type` is f32 and a finite number of the system
/// exceeds its range: converted to infinity, it would silently make the solution meaningless.
void check_system(const System& system, RealType type);

/// How large a system A X = B is: unknowns and right-hand sides.
struct SystemSize {
  Index n, nrhs;
};
[[nodiscard]] SystemSize size_of(const System& system);

/// Leading dimension of an n-by-n matrix in the library's own memory. A row is whole lines of 128
/// bytes, so every row starts aligned. It is never a multiple of 4096 bytes, at which all elements
/// of a column would share one set of a CPU's caches.
[[nodiscard]] Index padded_ld(Index n, RealType type);

/// "the f64 system of n = 5 with 1 right-hand side", for messages about memory.
[[nodiscard]] std::string system_text(SystemSize size, RealType type);

}  // namespace clgauss
