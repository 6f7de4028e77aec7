#pragma once
/// What the tests of files share: a folder that is gone in the end, and checks of the errors with
/// the place they name.

#include <doctest/doctest.h>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/paths.hpp"

namespace clgauss::test {

/// A new empty folder of files, gone with the scope.
class Files {
 public:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  /// The path of a new file with `content`.
  [[nodiscard]] std::string file(const std::string& name, std::string_view content) const {
    std::ofstream out(path(name), std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    return path(name);
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  TemporaryFolder folder_;
};

inline std::vector<double> values_of(const Matrix& matrix) {
  return {matrix.values().begin(), matrix.values().end()};
}

/// Reads `content` from a file called `name`.
inline Matrix read_as(const std::string& name, std::string_view content,
                      const ReadOptions& options = {}) {
  const Files folder;
  return read_matrix(folder.file(name, content), options);
}

inline void check_matrix(const Matrix& matrix, Index rows, Index cols,
                         const std::vector<double>& values) {
  CHECK(matrix.rows() == rows);
  CHECK(matrix.cols() == cols);
  CHECK(values_of(matrix) == values);
}

/// Reading `content` throws FormatError that names the file, `line`, `column` and `reason`.
inline void check_refused(const std::string& name, std::string_view content, std::size_t line,
                          std::size_t column, const std::string& reason,
                          const ReadOptions& options = {}) {
  CAPTURE(content);
  try {
    static_cast<void>(read_as(name, content, options));
    FAIL_CHECK("accepted");
  } catch (const FormatError& error) {
    const std::string message = error.what();
    CAPTURE(message);
    CHECK(error.line() == line);
    CHECK(error.column() == column);
    CHECK(message.find(name) != std::string::npos);
    CHECK(message.find(reason) != std::string::npos);
    CHECK(error.error_code() == ErrorCode::input);
    if (line > 0) {
      CHECK(message.find(":" + std::to_string(line) + ":" + std::to_string(column) + ": ") !=
            std::string::npos);
    }
  }
}

/// `call` throws ErrorType with `reason` in its message.
template <typename ErrorType, typename Call>
void check_throws(Call call, const std::string& reason) {
  try {
    call();
    FAIL_CHECK("nothing thrown, expected: " << reason);
  } catch (const ErrorType& error) {
    const std::string message = error.what();
    CAPTURE(message);
    CHECK(message.find(reason) != std::string::npos);
  }
}

}  // namespace clgauss::test
