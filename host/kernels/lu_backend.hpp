#pragma once
/// The two implementations of Lu.

#include <clgauss/lu.hpp>
#include <functional>
#include <memory>

namespace clgauss {

/// Up to this n a GPU factors and solves in one launch, if its local memory allows, which cannot be timed in two parts.
inline constexpr Index kLargestSmallSystem = 128;

/// Panels of local work for devices whose work-group is a core; true partial pivoting. A spec in the options is of the family
/// and was checked, as with make_lu_gpu().
[[nodiscard]] std::unique_ptr<Lu> make_lu_cpu(Context& context, RealType type, Index n,
                                              const LuOptions& options);

/// Whether the kernels that make_lu_cpu() takes for a checked spec of its family gave their known answer.
[[nodiscard]] bool lu_cpu_works(Context& context, RealType type, const LuSpec& spec);

/// Persistent or tournament panels, tiles in local memory or on the matrix units.
[[nodiscard]] std::unique_ptr<Lu> make_lu_gpu(Context& context, RealType type, Index n,
                                              const LuOptions& options);

/// attempt(options); if that ends in CoResidencyLost, attempt(options with tournament pivoting), marked as repeated.
[[nodiscard]] EliminationResult repeat_by_tournament(
    const LuOptions& options, const std::function<EliminationResult(const LuOptions&)>& attempt);

}  // namespace clgauss
