#pragma once
/// Self-tests every kernel that clgauss has for a device.

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/progress.hpp>

namespace CLGAUSS_EXPORT clgauss {

/// Self-tests all kernels of LU, GEMM, the batched solves and the elimination, in every type that
/// the device supports, including those that a solve would use only if others failed.
/// context.trials().verdicts() then has all verdicts. It builds what is not in the cache, which can
/// take minutes, in helper processes first: see ProgramStore::guard_builds(). `progress` gets what
/// is being built and the names of the kernels being tested.
void survey_kernels(Context& context, const ProgressCallback& progress = {});

}  // namespace clgauss
