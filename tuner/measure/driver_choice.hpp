#pragma once
/// Which work-groups a driver makes where none are given: seen by a kernel, never inferred.

#include <clgauss/context.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/real_type.hpp>
#include <string>

namespace clgauss::tune {

/// "253x4": the group in which a work-item of `range` found itself, launched without a local size.
/// The kernel that looks (lab_local_size of laboratory.cl) is gauss_fwd with one store more, so
/// that a driver that chooses by a kernel's needs chooses alike. `matrix` holds range.size[1] rows
/// of `ld` elements, which change.
[[nodiscard]] std::string driver_group(Context& context, RealType type, const cl::Buffer& matrix,
                                       std::size_t ld, const NdRange& range);

/// The same for `kernel` itself by cl_khr_suggested_local_work_size, which launches nothing; empty
/// where the platform does not have it. The kernel's arguments must be set.
[[nodiscard]] std::string suggested_group(const Context& context, const Kernel& kernel,
                                          const NdRange& range);

}  // namespace clgauss::tune
