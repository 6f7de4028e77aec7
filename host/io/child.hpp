#pragma once
/// Runs modules whose libraries damaged files can crash or keep busy forever in a child process.

#include <memory>
#include <shared_mutex>

#include "io/archive.hpp"

namespace clgauss::io {

/// Locked while a child is being forked, and shared by threads during whose work no fork may
/// happen. A child inherits the locks of all threads, but not the threads that would release them.
[[nodiscard]] std::shared_mutex& forking();

/// An archive that a child process reads. If the child crashes, the file is reported as damaged,
/// and this process continues.
[[nodiscard]] std::unique_ptr<Archive> open_in_child(const ForeignFormat& format,
                                                     const Input& input,
                                                     const ReadOptions& options);

}  // namespace clgauss::io
