#pragma once
/// Standard input, output and error, whatever the caller made of them.

#include <string>
#include <string_view>
#include <vector>

namespace clgauss::cli {

/// Sees to it that the descriptors 0 to 2 are open, so that no file of ours gets one of them: a
/// closed one is opened on /dev/null against its direction, so that what is written to it fails
/// instead of being lost. A pipe without a reader and a file that is too large become errors of
/// write() instead of signals.
void prepare_streams();

/// Writes `text` to stdout and makes sure that it got there. Throws FileError (a full disk, a
/// closed pipe).
void print(std::string_view text);

/// Writes `text` to stderr as far as that is possible: that nobody can read a message changes
/// nothing.
void tell(std::string_view text) noexcept;

/// A file as the user named it: "--output x.txt".
struct NamedFile {
  std::string option, path;
};

/// Throws UsageError if two of `written` end up in one file, or one of them in a file that is
/// `read`, by whatever names and links. Devices and pipes are no files.
void keep_files_apart(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written);

}  // namespace clgauss::cli
