#pragma once
/// A X = B of host matrices by LU, as solve() does it.

#include <clgauss/lab/elimination.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>
#include <functional>

namespace clgauss {

/// With times and pivots. Memory on the device: n (ld + nrhs) elements, ld slightly above n, and the workspace of Lu; whether all of
/// it is there is asked before anything starts. Where panels with partial pivoting lose each other (CoResidencyLost), it is done
/// once more with tournament pivoting. Throws as gauss_solve().
[[nodiscard]] EliminationResult gesv(Context& context, const System& system, RealType type,
                                     const LuOptions& options = {},
                                     const ProgressCallback& progress = {});

/// The same without keeping A: system.a is given back to the operating system row by row while it is uploaded, and left empty.
/// On a CPU device, whose memory is the host's, A is so there once and not twice. `read_again` is called only where it has to
/// be done once more.
[[nodiscard]] EliminationResult gesv_in_place(Context& context, System& system, RealType type,
                                              const ReadMatrix& read_again,
                                              const LuOptions& options = {},
                                              const ProgressCallback& progress = {});

/// attempt(options); if that ends in CoResidencyLost, attempt(options with tournament pivoting), marked as repeated.
[[nodiscard]] EliminationResult repeat_by_tournament(
    const LuOptions& options, const std::function<EliminationResult(const LuOptions&)>& attempt);

}  // namespace clgauss
