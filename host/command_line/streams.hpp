#pragma once
/// Standard input, output and error, in whatever state the caller passed them.

#include <string>
#include <string_view>
#include <vector>

namespace clgauss::cli {

/// Makes sure that descriptors 0 to 2 are open, so that no file that we open gets one of these
/// numbers. A closed one is opened on /dev/null in the opposite direction, so that output to it
/// fails instead of being lost. A pipe without a reader and a file that is too large make write()
/// fail instead of raising a signal.
void prepare_streams();

/// Writes `text` to stdout and checks that it was written. Throws FileError (a full disk, a closed
/// pipe).
void print(std::string_view text);

/// Writes `text` to stderr. Errors are ignored.
void tell(std::string_view text) noexcept;

/// A file as the user named it: "--output x.txt".
struct NamedFile {
  std::string option, path;
};

/// Throws UsageError if two of `written` are the same file, or if one of them is also in `read`,
/// under whatever names and links. Devices and pipes do not count as files.
void keep_files_apart(const std::vector<NamedFile>& read, const std::vector<NamedFile>& written);

}  // namespace clgauss::cli
