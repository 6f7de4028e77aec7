#pragma once
/// Runs libraries that damaged files can crash or keep busy forever in a child process.

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/archive.hpp"

namespace clgauss::io {

/// The functions that use a library, run in a child process. They throw Unreadable.
struct ForeignReader {
  using Take = std::function<void(std::span<const double>)>;

  std::string_view library;
  std::vector<ArrayInfo> (*list)(const Input& input);
  /// Passes every number, row by row, to `take`.
  void (*read)(const Input& input, const ArrayInfo& array, const Take& take);
};

/// Why a file or one of its arrays cannot be read.
class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Locked while a child is being forked, and by threads during which no fork may happen. A child
/// inherits the locks of all threads, but not the threads that would release them.
[[nodiscard]] std::mutex& forking();

/// An archive that a child process reads. If the child crashes, the file is reported as damaged,
/// and this process continues.
[[nodiscard]] std::unique_ptr<Archive> open_in_child(const Input& input, const ReadOptions& options,
                                                     const ForeignReader& reader);

}  // namespace clgauss::io
