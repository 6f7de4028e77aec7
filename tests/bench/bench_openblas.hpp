#pragma once

#include <memory>

#include "bench_contestant.hpp"

namespace clgauss::bench {

[[nodiscard]] std::unique_ptr<Contestant> make_openblas(const DeviceProblem& problem);
/// Of gelsy, by gelsd.
[[nodiscard]] std::unique_ptr<Contestant> make_gelsd(const DeviceProblem& problem);

/// Gives OpenBLAS all hardware threads and, on a CPU with AVX-512 for which it picked a kernel
/// without, executes the program anew with OPENBLAS_CORETYPE set: OpenBLAS reads it only when it is
/// loaded. A value that is set already is left alone.
void prepare_openblas(char** arguments);

}  // namespace clgauss::bench
