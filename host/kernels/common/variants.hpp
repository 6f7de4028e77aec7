#pragma once
/// The lists of variants, and helpers for their tables.

#include <algorithm>
#include <bit>
#include <clgauss/lab/gemm_spec.hpp>
#include <clgauss/lab/program.hpp>
#include <clgauss/lab/variant.hpp>
#include <cstddef>
#include <string>

namespace clgauss {

[[nodiscard]] Variants lu_cpu_variants();
[[nodiscard]] Variants lu_gpu_variants();
[[nodiscard]] Variants lu_columns_variants();
[[nodiscard]] Variants condition_variants();
[[nodiscard]] Variants trsm_variants();
[[nodiscard]] Variants batched_variants();
[[nodiscard]] Variants rbt_variants();
[[nodiscard]] Variants gauss_variants();
[[nodiscard]] Variants residual_variants();
[[nodiscard]] Variants residual_integer_variants();
[[nodiscard]] Variants refine_variants();
[[nodiscard]] Variants inverse_variants();
[[nodiscard]] Variants cholesky_variants();
[[nodiscard]] Variants ldlt_variants();
[[nodiscard]] Variants iteration_variants();
[[nodiscard]] Variants qr_variants();
[[nodiscard]] Variants complex_variants();

/// Whether the work-items of a work-group run in parallel, and there are at least as many as a
/// panel has columns.
[[nodiscard]] inline bool has_groups(const Setting& at) {
  return at.device.type != DeviceType::cpu && at.device.max_work_group_size >= 64;
}

/// Work-items of a group: the largest power of two up to the device's limit and `most`.
[[nodiscard]] inline int usual_group(const Setting& at, std::size_t most) {
  return static_cast<int>(
      std::bit_floor(std::clamp<std::size_t>(at.device.max_work_group_size, 1, most)));
}

/// `own`, followed by the variant's parameters that are macros.
[[nodiscard]] Defines with_parameters(const KernelVariant& variant, const Parameters& parameters,
                                      Defines own);

/// real_defines(), followed by the variant's parameters that are macros.
[[nodiscard]] Defines macros_of(const KernelVariant& variant, RealType type,
                                const Parameters& parameters);

/// Empty if the value of `name` is a multiple of that of `of`; otherwise a message that says so.
[[nodiscard]] std::string not_multiple(const Parameters& parameters, const char* name,
                                       const char* of);
/// Empty if the value of `name` is a power of two; otherwise a message that says so.
[[nodiscard]] std::string not_power_of_two(const Parameters& parameters, const char* name);

/// KernelVariant::lacks for kernels that run on every device.
[[nodiscard]] std::string lacks_nothing(Context& context);
/// KernelVariant::lacks for kernels with inline PTX.
[[nodiscard]] std::string lacks_ptx(Context& context);
/// KernelVariant::lacks for kernels that use doubles, whatever the requested type.
[[nodiscard]] std::string lacks_fp64(Context& context);

}  // namespace clgauss
