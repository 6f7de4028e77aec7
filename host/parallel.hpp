#pragma once
/// Runs work on large host arrays on all cores of this machine.

#include <clgauss/matrix.hpp>
#include <functional>
#include <span>

namespace clgauss {

/// The fewest elements that justify a thread: waking one costs about as much as copying this many
/// elements.
inline constexpr Index kElementsPerThread = Index{1} << 17U;

/// How many parts in_parallel() splits 0 .. count into, which is the number of threads it uses.
[[nodiscard]] Index parts_of(Index count, Index grain);

/// Splits 0 .. count into parts, calls body(first, last) for each in parallel, and waits for all.
/// If there are several parts, none is smaller than `grain`. `body` must not throw, except on the
/// caller's thread, which runs the first part. May be called from within a body, from several
/// threads at once and in a child of fork().
void in_parallel(Index count, Index grain, const std::function<void(Index, Index)>& body);

/// Index of the first value that `is_bad`; values.size() if none is.
[[nodiscard]] Index find_first(std::span<const double> values, bool (*is_bad)(double));

/// Index of the first value that is not finite; values.size() if all are finite. Runs at memory
/// bandwidth. first_nonfinite() uses only the calling thread, find_nonfinite() all cores.
[[nodiscard]] Index first_nonfinite(std::span<const double> values);
[[nodiscard]] Index find_nonfinite(std::span<const double> values);

}  // namespace clgauss
