#include "tuner/kernel/signature.hpp"

#include <fmt/format.h>

#include <string_view>

namespace clgauss::tune {

namespace {

/// "unsigned int" -> "uint"; qualifiers and '*' go.
std::string plain_type(std::string name) {
  for (const char* word : {"const", "volatile", "restrict", "*"})
    for (std::size_t at = 0; (at = name.find(word)) != std::string::npos;)
      name.erase(at, std::string_view(word).size());
  if (const std::size_t at = name.find("unsigned "); at != std::string::npos)
    name.replace(at, 9, "u");
  std::erase(name, ' ');
  return name;
}

}  // namespace

KernelArgument::Kind Formal::kind() const {
  if (address == CL_KERNEL_ARG_ADDRESS_LOCAL) return KernelArgument::Kind::local;
  return address == CL_KERNEL_ARG_ADDRESS_PRIVATE ? KernelArgument::Kind::scalar
                                                  : KernelArgument::Kind::buffer;
}

std::string Formal::text() const {
  const char* where = address == CL_KERNEL_ARG_ADDRESS_GLOBAL     ? "global "
                      : address == CL_KERNEL_ARG_ADDRESS_CONSTANT ? "constant "
                      : address == CL_KERNEL_ARG_ADDRESS_LOCAL    ? "local "
                                                                  : "";
  return fmt::format("{}{}{}{} {}", where, constant ? "const " : "", type,
                     kind() == KernelArgument::Kind::scalar ? "" : "*", name);
}

std::vector<Formal> signature_of(const cl::Kernel& kernel) {
  std::vector<Formal> parameters(kernel.getInfo<CL_KERNEL_NUM_ARGS>());
  try {
    for (cl_uint i = 0; i < parameters.size(); ++i) {
      Formal& one = parameters[i];
      one.address = kernel.getArgInfo<CL_KERNEL_ARG_ADDRESS_QUALIFIER>(i);
      one.type = plain_type(kernel.getArgInfo<CL_KERNEL_ARG_TYPE_NAME>(i).c_str());
      one.name = kernel.getArgInfo<CL_KERNEL_ARG_NAME>(i).c_str();
      one.constant =
          (kernel.getArgInfo<CL_KERNEL_ARG_TYPE_QUALIFIER>(i) & CL_KERNEL_ARG_TYPE_CONST) != 0 ||
          one.address == CL_KERNEL_ARG_ADDRESS_CONSTANT;
    }
  } catch (const cl::Error& error) {
    if (error.err() != CL_KERNEL_ARG_INFO_NOT_AVAILABLE) throw;
    return {};
  }
  return parameters;
}

std::string text_of(const std::vector<Formal>& signature) {
  std::string text;
  for (const Formal& one : signature) text += (text.empty() ? "" : ", ") + one.text();
  return text;
}

}  // namespace clgauss::tune
