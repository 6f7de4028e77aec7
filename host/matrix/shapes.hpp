#pragma once
/// What a system and its matrices must be like, and how they lie in memory of our own.

#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <string>

namespace clgauss {

/// Throws DimensionError if A is not square or b has another height.
void check_shapes(const System& system);

/// The same, and ValueError if `type` is f32 and a finite number of the
/// system does not fit it: as an infinity it would make the answer meaningless without a word.
void check_system(const System& system, RealType type);

/// Leading dimension of an n-by-n matrix of our own: whole lines of 128 bytes, so that every row
/// starts aligned; and no multiple of 4096 bytes, at which the rows of a column would share one set
/// of a CPU's caches.
[[nodiscard]] Index padded_ld(Index n, RealType type);

/// "the f64 system of n = 5 with 1 right-hand side", for messages about memory.
[[nodiscard]] std::string system_text(const System& system, RealType type);

}  // namespace clgauss
