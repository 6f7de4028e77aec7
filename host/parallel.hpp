#pragma once
/// Work on large host arrays, shared out among this machine's cores.

#include <clgauss/matrix.hpp>
#include <functional>
#include <span>

namespace clgauss {

/// Elements that are worth a thread of their own: waking one costs about as much as copying
/// these.
inline constexpr Index kElementsPerThread = Index{1} << 17U;

/// How many parts in_parallel() makes of 0 .. count: as many threads work side by side.
[[nodiscard]] Index parts_of(Index count, Index grain);

/// Calls body(first, last) for parts that make up 0 .. count, side by side, none smaller than
/// `grain` if there are several. Waits for all of them. `body` must not throw, except on the
/// caller's thread, which has the first part. May be called within a body, by several threads and
/// in a child of fork().
void in_parallel(Index count, Index grain, const std::function<void(Index, Index)>& body);

/// Index of the first value that `is_bad`; values.size() if none is.
[[nodiscard]] Index find_first(std::span<const double> values, bool (*is_bad)(double));

/// Index of the first value that is not finite; values.size() if all are. At the speed of memory;
/// the first on this thread alone.
[[nodiscard]] Index first_nonfinite(std::span<const double> values);
[[nodiscard]] Index find_nonfinite(std::span<const double> values);

}  // namespace clgauss
