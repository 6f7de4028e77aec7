#pragma once
/// Libraries that damaged files can crash, or keep busy for ever, read in a child process.

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/archive.hpp"

namespace clgauss::io {

/// What a library does with a file, in a process of its own; throws Unreadable.
struct ForeignReader {
  using Take = std::function<void(std::span<const double>)>;

  std::string_view library;
  std::vector<ArrayInfo> (*list)(const Input& input);
  /// Gives every number, row by row, to `take`.
  void (*read)(const Input& input, const ArrayInfo& array, const Take& take);
};

/// Why a file or an array in it cannot be read.
class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Held while a child begins, and by other threads where none must: it has the locks of all
/// threads, but no thread that would give them back.
[[nodiscard]] std::mutex& forking();

/// An archive that is read so: when the child dies, the file is damaged, and this process goes on.
[[nodiscard]] std::unique_ptr<Archive> open_in_child(const Input& input, const ReadOptions& options,
                                                     const ForeignReader& reader);

}  // namespace clgauss::io
