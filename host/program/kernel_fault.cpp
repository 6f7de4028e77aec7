#include <clgauss/error.hpp>
#include <clgauss/lab/program.hpp>
#include <sstream>

namespace clgauss {

KernelFaults parse_kernel_faults(std::string_view text) {
  KernelFaults faults;
  std::istringstream items{std::string(text)};
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t sign = item.find('=');
    const std::string how = sign == std::string::npos ? "" : item.substr(sign + 1);
    if (how != "build" && how != "wrong")
      throw UsageError("CLGAUSS_KERNEL_FAULTS: '" + item +
                       "' is not KERNEL=build or KERNEL=wrong, with the name of a kernel file");
    faults[item.substr(0, sign)] = how == "build" ? KernelFault::build : KernelFault::wrong;
  }
  return faults;
}

std::optional<KernelFault> ProgramStore::fault_of(const std::string& file) const {
  const auto found = faults_.find(file.substr(0, file.find('.')));
  return found == faults_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace clgauss
