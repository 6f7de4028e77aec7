#pragma once
/// The kernels as shipped, but for one place in one file: broken on purpose.

#include <doctest/doctest.h>

#include <clgauss/context.hpp>
#include <filesystem>
#include <string>

#include "support/paths.hpp"
#include "support/process.hpp"

namespace clgauss::test {

class ChangedKernels {
 public:
  /// `wrong` stands for the first `right` of `file`, which must be there.
  ChangedKernels(const std::string& file, const std::string& right, const std::string& wrong) {
    std::filesystem::copy(kernel_folder(), folder_.path(),
                          std::filesystem::copy_options::recursive);
    std::string text = content_of(kernel_file(file));
    REQUIRE(text.find(right) != std::string::npos);
    // It is found before the one in the folder of its kind.
    write_file(folder_ / file, text.replace(text.find(right), right.size(), wrong));
  }

  [[nodiscard]] ContextOptions context_options() const {
    ContextOptions options = ContextOptions::from_environment();
    options.kernel_folder = folder_.path();
    return options;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace clgauss::test
