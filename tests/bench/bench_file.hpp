#pragma once
/// From a file to the answer: whole programs, clgauss and Python's.

#include <string>
#include <vector>

#include "bench_measure.hpp"

namespace clgauss::bench {

/// The system of `problem` in an .npy file [A | b], and the programs that solve it: clgauss on the
/// device `spec` with and without rcond and, with `peers`, NumPy and PyTorch (on its GPU, where it
/// has one) as far as python3 has them. A run starts the program and waits for its end.
[[nodiscard]] std::vector<Entry> file_entries(const Problem& problem, const std::string& spec,
                                              bool peers);

/// The same system, and clgauss with caches of its own, and of its driver, in the folder:
/// "clgauss", with all of them emptied before every run, and "warm", with what that left there.
/// With `python` also "python" and "python warm", programs that call clgauss.solve of the Python
/// package, where python3 has it.
[[nodiscard]] std::vector<Entry> cold_entries(const Problem& problem, const std::string& spec,
                                              bool python);

}  // namespace clgauss::bench
