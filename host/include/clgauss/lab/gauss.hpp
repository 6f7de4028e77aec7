#pragma once
/// Gauss elimination on the device with one launch per kernel and step: the method of Baranov and
/// Vlatskaya (2013).

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/pivoting.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/real_type.hpp>
#include <cstddef>
#include <limits>

namespace CLGAUSS_EXPORT clgauss {

enum class NdRangeMode {
  fixed,     // every step launches over the whole matrix, as for the paper's curves
  shrinking  // every step launches over the remaining matrix
};

struct GaussOptions {
  RealType type = RealType::f64;
  Pivoting pivoting = Pivoting::partial;
  NdRangeMode ndrange = NdRangeMode::fixed;
};

/// Self-tests the kernels, unless that was done before, with the work-group sizes of a Launcher
/// with this `policy` and `longest`. With those of the solve that follows, a driver that compiles
/// anew for every size (PoCL) compiles each kernel once. Throws NoUsableKernel.
void require_gauss_kernels(Context& context, RealType type, const WorkGroupPolicy& policy,
                           std::size_t longest = std::numeric_limits<std::size_t>::max());

/// Solves A X = B in (2/3) n^3 + 2 n^2 nrhs useful flops; the fixed NDRange starts 3 times as many
/// work-items as needed.
///
/// A is n-by-n, B n-by-nrhs. Both are scaled into the range of `options.type` if necessary, and
/// rounded. Every kernel is enqueued through `launcher`, and the elimination does not wait for the
/// device; `progress` is called meanwhile. Throws DimensionError for shapes that do not fit,
/// DeviceLimit if the device forbids the work-group size, OutOfMemory if n (n + 2 nrhs + 2)
/// elements do not fit, DeviceFault, OpenClError.
[[nodiscard]] EliminationResult gauss_solve(Context& context, Launcher& launcher,
                                            const System& system, const GaussOptions& options,
                                            const ProgressCallback& progress = {});

}  // namespace clgauss
