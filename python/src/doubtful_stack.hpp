#pragma once
/// Which system of a stack is the nearest to a singular one.

#include <clgauss/batched.hpp>
#include <optional>

namespace clgauss::python {

/// B, and beside the right-hand sides of each system one that tells how large A^-1 is.
[[nodiscard]] Batch with_doubt_question(const Batch& b);

/// Takes the last column of every X, and tells the system that it leaves the most doubt of, if any.
[[nodiscard]] std::optional<Index> take_doubtful(const Batch& a, RealType type, Batch& x);

}  // namespace clgauss::python
