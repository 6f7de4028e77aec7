#pragma once

#include <filesystem>

namespace clgauss::test {

/// tests/data: files as other programs write them.
[[nodiscard]] std::filesystem::path file_folder();

}  // namespace clgauss::test
