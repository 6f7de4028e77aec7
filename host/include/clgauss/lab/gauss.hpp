#pragma once
/// Gauss elimination on the device, one launch a kernel and step: the method of Baranov and
/// Vlatskaya (2013).

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/pivoting.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/real_type.hpp>

namespace CLGAUSS_EXPORT clgauss {

enum class NdRangeMode {
  fixed,     // every step launches over the whole matrix, as for the paper's curves
  shrinking  // every step launches over what is left
};

struct GaussOptions {
  RealType type = RealType::f64;
  Pivoting pivoting = Pivoting::partial;
  NdRangeMode ndrange = NdRangeMode::fixed;
};

/// Self-tests the kernels, with the work-group size of `policy`, unless that was done.
/// Throws NoUsableKernel.
void require_gauss_kernels(Context& context, RealType type, const WorkGroupPolicy& policy);

/// Solves A X = B by (2/3) n^3 + 2 n^2 nrhs flops (of useful work; the fixed NDRange starts 3 times
/// the work-items).
///
/// A is n-by-n, B n-by-nrhs; both are scaled into the range of `options.type` where they need it,
/// and rounded. Every kernel is enqueued through `launcher`, without waiting for the device inside
/// the elimination; `progress` hears of it. Throws DimensionError for shapes that do not fit,
/// DeviceLimit where the device forbids the work-group size, OutOfMemory where n (n + 2 nrhs + 2)
/// elements do not fit, DeviceFault, OpenClError.
[[nodiscard]] EliminationResult gauss_solve(Context& context, Launcher& launcher,
                                            const System& system, const GaussOptions& options,
                                            const ProgressCallback& progress = {});

}  // namespace clgauss
