#pragma once
/// The numbers that the LU is built with, as data, so that a tuner can vary them.

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
  cpu,  // panels of local work, one work-item a core; true partial pivoting (cl/lu/lu_cpu.cl)
  gpu   // panels by work-groups, tiles in local memory or on the matrix units
};

/// The variants whose parameters an LuSpec of the family holds.
[[nodiscard]] Variants variants_of(LuFamily family);

/// "cpu" or "gpu".
[[nodiscard]] std::string_view lu_family_name(LuFamily family);

/// How one LU is cut up: the parameters of its family's variants (their tables say what each is),
/// one list for all.
struct LuSpec {
  LuFamily family = LuFamily::gpu;
  Parameters parameters;

  /// Throws UsageError if the family has no such parameter.
  [[nodiscard]] int value(std::string_view name) const { return value_of(parameters, name); }
};

/// What make_lu() takes for an n-by-n matrix when nothing else is asked for and nothing is tuned.
[[nodiscard]] LuSpec default_lu_spec(Context& context, RealType type, Index n,
                                     Pivoting pivoting = Pivoting::partial);

/// The same from a device's data alone, for one family.
[[nodiscard]] LuSpec default_lu_spec(const DeviceProfile& device, RealType type, Index n,
                                     LuFamily family);

/// Throws UsageError for parameters that are missing, unknown or contradict each other, DeviceLimit
/// for those that the device forbids. Nothing is ever changed to fit.
void check_lu_spec(const LuSpec& spec, const DeviceProfile& device, RealType type);

}  // namespace clgauss
