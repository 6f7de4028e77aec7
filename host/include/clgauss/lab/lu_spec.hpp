#pragma once
/// The parameters of an LU, as data, so that a tuner can vary them.

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/parameters.hpp>
#include <clgauss/lab/variant.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/pivoting.hpp>
#include <clgauss/real_type.hpp>
#include <string_view>

namespace CLGAUSS_EXPORT clgauss {

/// The two implementations of Lu.
enum class LuFamily {
  cpu,  // local panels, one work-item per core; partial pivoting (cl/lu/lu_cpu.cl)
  gpu   // panels by work-groups, tiles in local memory or on the matrix units
};

/// The variants whose parameters an LuSpec of the family contains.
[[nodiscard]] Variants variants_of(LuFamily family);

/// "cpu" or "gpu".
[[nodiscard]] std::string_view lu_family_name(LuFamily family);

/// How an LU is cut up: one list with the parameters of all variants of its family. The variants'
/// tables explain them.
struct LuSpec {
  LuFamily family = LuFamily::gpu;
  Parameters parameters;

  /// Throws UsageError if the family has no such parameter.
  [[nodiscard]] int value(std::string_view name) const { return value_of(parameters, name); }
};

/// The default for an n-by-n matrix if nothing else is requested and nothing is tuned.
[[nodiscard]] LuSpec default_lu_spec(Context& context, RealType type, Index n,
                                     Pivoting pivoting = Pivoting::partial);

/// The same for one family, from a device's data alone.
[[nodiscard]] LuSpec default_lu_spec(const DeviceProfile& device, RealType type, Index n,
                                     LuFamily family);

/// Throws UsageError for parameters that are missing, unknown or contradict each other, DeviceLimit
/// for parameters that the device forbids. It never changes a parameter.
void check_lu_spec(const LuSpec& spec, const DeviceProfile& device, RealType type);

}  // namespace clgauss
