#pragma once
/// Will it fit? Asked before anything large is allocated, so that a wrong header costs a message
/// and not the machine.

#include <clgauss/matrix.hpp>
#include <optional>
#include <string>

namespace clgauss::io {

/// Bytes of main memory in this machine.
[[nodiscard]] Index physical_memory();

/// rows * cols doubles in bytes; empty if the number itself does not fit an Index.
[[nodiscard]] std::optional<Index> dense_bytes(Index rows, Index cols);

[[nodiscard]] bool fits_memory(Index rows, Index cols);

/// Throws OutOfMemory, naming what is needed and what there is, if rows-by-cols doubles do not fit.
void require_memory(const std::string& file, Index rows, Index cols);

}  // namespace clgauss::io
