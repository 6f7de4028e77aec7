#pragma once
/// Kernel variants: one way to do one operation, and in one place all that is known of it: its
/// file, its parameters, what it asks of a device, its workspace, its self-test. What chooses,
/// checks, hashes, tunes or lists kernels loops over them.

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

/// Where and for what a kernel is to run.
struct Setting {
  const DeviceProfile& device;
  RealType type;
  Index n;  // of the system
};

/// A parameter: a number that the kernel is built or launched with. One that is added here is
/// checked, given its default, stored, tuned and, if it is a macro, passed to every build of the
/// variant.
struct ParameterSpec {
  const char* name;
  int least, most;
  int step = 1;  // it is a multiple of this
  int (*usual)(const Setting&) =
      nullptr;  // its value where none was tuned; of GEMM kernels gemm_specs() has them
  std::vector<int> tried = {};  // what a tuner tries; empty: the value stays
  bool macro = true;            // false: the host's alone
};

/// What a variant with some parameters takes of a device, for the one parameter that decides on it.
struct Demand {
  const char* parameter;
  std::size_t work_items = 0;     // of a work-group
  std::uint64_t local_bytes = 0;  // of static local memory
};

/// One way to do one operation on some devices.
struct KernelVariant {
  const char* name;
  /// The .cl file; empty for what is told the host's code alone.
  const char* file;
  std::vector<ParameterSpec> parameters;
  /// Why no device like this one can run it; empty: it may be tried.
  std::string (*lacks)(Context& context);
  /// Self-tests its kernels, as the defaults build them; see KernelTrials. What
  /// does not work is a verdict there.
  void (*ask)(Context& context, RealType type);
  /// What stands between the parameters, each of which is within its range: empty, or the rule that
  /// is broken.
  std::string (*broken_rule)(const Parameters& parameters, RealType type) = nullptr;
  std::vector<Demand> (*demands)(const Parameters& parameters, RealType type) = nullptr;
  /// Bytes of buffers that it holds on the device beside its operands.
  std::uint64_t (*workspace_bytes)(const Parameters& parameters, const Setting& setting) = nullptr;
};

/// All variants, grouped by operation, in each group those first that are tried first.
[[nodiscard]] std::span<const KernelVariant* const> kernel_variants();

/// The variants of a list whose parameters stand together in one spec.
using Variants = std::span<const KernelVariant* const>;

/// Every parameter of the variants with its usual value.
[[nodiscard]] Parameters usual_parameters(Variants variants, const Setting& setting);

/// Throws UsageError, which names `what` and the parameter, unless `parameters` are those of the
/// variants, each once, within its range and the rules. Values are never changed to fit.
void check_parameters(const std::string& what, Variants variants, const Parameters& parameters,
                      RealType type);

/// What they demand and the device has not, with the parameter and the limit; empty if it has all.
[[nodiscard]] std::string exceeded_demand(Variants variants, const Parameters& parameters,
                                          const DeviceProfile& device, RealType type);

/// Sum of what the variants hold.
[[nodiscard]] std::uint64_t workspace_bytes(Variants variants, const Parameters& parameters,
                                            const Setting& setting);

}  // namespace clgauss
