#pragma once
/// The arguments that a kernel was written with, as its driver tells them.

#include <clgauss/opencl.hpp>
#include <string>
#include <vector>

#include "tuner/kernel/kernel_task.hpp"

namespace clgauss::tune {

/// An argument as the kernel has it.
struct Formal {
  cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  bool constant = false;
  std::string type;  // without '*': "float"
  std::string name;

  [[nodiscard]] KernelArgument::Kind kind() const;
  /// "global const float* x".
  [[nodiscard]] std::string text() const;
};

/// What the driver tells of the arguments; empty where it tells nothing.
[[nodiscard]] std::vector<Formal> signature_of(const cl::Kernel& kernel);
/// All of them, between commas.
[[nodiscard]] std::string text_of(const std::vector<Formal>& signature);

}  // namespace clgauss::tune
