#pragma once
/// Kernel variants. A variant is one way to do one operation. It gathers all that is known about
/// it: its file, its parameters, its demands on a device, its workspace and its self-test. The code
/// that chooses, checks, hashes, tunes or lists kernels loops over the variants.

#include <clgauss/device.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/parameters.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

class Context;

/// The device, type and size that a kernel is to run for.
struct Setting {
  const DeviceProfile& device;
  RealType type;
  Index n;  // of the system
};

/// A parameter that the kernel is built or launched with. Every parameter is checked, given its
/// default, stored, tuned and, if it is a macro, passed to every build of the variant.
struct ParameterSpec {
  const char* name;
  int least, most;
  int step = 1;  // the value must be a multiple of this
  int (*usual)(const Setting&) =
      nullptr;  // its value if none was tuned; gemm_specs() has those of GEMM kernels
  std::vector<int> tried = {};  // values that a tuner tries; empty: not tuned
  bool macro = true;            // false: only the host uses it
};

/// The resources that a variant with some parameters needs, and the parameter that determines them.
struct Demand {
  const char* parameter;
  std::size_t work_items = 0;     // per work-group
  std::uint64_t local_bytes = 0;  // of static local memory
};

/// One way to do one operation on some devices.
struct KernelVariant {
  const char* name;
  /// The .cl file; empty if the parameters are only for the host's code.
  const char* file;
  std::vector<ParameterSpec> parameters;
  /// Why the device cannot run it; empty: it may be tried.
  std::string (*lacks)(Context& context);
  /// Self-tests its kernels, built with the defaults; see KernelTrials. A failure is recorded as a
  /// verdict there.
  void (*ask)(Context& context, RealType type);
  /// The rule between the parameters that is violated; empty if none is. Each parameter is within
  /// its range.
  std::string (*broken_rule)(const Parameters& parameters, RealType type) = nullptr;
  std::vector<Demand> (*demands)(const Parameters& parameters, RealType type) = nullptr;
  /// Bytes of its buffers on the device, besides its operands.
  std::uint64_t (*workspace_bytes)(const Parameters& parameters, const Setting& setting) = nullptr;
};

/// All variants, grouped by operation. Within a group, they are in the order in which they are
/// tried.
[[nodiscard]] std::span<const KernelVariant* const> kernel_variants();

/// Variants whose parameters are combined in one spec.
using Variants = std::span<const KernelVariant* const>;

/// Every parameter of the variants with its usual value.
[[nodiscard]] Parameters usual_parameters(Variants variants, const Setting& setting);

/// Throws UsageError, which names `what` and the parameter, unless `parameters` are exactly those
/// of the variants, within their ranges and rules. Values are never changed to fit.
void check_parameters(const std::string& what, Variants variants, const Parameters& parameters,
                      RealType type);

/// Which demand the device does not meet, with the parameter and the limit; empty if it meets all.
[[nodiscard]] std::string exceeded_demand(Variants variants, const Parameters& parameters,
                                          const DeviceProfile& device, RealType type);

/// The sum of the variants' workspaces.
[[nodiscard]] std::uint64_t workspace_bytes(Variants variants, const Parameters& parameters,
                                            const Setting& setting);

}  // namespace clgauss
