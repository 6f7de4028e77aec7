#include "tuner/kernel/kernel_task.hpp"

#include <clgauss/error.hpp>

namespace clgauss::tune {

std::string task_source(const std::filesystem::path& file) {
  if (std::filesystem::exists(file))
    return kernel_source(file.filename().string(), file.parent_path());
  try {
    return kernel_source(file.string(), std::nullopt);
  } catch (const FileError&) {
    throw FileError(file.string(), "there is no such file, nor is a shipped kernel file called so");
  }
}

}  // namespace clgauss::tune
