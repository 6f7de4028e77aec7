#pragma once
/// Solves, batches, conditions and least squares from host memory to host memory, through
/// clgauss.h.

#include <clgauss/device.hpp>

#include "bench_measure.hpp"

namespace clgauss::bench {

/// The names of the contestants are those of clgauss.h's functions without type and prefix; `gesv`
/// by columns, as LAPACK has it, is called clgauss: it is what ratios refer to.
[[nodiscard]] std::vector<Entry> host_entries(const Problem& problem, const std::string& spec);

/// gesv of clgauss.h by columns, of a Hermitian A hesv, and solve, for a problem of complex
/// numbers.
[[nodiscard]] std::vector<Entry> complex_host_entries(const Problem& problem,
                                                      const std::string& spec);

/// One call of gesv_vbatched, called clgauss, and gesv and solve of one system after the other; by
/// rows.
[[nodiscard]] std::vector<Entry> vbatched_entries(const Problem& problem, const std::string& spec);

/// gelsy of clgauss.h by columns, called clgauss.
[[nodiscard]] Entry gelsy_entry(const Problem& problem, const std::string& spec);

/// gecon of clgauss.h: by columns, called clgauss, and by rows.
[[nodiscard]] std::vector<Entry> gecon_entries(const Problem& problem, const std::string& spec);

}  // namespace clgauss::bench
