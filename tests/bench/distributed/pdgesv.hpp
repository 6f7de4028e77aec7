#pragma once
/// ScaLAPACK's pdgesv, in f64 on all ranks, as a peer.

#include <clgauss/distributed.hpp>

#include "distributed/ranks.hpp"

namespace clgauss::bench {

/// Seconds of pdgesv for the source's columns, 2D block-cyclic, and what this rank knows of x; the
/// rest is 0.
[[nodiscard]] double time_pdgesv(const Ranks& ranks, const ColumnSource& source, const Matrix& b,
                                 Matrix& x);

}  // namespace clgauss::bench
