#pragma once
/// Every kernel that clgauss has for a device, self-tested.

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/progress.hpp>

namespace CLGAUSS_EXPORT clgauss {

/// Asks all kernels of LU, GEMM, the batched solves and the elimination, in every type that the
/// device has, also those that a solve would take only if others failed;
/// context.trials().verdicts() then has them all. Builds what is not in the cache, which can take
/// minutes. `progress` hears which are being asked.
void survey_kernels(Context& context, const ProgressCallback& progress = {});

}  // namespace clgauss
