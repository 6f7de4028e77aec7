#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/lu.hpp>

#include "kernels/cpu_tile.hpp"
#include "kernels/lu_backend.hpp"

namespace clgauss {

namespace {

/// What was tuned for n and for the family that the device and the pivoting ask for, else the default.
LuSpec best_known_spec(Context& context, RealType type, Index n, Pivoting pivoting) {
  const LuSpec usual = default_lu_spec(context, type, n, pivoting);
  const TunedEntry* tuned = context.tuning().find("lu", type, n);
  if (tuned == nullptr || tuned->kernel != lu_family_name(usual.family)) return usual;
  const LuSpec spec{usual.family, tuned->parameters};
  try {
    check_lu_spec(spec, context.profile(), type);
  } catch (const UsageError&) {
    return usual;  // a file that somebody edited
  } catch (const DeviceLimit&) {
    return usual;
  }
  return spec;
}

}  // namespace

std::unique_ptr<Lu> make_lu(Context& context, RealType type, Index n,
                            const LuOptions& options) {
  // Kernels count rows and columns in 32 bits and offsets in 64.
  constexpr Index kLargest = 1U << 30U;
  if (n > kLargest)
    throw DimensionError(fmt::format("n = {} is above the largest that LU takes, {}", n, kLargest));
  if (options.pivoting == Pivoting::none)
    throw UsageError(
        "LU always exchanges rows; elimination without pivoting is --method gauss --pivot none");
  LuOptions chosen = options;
  if (!chosen.spec) chosen.spec = best_known_spec(context, type, n, options.pivoting);
  if (options.spec) check_lu_spec(*options.spec, context.profile(), type);
  if (chosen.spec->family == LuFamily::cpu && !options.spec &&
      !lu_cpu_works(context, type, *chosen.spec))
    chosen.spec = default_lu_spec(context.profile(), type, n, LuFamily::gpu);
  if (chosen.spec->family == LuFamily::gpu) return make_lu_gpu(context, type, n, chosen);
  if (options.pivoting == Pivoting::tournament)
    throw UsageError("the LU for CPUs has partial pivoting only; tournament needs a spec for GPUs");
  if (!suits_cpu_kernels(context))
    throw DeviceLimit("the LU for CPUs cannot run on " + context.profile().name +
                      ": it is no CPU, or cuts long loops off");
  return make_lu_cpu(context, type, n, chosen);
}

}  // namespace clgauss
