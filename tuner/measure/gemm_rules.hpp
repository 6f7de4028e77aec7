#pragma once
/// What is known of a GEMM kernel's parameters before it is built.

#include <clgauss/lab/gemm_spec.hpp>
#include <string>

namespace clgauss::tune {

/// The rule of the kernel's file that the parameters break, in words; empty if none. One more than
/// the file's own #error: a work-item's accumulators must fit its registers.
[[nodiscard]] std::string broken_rule(const GemmSpec& spec);

/// What the device would refuse before it builds: work-items or local memory; empty if nothing.
[[nodiscard]] std::string exceeded_limit(const GemmSpec& spec, const DeviceProfile& device);

}  // namespace clgauss::tune
