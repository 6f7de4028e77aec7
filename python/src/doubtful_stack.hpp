#pragma once
/// Which system of a stack is the nearest to a singular one.

#include <clgauss/batched.hpp>
#include <optional>

namespace clgauss::python {

/// B, and beside the right-hand sides of each system one that tells how large A^-1 is. Of numbers
/// of `parts` doubles, 2 if they are complex.
[[nodiscard]] Batch with_doubt_question(const Batch& b, Index parts);

/// Takes the last column of every X, and tells the system that it leaves the most doubt of, if any.
[[nodiscard]] std::optional<Index> take_doubtful(const Batch& a, RealType type, Index parts,
                                                 Batch& x);

}  // namespace clgauss::python
